"""What a scoring job has finished, batch by batch, so that one that was killed goes on where it was."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from leash import records
from leash.records import Row


class Parts:
    """A folder beside the output: one file per finished batch, and what they were made for.

    Batches have the numbers 0, 1, …; the same job makes the same batches. A part is whole or not there.
    """

    def __init__(self, out: Path, job: dict[str, Any]) -> None:
        """Take up the parts of this very job; throw away those of another one (other inputs, other settings)."""
        self._folder = out.with_name(f".{out.name}.parts")
        told = self._folder / "job.json"
        text = records.canonical_json(job)
        if self._folder.is_dir() and not (told.is_file() and told.read_text(encoding="utf-8") == text):
            print(f"{self._folder}: parts of another job are thrown away", file=sys.stderr)
            shutil.rmtree(self._folder)
        if not self._folder.is_dir():
            self._folder.mkdir(parents=True)
            records.write_text(told, text)
        self.kept = len(list(self._folder.glob("*.parquet")))
        if self.kept:
            print(f"{self._folder}: {self.kept} finished batches are kept", file=sys.stderr)

    def has(self, batch: int) -> bool:
        """Whether a batch is finished."""
        return self._path(batch).is_file()

    def add(self, batch: int, rows: Sequence[Row]) -> None:
        """Keep a finished batch."""
        records.write(self._path(batch), records.TOKENS, rows)

    def finish(self, out: Path, batches: int, notes: dict[str, str]) -> int:
        """Write the output from all parts, in order, one in memory at a time; then remove them. Rows written."""
        schema = records.TOKENS.with_metadata(notes)
        total = records.write(out, schema, self._rows(batches))
        shutil.rmtree(self._folder)
        return total

    def _rows(self, batches: int) -> Iterator[Row]:
        for batch in range(batches):
            yield from pq.read_table(self._path(batch)).to_pylist()

    def _path(self, batch: int) -> Path:
        return self._folder / f"{batch:07d}.parquet"
