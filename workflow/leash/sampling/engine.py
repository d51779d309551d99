"""vLLM, in the job: prompts in, finished completions out as they come."""

import hashlib
import os
import platform
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Any, NamedTuple

from leash.errors import InputError
from leash.sampling.prompts import render
from leash.sampling.request import Completion, Request


class Source(NamedTuple):
    """Where weights are loaded from: a local folder, or a hub repository at a commit."""

    model: str
    revision: str | None


def prepare_environment(settings: dict[str, Any]) -> None:
    """Set what vLLM and OpenMP read when they are imported. Call it before `Engine`."""
    os.environ["OMP_NUM_THREADS"] = str(settings["threads"])
    os.environ["OMP_PROC_BIND"] = "false"
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0" if settings["in_process"] else "1"
    os.environ["VLLM_CPU_KVCACHE_SPACE"] = str(settings["cpu_kvcache_gib"])
    os.environ["VLLM_NO_USAGE_STATS"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


class Engine:
    """A loaded model that draws completions.

    `settings` are the fields of the config's sampling.engine block; `dtype` is apart, since it changes what
    is drawn. Raises InputError where the model cannot be loaded.
    """

    def __init__(self, source: Source, dtype: str, settings: dict[str, Any]) -> None:
        from vllm import LLM

        optional = {
            name: settings[name]
            for name in ("max_model_len", "max_num_batched_tokens", "enable_chunked_prefill")
            if settings[name] is not None
        }
        try:
            self._llm = LLM(
                model=source.model,
                revision=source.revision,
                tokenizer_revision=source.revision,
                dtype=dtype,
                seed=0,
                tensor_parallel_size=settings["tensor_parallel_size"],
                gpu_memory_utilization=settings["gpu_memory_utilization"],
                max_num_seqs=settings["max_num_seqs"],
                enforce_eager=settings["enforce_eager"],
                trust_remote_code=settings["trust_remote_code"],
                disable_log_stats=True,
                **optional,
            )
        except (OSError, ValueError) as error:
            raise InputError(
                f"{source.model}: vLLM cannot load this model ({type(error).__name__}: {error}); "
                "check the model's hub/path/revision and sampling.engine in the config"
            ) from error
        self._source = source
        self._max_num_seqs: int = settings["max_num_seqs"]

    @property
    def context(self) -> int:
        """Longest prompt plus completion, in tokens."""
        return int(self._llm.model_config.max_model_len)

    def render(self, prompt: str, chat_template: bool) -> list[int]:
        """Token ids of a prompt (`prompts.render`). Raises InputError where the tokenizer has no chat template."""
        return render(self._llm.get_tokenizer(), prompt, chat_template)

    def text(self, token_ids: list[int]) -> str:
        """The text of token ids, special tokens shown."""
        return str(self._llm.get_tokenizer().decode(token_ids, skip_special_tokens=False))

    def describe(self) -> dict[str, Any]:
        """The model, the hash of its chat template (None where it has none), versions and the device."""
        import torch

        template = self._llm.get_tokenizer().chat_template
        cuda = torch.cuda.is_available()
        return {
            "model": self._source._asdict(),
            "chat_template_sha256": hashlib.sha256(str(template).encode()).hexdigest() if template else None,
            "versions": {
                "python": platform.python_version(),
                "torch": torch.__version__,
                "transformers": version("transformers"),
                "vllm": version("vllm" if cuda else "vllm-cpu"),
            },
            "device": torch.cuda.get_device_name() if cuda else f"CPU ({platform.machine()})",
        }

    def draw(
        self, requests: Iterable[Request], temperature: float, top_p: float, max_tokens: int
    ) -> Iterator[tuple[Request, Completion]]:
        """Each request, its prompt as token ids, with its completion, in the order in which they finish.

        Only as many are taken, and are in the engine, as keep it full, so memory does not grow with their number.
        """
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        engine = self._llm.llm_engine
        waiting = iter(requests)
        running: dict[str, Request] = {}
        while True:
            while len(running) < 2 * self._max_num_seqs:
                request = next(waiting, None)
                if request is None:
                    break
                name = f"{request.sample_index}_{request.question_id}"
                running[name] = request
                engine.add_request(
                    name,
                    {"prompt_token_ids": request.prompt},
                    SamplingParams(
                        seed=request.seed,
                        temperature=temperature,
                        top_p=top_p,
                        max_tokens=max_tokens,
                        output_kind=RequestOutputKind.FINAL_ONLY,
                    ),
                )
            if not running:
                return
            for output in engine.step():
                if output.finished:
                    drawn = output.outputs[0]
                    ids = list(drawn.token_ids)
                    yield (
                        running.pop(output.request_id),
                        Completion(drawn.text, str(drawn.finish_reason), ids, len(ids)),
                    )
