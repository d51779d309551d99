"""Reinforcement learning from a verifier: DAPO's loss, through TRL's GRPOTrainer."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, TextIO

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from leash import records
from leash.console import Progress
from leash.errors import InputError
from leash.training.session import Keeper, common_arguments, run_trainer
from leash.training.spec import DapoSpec, Source
from leash.training.tokenizer import encode_checked
from leash.training.work import WorkFolder
from leash.verify import gym
from leash.verify.extract import extract
from leash.verify.pool import Worker
from leash.verify.verdict import DEFAULT_RULES


def read_prompts(sources: list[Source], questions: Sequence[Path], tokenizer: Any) -> list[records.Row]:
    """Questions of all sources as rows prompt, task, gold, metadata.

    Raises InputError for a file that is empty, or a prompt the tokenizer cannot hold.
    """
    if len(questions) != len(sources):
        raise InputError(f"--questions: {len(questions)} files for {len(sources)} sources")
    prompts = []
    for source, path in zip(sources, questions, strict=True):
        rows = records.read(path, records.QUESTIONS)
        if not rows:
            raise InputError(f"{path}: holds no question for benchmark {source.benchmark}")
        encode_checked(tokenizer, [row["prompt"] for row in rows], str(path))
        prompts += [
            {
                "prompt": row["prompt"],
                "task": source.task,
                "gold": row["gold"],
                "metadata": row["metadata"],
            }
            for row in rows
        ]
    return prompts


def prompt_order(count: int, prompts_per_step: int, steps: int, seed: int) -> list[int]:
    """Indices of the prompts in training order, `steps` * `prompts_per_step` of them, epoch by epoch."""
    rng = Random(f"{seed}/prompts")
    order: list[int] = []
    while len(order) < steps * prompts_per_step:
        order += rng.sample(range(count), count)
    return order[: steps * prompts_per_step]


def reward_worker() -> Worker:
    """The worker that scores rollouts."""
    return Worker(gym.score, preload=["reasoning_gym", "leash.verify.gym"])


def verifier_reward(worker: Worker) -> Callable[..., list[float]]:
    """The reward function TRL calls: 1 for a completion the verifier takes, 0 for any other.

    Scored in the killable worker, as the samples are: a rollout that hangs the scoring must not hang training.
    """

    def correct(completion: str, gold: list[str], task: str, metadata: str) -> bool:
        found = extract(completion, DEFAULT_RULES["gym"])
        if found is None:
            return False
        reply = worker.call(task, found.answer, gold[0], metadata)
        return reply.failure is None and bool(reply.value[0])

    def verifier(completions: list[str], **columns: list[Any]) -> list[float]:
        rows = zip(completions, columns["gold"], columns["task"], columns["metadata"], strict=True)
        return [float(correct(*row)) for row in rows]

    return verifier


def train_dapo(
    spec: DapoSpec, model: Any, tokenizer: Any, prompts: list[records.Row], work: WorkFolder, out: TextIO
) -> tuple[list[dict[str, float]], float]:
    """Train `model`; the work folder then holds a model `stepN` for every wanted checkpoint.

    `prompts_per_step` questions with `rollouts` completions each make one optimizer step: token-level loss,
    clip (1 - epsilon_low, 1 + epsilon_high), no KL term, truncated completions masked, learning rate constant
    after warm-up. Returns the log (`reward`: mean of the step) and the seconds trained.
    """
    order = prompt_order(len(prompts), spec.prompts_per_step, spec.steps, spec.seed)
    arguments = GRPOConfig(
        **common_arguments(spec, work),
        per_device_train_batch_size=spec.prompts_per_step * spec.rollouts,
        gradient_accumulation_steps=1,
        num_generations=spec.rollouts,
        steps_per_generation=1,
        # The order is drawn here, over all epochs, because a resumed run would shuffle anew.
        shuffle_dataset=False,
        lr_scheduler_type="constant_with_warmup",
        weight_decay=0.0,
        logging_steps=1,
        loss_type="dapo",
        beta=0.0,
        epsilon=spec.epsilon_low,
        epsilon_high=spec.epsilon_high,
        mask_truncated_completions=True,
        max_completion_length=spec.max_tokens,
        temperature=spec.temperature,
        top_p=spec.top_p,
        top_k=0,
        log_completions=False,
        use_vllm=False,
    )
    progress = Progress(out, spec.recipe, spec.steps, "steps")
    keeper = Keeper(work, tokenizer, {step: f"step{step}" for step in spec.checkpoints}, progress, "reward")
    with reward_worker() as worker:
        trainer = GRPOTrainer(
            model=model,
            reward_funcs=verifier_reward(worker),
            args=arguments,
            train_dataset=Dataset.from_list([prompts[index] for index in order]),
            processing_class=tokenizer,
            callbacks=[keeper],
        )
        history = run_trainer(trainer, work, keeper, out)
    return history, keeper.seconds()
