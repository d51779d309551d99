"""The work folder of a training: what it is for, its resumable states, its finished models.

WORK/identity.json          spec and hashes of the inputs; another identity starts afresh
WORK/states/checkpoint-N/   a trainer's state; `whole.json`, written last, tells it from a torn one
WORK/models/NAME/           finished models, complete before they get their name
"""

import hashlib
import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Final, TextIO

from leash import records
from leash.processes import sole_owner

_WHOLE: Final = "whole.json"


def sha256_of(path: Path) -> str:
    """Hash of a file, or of a folder's files with their names."""
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if not file.is_file():
            continue
        digest.update(f"{file.relative_to(path)} {records.file_sha256(file)}\n".encode())
    return digest.hexdigest()


class WorkFolder:
    """The states and models of one training, under one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.states = folder / "states"
        self.models = folder / "models"

    def locked(self) -> AbstractContextManager[None]:
        """Hold the folder for this process. Raises InputError while another process holds it."""
        return sole_owner(self.folder)

    def claim(self, identity: records.Row, console: TextIO) -> None:
        """Keep what is there if it is of the same training; else remove it, and say so."""
        path = self.folder / "identity.json"
        known = records.read_json(path) if path.exists() else None
        if known != identity:
            if self.states.exists() or self.models.exists():
                changed = _changed(known or {}, identity)
                print(
                    f"training: {self.folder} holds another training ({changed}); starting afresh",
                    file=console,
                )
            for folder in (self.states, self.models):
                shutil.rmtree(folder, ignore_errors=True)
            records.write_json(path, identity)
        self.states.mkdir(parents=True, exist_ok=True)
        self.models.mkdir(parents=True, exist_ok=True)

    def last_whole(self) -> tuple[Path, float] | None:
        """The newest whole state and the seconds trained up to it; torn states are removed."""
        whole = []
        for state in self.states.glob("checkpoint-*"):
            if (state / _WHOLE).exists():
                whole.append((int(state.name.removeprefix("checkpoint-")), state))
            else:
                shutil.rmtree(state)
        if not whole:
            return None
        _, state = max(whole)
        return state, float(records.read_json(state / _WHOLE)["seconds"])

    def mark_whole(self, state: Path, seconds: float) -> None:
        """Declare a state whole, then remove those before it."""
        records.write_json(state / _WHOLE, {"seconds": seconds})
        for other in self.states.glob("checkpoint-*"):
            if other != state:
                shutil.rmtree(other)

    def add_model(self, name: str, save: Callable[[Path], Any]) -> None:
        """Let `save` fill a folder, then give it its name."""
        _place(self.models / name, save)

    def publish(self, names: list[str], out: Path) -> None:
        """Move copies of the named models to `out`, each by one rename.

        Copies (hard links where the file system has them), so that a kill in between loses nothing.
        """
        for name in names:
            _place(out / name, partial(_link_tree, self.models / name))

    def clear(self) -> None:
        """Remove states and models; the training is done."""
        for folder in (self.states, self.models):
            shutil.rmtree(folder, ignore_errors=True)
        (self.folder / "identity.json").unlink(missing_ok=True)


def _place(target: Path, fill: Callable[[Path], Any]) -> None:
    """Fill a folder beside `target` and rename it there, in place of what stood there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.tmp")
    shutil.rmtree(unfinished, ignore_errors=True)
    fill(unfinished)
    if target.exists():
        shutil.rmtree(target)
    unfinished.rename(target)


def _link_tree(source: Path, place: Path) -> None:
    shutil.copytree(source, place, copy_function=_link_or_copy)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)
    os.utime(target)  # made now, for whoever compares it with its inputs


def _changed(known: records.Row, identity: records.Row) -> str:
    """Which entries of two identities differ, for a person."""
    differing = []
    for part in sorted({*known, *identity}):
        old, new = known.get(part, {}), identity.get(part, {})
        differing += [f"{part} {key}" for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
    return "other " + records.listed(differing) if differing else "no record of which"
