"""What a sampling job has drawn, sample by sample, so that one that dies loses only what was being drawn.

A part file lies beside the shard until the shard is verified: a workflow manager that dies after the job has ended, and
before it has recorded that, deletes the shard and asks for it again.

Each line is a record, the CRC-32 of its JSON before it: first how it is drawn, then, of each attempt, its engine and
the samples it finished.
"""

import errno
import json
import os
import sys
import time
import zlib
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from leash.errors import InputError
from leash.records import Row
from leash.sampling.provenance import differences, drawn_by, part_path
from leash.sampling.request import Completion, Request

FORMAT: Final = 1
_NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_ABSENT: Final = -1


@dataclass
class Attempt:
    """A process that drew: what its engine was (`facts`), and what it finished of this shard.

    Seconds: of the engine's start, and from then to its last sample, of this shard or not.
    """

    facts: dict[str, Any]
    engine_start: float
    drawing: float = 0.0
    samples: int = 0
    tokens: int = 0


class Part:
    """The part file of one shard: samples [spec.start, spec.stop) of the questions in `prompts`, in their order.

    Of a finished sample only its place in the file is held. A context manager, which closes the file.
    `done` and `tokens` count what is there of the shard, `open_questions` the questions that lack a sample.
    """

    def __init__(
        self, out: Path, spec: Mapping[str, Any], weights: Mapping[str, str], prompts: Mapping[str, str]
    ) -> None:
        """Take up what an earlier attempt has left, and say on stderr how much.

        weights: SHA-256 of a local model's files by name. prompts: text by question id; a sample drawn for another
        text is not taken for one of this shard. Raises InputError for a part file that is drawn otherwise.
        """
        self.path = part_path(out)
        self.attempts: list[Attempt] = []
        self.done = self.tokens = 0
        self._start: int = spec["start"]
        self._per_question: int = spec["stop"] - spec["start"]
        self._keep_token_ids: int = spec["token_ids"]
        self._place = {name: at for at, name in enumerate(prompts)}
        self._prompts = [zlib.crc32(text.encode()) for text in prompts.values()]
        self._offsets = array("q", [_ABSENT]) * self.total
        self._missing = array("l", [self._per_question]) * len(prompts)
        self.open_questions = len(prompts)
        self._header: dict[str, Any] = {
            "format": FORMAT,
            "weights": dict(weights),
            "spec": drawn_by(spec),
        }
        self._began = 0.0
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            self._end = self._take_up()
            if not self._end:
                self._append(self._header)
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    @property
    def total(self) -> int:
        """Samples of the shard."""
        return len(self._prompts) * self._per_question

    def missing(self) -> Iterator[tuple[str, int]]:
        """Question id and sample index of each sample that is not there, in order."""
        for question_id, place in self._place.items():
            first = place * self._per_question
            for offset in range(self._per_question):
                if self._offsets[first + offset] == _ABSENT:
                    yield question_id, self._start + offset

    def begin(self, facts: dict[str, Any], engine_start: float) -> None:
        """A new attempt begins to draw. Raises InputError where its model reads prompts otherwise than the last one."""
        if self.attempts:
            self._check_facts(self.attempts[-1].facts, facts)
        self._append({"attempt": {"facts": facts, "engine_start": engine_start}})
        self.attempts.append(Attempt(facts, engine_start))
        self._began = time.monotonic()

    def add(self, request: Request, completion: Completion) -> None:
        """Keep a finished sample. Raises InputError where the disk is full; what is finished is kept."""
        kept = completion.token_ids if request.sample_index < self._keep_token_ids else None
        record = {
            "question_id": request.question_id,
            "sample_index": request.sample_index,
            "completion": completion.text,
            "finish_reason": completion.finish_reason,
            "n_tokens": completion.n_tokens,
            "token_ids": kept,
            "prompt": self._prompts[self._place[request.question_id]],
            "seconds": round(time.monotonic() - self._began, 3),
        }
        self._count(record, self._append(record))

    def rows(self) -> Iterator[Row]:
        """Samples rows, in question order and then sample order, one in memory at a time; all must be there."""
        columns = ("question_id", "sample_index", "completion", "finish_reason", "n_tokens", "token_ids")
        with self.path.open("rb") as lines:
            for offset in self._offsets:
                lines.seek(offset)
                record = _decoded(lines.readline())
                if record is None:
                    raise InputError(
                        f"{self.path}: was changed while it was read; run again, which checks it"
                    )
                yield {name: record[name] for name in columns}

    def told_attempts(self) -> list[dict[str, Any]]:
        """The attempts for the provenance."""
        return [
            {key: value for key, value in asdict(one).items() if key != "facts"}
            | {key: one.facts[key] for key in ("device", "versions") if key in one.facts}
            for one in self.attempts
        ]

    def _take_up(self) -> int:
        """Read what is there, cut off what is damaged; the length of what stays."""
        others = end = 0
        otherwise: dict[str, Any] | None = None
        with self.path.open("rb") as lines:
            for line in lines:
                record = _decoded(line)
                if record is None:
                    self._cut(end, followers=sum(1 for _ in lines))
                    break
                if not end:
                    otherwise = record if record != self._header else None
                elif "attempt" in record:
                    self.attempts.append(Attempt(**record["attempt"]))
                elif otherwise:
                    raise InputError(self._drawn_otherwise(otherwise))
                else:
                    others += not self._count(record, end)
                end += len(line)
        if otherwise:  # and nothing was drawn yet: there is nothing to lose
            os.ftruncate(self._file, 0)
            self.attempts.clear()
            return 0
        if end:
            left = f"; {others:,} others in it are left aside" if others else ""
            print(
                f"{self.path}: kept {self.done:,} of {self.total:,} samples of an earlier attempt{left}",
                file=sys.stderr,
            )
        return end

    def _cut(self, end: int, followers: int) -> None:
        if followers:
            what = f"is damaged at byte {end:,}: this record and the {followers:,} after it"
        else:
            what = "ends in a record that was not written whole: it"
        print(f"{self.path}: {what} will be drawn again", file=sys.stderr)
        os.ftruncate(self._file, end)

    def _drawn_otherwise(self, found: dict[str, Any]) -> str:
        there, asked = (
            {key: value for key, value in header.items() if key != "spec"} | header["spec"]
            for header in (found, self._header)
        )
        return (
            f"{self.path}: the samples of an earlier attempt were drawn otherwise: {differences(there, asked)}. "
            "Go back to the old config (and the old weights) to go on with them, or delete this file to draw afresh"
        )

    def _check_facts(self, found: dict[str, Any], now: dict[str, Any]) -> None:
        same = found["first_prompt"]["question_id"] == now["first_prompt"]["question_id"]
        keys = ("chat_template_sha256", *(("first_prompt",) if same else ()))
        changed = differences(*({key: facts.get(key) for key in keys} for facts in (found, now)))
        if changed:
            raise InputError(
                f"{self.path}: the samples of an earlier attempt were drawn from other prompts: {changed}. Put the old "
                "tokenizer and chat template back to go on with them, or delete this file to draw afresh"
            )

    def _count(self, record: dict[str, Any], offset: int) -> bool:
        """Note where a sample lies; False where it is none of this shard, or one that is there already."""
        attempt = self.attempts[-1]
        attempt.drawing = record["seconds"]
        place = self._place.get(record["question_id"])
        at = record["sample_index"] - self._start
        if place is None or not 0 <= at < self._per_question or record["prompt"] != self._prompts[place]:
            return False
        cell = place * self._per_question + at
        if self._offsets[cell] != _ABSENT:
            return False
        self._offsets[cell] = offset
        self._missing[place] -= 1
        self.open_questions -= not self._missing[place]
        self.done += 1
        self.tokens += record["n_tokens"]
        attempt.samples += 1
        attempt.tokens += record["n_tokens"]
        return True

    def _append(self, record: dict[str, Any]) -> int:
        """Write a record at the end, in one write; where it begins."""
        # A lone surrogate, which a server may send, has no UTF-8: it becomes a question mark.
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        line = b"%08x %b\n" % (zlib.crc32(text), text)
        begins = self._end
        try:
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
        except OSError as error:
            os.ftruncate(self._file, begins)
            if error.errno not in _NO_SPACE:
                raise
            raise InputError(
                f"{self.path}: no space left to write it ({error}); the {self.done:,} finished samples are kept: free "
                "some space and run again, which draws the others"
            ) from error
        self._end += len(line)
        return begins


def _decoded(line: bytes) -> dict[str, Any] | None:
    """The record of a line; None where it is not whole."""
    if len(line) < 10 or line[8:9] != b" " or line[-1:] != b"\n":
        return None
    text = line[9:-1]
    if line[:8] != b"%08x" % zlib.crc32(text):
        return None
    record: dict[str, Any] = json.loads(text)
    return record
