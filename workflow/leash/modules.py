"""Which source files a stage consists of, so that a CPU rule can name them among its inputs.

Snakemake does not see what a shell command imports. `module_files("leash.counts")` is what makes an edit of
the metrics module rerun the metrics, and nothing else.
"""

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).parent.parent


@cache
def module_files(module: str) -> tuple[str, ...]:
    """Paths of a module and of all it imports from this package, by reading their syntax trees; sorted.

    For a package that runs with `python -m`, its __main__ counts too. Imports inside functions count. Paths are
    relative to the working directory, so that a study that is moved reruns nothing.
    """
    found: dict[str, Path] = {}
    waiting = [module, f"{module}.__main__"]
    while waiting:
        name = waiting.pop()
        path = _path(name)
        if path is None or name in found:
            continue
        found[name] = path
        waiting += [name.rpartition(".")[0], *_imports(name, path)]
    if module not in found:
        raise ModuleNotFoundError(module)
    return tuple(sorted(os.path.relpath(path) for path in found.values()))


def _path(name: str) -> Path | None:
    base = _ROOT.joinpath(*name.split("."))
    for path in (base / "__init__.py", base.with_suffix(".py")):
        if path.is_file():
            return path
    return None


def _imports(name: str, path: Path) -> Iterator[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    top = name.partition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parent = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                parent = ".".join([*above, *([parent] if parent else [])])
            names = [parent, *(f"{parent}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (one for one in names if one.partition(".")[0] == top)
