"""Supervised training on a corpus through TRL's SFTTrainer: the base from scratch, and the SFT arm."""

from random import Random
from typing import Any, TextIO

from datasets import Dataset
from trl import SFTConfig, SFTTrainer

from leash.console import Progress
from leash.training.session import Keeper, common_arguments, run_trainer
from leash.training.spec import SupervisedSpec
from leash.training.work import WorkFolder

# Batches of one length are batches of one task, and those train worse: held-out loss after 400 steps is 1.25 with
# 50 batches a bucket, 0.98 with 16, 0.65 with 4 (a third more padding). 16 gives the measured recipe's course.
_BUCKET_BATCHES = 16
_IGNORED = -100

Encoded = list[tuple[list[int], list[int]]]


def batch_order(lengths: list[int], batch_size: int, steps: int, seed: int) -> list[int]:
    """Row indices in training order: `steps` batches of `batch_size` rows of similar length.

    Epoch by epoch the rows are shuffled, cut into buckets of a few batches, sorted by length within a bucket, and
    the batches shuffled; a short last batch is filled with rows of the next epoch.
    """
    rng = Random(f"{seed}/batches")
    order: list[int] = []
    wanted = steps * batch_size
    while len(order) < wanted:
        order += rng.sample(range(len(lengths)), len(lengths))
    bucket = batch_size * _BUCKET_BATCHES
    batches = []
    for start in range(0, wanted, bucket):
        rows = sorted(order[start : min(start + bucket, wanted)], key=lambda row: lengths[row])
        cut = [rows[index : index + batch_size] for index in range(0, len(rows), batch_size)]
        rng.shuffle(cut)
        batches += cut
    return [row for batch in batches for row in batch]


def training_rows(encoded: Encoded, order: list[int], eos: int) -> Dataset:
    """Token ids and labels in training order; only the completion and its eos bear loss."""
    rows = Dataset.from_dict(
        {
            "input_ids": [[*prompt, *completion, eos] for prompt, completion in encoded],
            "labels": [[_IGNORED] * len(prompt) + [*completion, eos] for prompt, completion in encoded],
        }
    )
    return rows.select(order)


def train_supervised(
    spec: SupervisedSpec, model: Any, tokenizer: Any, encoded: Encoded, work: WorkFolder, out: TextIO
) -> tuple[list[dict[str, float]], float]:
    """Train `model` on encoded (prompt, completion) rows; the work folder then holds the model `final`.

    AdamW (betas 0.9, 0.98), linear warm-up, cosine to a tenth of the peak, gradients clipped at 1, mean
    loss per completion token. Returns the log (loss per token, in nats) and the seconds trained.
    """
    lengths = [len(prompt) + len(completion) for prompt, completion in encoded]
    order = batch_order(lengths, spec.batch_size, spec.steps, spec.seed)
    arguments = SFTConfig(
        **common_arguments(spec, work),
        per_device_train_batch_size=spec.batch_size,
        gradient_accumulation_steps=1,
        weight_decay=spec.weight_decay,
        lr_scheduler_type="cosine_with_min_lr",
        lr_scheduler_kwargs={"min_lr_rate": 0.1},
        logging_steps=max(1, spec.steps // 100),
        train_sampling_strategy="sequential",
        max_length=None,
        packing=False,
        dataset_kwargs={"skip_prepare_dataset": True},
    )
    progress = Progress(out, spec.recipe, spec.steps, "steps")
    keeper = Keeper(work, tokenizer, {spec.steps: "final"}, progress, "loss")
    trainer = SFTTrainer(
        model=model,
        args=arguments,
        train_dataset=training_rows(encoded, order, tokenizer.eos_token_id),
        processing_class=tokenizer,
        callbacks=[keeper],
    )
    history = run_trainer(trainer, work, keeper, out)
    return history, keeper.seconds()
