"""Verdicts on answers already judged, on disk: regrading costs the distinct answers that are new.

One SQLite file per benchmark. A key holds all that a verdict depends on: the verifier with its version and a
digest of its code and libraries, its options, the gold, the answer. So an edited verifier finds nothing of the
old one's. What was killed or raised is not kept: it is tried again.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from leash.errors import InputError
from leash.modules import module_files

_PATIENCE: Final = 120.0  # seconds to wait for another job's transaction
_BATCH: Final = 2000
_LIBRARIES: Final = ("mpmath", "reasoning-gym", "sympy")


class Judged(NamedTuple):
    """What a scored answer came to."""

    correct: bool
    how: str
    label: str


class Cache:
    """Judgements by key. `path` None keeps nothing. Several jobs may use one file at once.

    Raises InputError for a file that is no cache.
    """

    def __init__(self, path: Path | None) -> None:
        self._new: dict[bytes, Judged] = {}
        self._path = path
        self._database: sqlite3.Connection | None = None
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._database = sqlite3.connect(path, timeout=_PATIENCE)
            with self._database:
                self._database.execute(
                    "create table if not exists judged (key blob primary key, correct, how, label) without rowid"
                )
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"{path}: not a cache of verdicts ({error}); delete it: it is filled anew"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flush()
        if self._database is not None:
            self._database.close()

    def get(self, key: bytes) -> Judged | None:
        """What was judged before, or None."""
        if self._database is None:
            return None
        found = self._new.get(key)
        if found is not None:
            return found
        try:
            row = self._database.execute(
                "select correct, how, label from judged where key = ?", (key,)
            ).fetchone()
        except sqlite3.DatabaseError as error:
            raise InputError(f"{self._path}: broken ({error}); delete it: it is filled anew") from error
        return None if row is None else Judged(bool(row[0]), row[1], row[2])

    def put(self, key: bytes, judged: Judged) -> None:
        """Keep a judgement; written in batches."""
        if self._database is None:
            return
        self._new[key] = judged
        if len(self._new) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what is not written yet."""
        if self._database is None or not self._new:
            return
        rows = [(key, *judged) for key, judged in self._new.items()]
        try:
            with self._database:
                self._database.executemany("insert or ignore into judged values (?, ?, ?, ?)", rows)
        except (
            sqlite3.OperationalError
        ) as error:  # another job holds it, or the disk is full: a cache may miss
            if "locked" not in str(error) and "full" not in str(error):
                raise
        self._new.clear()


def fingerprint(verifier: str, number: int) -> str:
    """The verifier's name and version, and a digest of its code and of the libraries it rests on."""
    digest = hashlib.sha256()
    for path in module_files("leash.verify.assess"):
        digest.update(Path(path).read_bytes())
    for library in _LIBRARIES:
        digest.update(f"{library} {version(library)}".encode())
    return f"{verifier} {number} {digest.hexdigest()[:16]}"


def key(context: str, gold: Iterable[str], answer: str, together: str | None) -> bytes:
    """The key of an answer; `context` is the fingerprint with the options that a verdict depends on."""
    text = json.dumps([context, list(gold), answer, together], ensure_ascii=True)
    return hashlib.sha256(text.encode()).digest()
