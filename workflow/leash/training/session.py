"""What supervised and reinforcement training share: trainer arguments, states, progress, publication."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback, set_seed
from transformers.utils.logging import disable_progress_bar

from leash import console
from leash.errors import InputError
from leash.training.spec import TrainingSpec
from leash.training.work import WorkFolder


def prepare_torch(spec: TrainingSpec) -> None:
    """Fix what the weights depend on besides the data: threads, seeds, deterministic kernels."""
    torch.set_num_threads(spec.threads)
    torch.use_deterministic_algorithms(True, warn_only=True)
    # It would also fill every new buffer; TRL's loss allocates large ones, and a step would take 10 times as long.
    torch.utils.deterministic.fill_uninitialized_memory = False
    set_seed(spec.seed)
    disable_progress_bar()


def load_folder(folder: Path, padding_side: str) -> tuple[Any, Any]:
    """Model (float32) and tokenizer of a local Hugging Face folder; nothing is asked of the network.

    Raises InputError for a folder that holds no model.
    """
    if not (folder / "config.json").exists():
        raise InputError(f"--init {folder}: holds no model (no config.json); train the base first")
    try:
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, padding_side=padding_side)
    except (OSError, ValueError) as error:
        raise InputError(f"--init {folder}: no whole model folder ({error}); make it again") from error
    return model, tokenizer


def common_arguments(spec: TrainingSpec, work: WorkFolder) -> dict[str, Any]:
    """Arguments of both TRL configs: one epoch in the order given, states every so often, no reporting."""
    return {
        "output_dir": str(work.states),
        "max_steps": spec.steps,
        "learning_rate": spec.learning_rate,
        "warmup_steps": spec.warmup_steps,
        "adam_beta1": 0.9,
        "adam_beta2": 0.98,
        "max_grad_norm": 1.0,
        "seed": spec.seed,
        "use_cpu": not torch.cuda.is_available(),
        "bf16": False,
        "gradient_checkpointing": False,
        "save_strategy": "steps",
        "save_steps": spec.state_every(),
        "report_to": "none",
        "disable_tqdm": True,
        "dataloader_num_workers": 0,
        "dataloader_pin_memory": torch.cuda.is_available(),
    }


class Keeper(TrainerCallback):  # type: ignore[misc]  # transformers is untyped here
    """Marks states whole, keeps wanted models, and prints progress.

    `models` maps a step to the name its model is kept under; `metric` is the key of a log entry to print.
    """

    def __init__(
        self,
        work: WorkFolder,
        tokenizer: Any,
        models: dict[int, str],
        progress: console.Progress,
        metric: str,
    ) -> None:
        self._work, self._tokenizer, self._models = work, tokenizer, models
        self._progress, self._metric = progress, metric
        self._note = ""
        self._began, self._before = time.monotonic(), 0.0

    def resumed_after(self, seconds: float) -> None:
        """Count the seconds of the attempts before this one."""
        self._before = seconds

    def seconds(self) -> float:
        """Seconds trained, over all attempts."""
        return self._before + time.monotonic() - self._began

    def on_train_begin(self, _args: Any, state: Any, _control: Any, **_kwargs: Any) -> None:
        self._progress.update(state.global_step)

    def on_log(self, _args: Any, _state: Any, _control: Any, logs: dict[str, float], **_kwargs: Any) -> None:
        if self._metric in logs:
            self._note = f"{self._metric} {float(logs[self._metric]):.3f}"

    def on_step_end(self, _args: Any, state: Any, control: Any, **_kwargs: Any) -> Any:
        self._progress.update(state.global_step, self._note)
        # A wanted model is taken from a state, so that a kill right after it loses neither.
        if state.global_step in self._models or state.global_step == state.max_steps:
            control.should_save = True
        return control

    def on_save(self, _args: Any, state: Any, _control: Any, model: Any = None, **_kwargs: Any) -> None:
        if state.global_step in self._models:
            save = _saver(model, self._tokenizer)
            self._work.add_model(self._models[state.global_step], save)
        self._work.mark_whole(self._work.states / f"checkpoint-{state.global_step}", self.seconds())


def _saver(model: Any, tokenizer: Any) -> Callable[[Path], None]:
    def save(folder: Path) -> None:
        # SFTTrainer turns the cache off for training; whoever generates with the model wants it.
        model.config.use_cache = True
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)

    return save


def run_trainer(trainer: Any, work: WorkFolder, keeper: Keeper, out: Any) -> list[dict[str, float]]:
    """Train to the last step, from the last whole state if there is one; return the log of all attempts."""
    found = work.last_whole()
    resume = None
    if found is not None:
        resume, seconds = found
        keeper.resumed_after(seconds)
        print(f"training: going on from {resume.name} of {work.folder}", file=out)
    trainer.train(resume_from_checkpoint=str(resume) if resume else None)
    history: list[dict[str, float]] = trainer.state.log_history
    return history
