"""Files of scored tokens, read without holding one of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from leash import records
from leash.errors import InputError

TraceKey = tuple[str, str, int]
"""Question, source, and index among the traces of both."""

_AT_ONCE: Final = 64


def windows(path: Path) -> list[int]:
    """After how many tokens of a trace each tail begins. Raises InputError where the file does not say."""
    noted = records.note(path, "windows")
    if not isinstance(noted, list) or any(type(window) is not int or window < 1 for window in noted):
        raise InputError(
            f"{path}: its note 'windows' is {noted!r}, not a list of whole numbers; delete it and run again"
        )
    return noted


def trace_logliks(path: Path) -> Iterator[tuple[TraceKey, NDArray[np.float64]]]:
    """Log-likelihood of every token of every trace that was scored and kept them, a few traces in memory at a time.

    Raises InputError for a file that is not whole or lacks a column, and tokens that are not finite.
    """
    next(records.stream(path, records.TOKENS, ["kind"]), None)  # says what is wrong with a file that is none
    columns = ["question_id", "kind", "source", "index", "token_loglik"]
    try:
        with pq.ParquetFile(path) as opened:
            for batch in opened.iter_batches(_AT_ONCE, columns=columns):
                lists = batch.column("token_loglik")
                for row, (name, kind, source, index) in enumerate(
                    zip(*(batch.column(column).to_pylist() for column in columns[:-1]), strict=True)
                ):
                    if kind != "trace" or not lists[row].is_valid:
                        continue
                    values = lists[row].values.to_numpy(zero_copy_only=False).astype(np.float64)
                    if not np.all(np.isfinite(values)):
                        raise InputError(
                            f"{path}: question {name!r}, source {source!r}, trace {index}: a token's log-likelihood "
                            "is not finite; score it again"
                        )
                    yield (name, source, index), values
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"{path}: not a whole tokens file ({error}); delete it and run again with it as the target "
            f"(snakemake {path}): only it is remade"
        ) from error
