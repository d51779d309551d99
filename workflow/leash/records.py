"""The schema of every file kind, and the only functions that read and write them.

A file is written beside its place under a temporary name and renamed, so a reader sees a whole file or
none. A reader checks the columns, streams row groups, and names the file it could not read.
"""

import errno
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from leash.errors import InputError

Row = dict[str, Any]

OUTCOMES: Final = ("correct", "wrong", "no_answer", "truncated", "verifier_timeout", "verifier_error")
UNSOLVED_OUTCOMES: Final = OUTCOMES[1:]

QUESTIONS: Final = pa.schema(
    [
        ("question_id", pa.string()),
        ("question", pa.string()),
        ("gold", pa.list_(pa.string())),
        ("prompt", pa.string()),
        ("metadata", pa.string()),
    ]
)
SAMPLES: Final = pa.schema(
    [
        ("question_id", pa.string()),
        ("sample_index", pa.int32()),
        ("completion", pa.string()),
        ("finish_reason", pa.string()),
        ("n_tokens", pa.int32()),
        ("token_ids", pa.list_(pa.int32())),
    ]
)
SCORED_SAMPLES: Final = SAMPLES.append(pa.field("score", pa.float64()))  # recorded, with a verdict of another
VERDICTS: Final = pa.schema(
    [
        ("question_id", pa.string()),
        ("sample_index", pa.int32()),
        ("outcome", pa.string()),
        ("answer", pa.string()),
        ("extracted", pa.string()),
        ("rule", pa.string()),
        ("seconds", pa.float32()),
    ]
)
# null in counts: not known, as recorded results may not say it
COUNTS: Final = pa.schema(
    [
        ("question_id", pa.string()),
        ("n", pa.int32()),
        ("correct", pa.int32()),
        ("first_correct", pa.int32()),
        ("distinct_correct", pa.int32()),
        *((outcome, pa.int32()) for outcome in UNSOLVED_OUTCOMES),
    ]
)
SOLUTIONS: Final = pa.schema(
    [
        ("question_id", pa.string()),
        ("answer", pa.string()),
        ("samples", pa.int32()),
    ]
)
AGREEMENT: Final = pa.schema(
    [
        ("question_id", pa.string()),
        ("scored", pa.int32()),
        ("both", pa.int32()),
        ("recorded_only", pa.int32()),
        ("verified_only", pa.int32()),
        ("neither", pa.int32()),
        ("first_differing", pa.int32()),
    ]
)
_SIDE: Final = [*(field for field in COUNTS if field.name != "question_id")]
REGIONS: Final = pa.schema(
    [
        ("question_id", pa.string()),
        ("region", pa.string()),
        *(
            (side + field.name, field.type)
            for side in ("base_", "target_")
            for field in _SIDE
            if field.name != "distinct_correct"
        ),
        # Clopper-Pearson, 95 %: what a state's count says of its rate; of none correct, an upper bound
        *((f"{side}_rate_{end}", pa.float64()) for side in ("base", "target") for end in ("low", "high")),
    ]
)
TAIL: Final = pa.schema(
    [
        ("question_id", pa.string()),
        ("region", pa.string()),
        ("side", pa.string()),
        ("correct", pa.int32()),
        ("sample_index", pa.int32()),
        ("samples", pa.int32()),
        ("extracted", pa.string()),
        ("rule", pa.string()),
        ("gold", pa.list_(pa.string())),
        ("opinion", pa.string()),
        ("how", pa.string()),
    ]
)
CORPUS: Final = pa.schema(
    [
        ("question_id", pa.string()),
        ("benchmark", pa.string()),
        ("style", pa.string()),
        ("prompt", pa.string()),
        ("completion", pa.string()),
    ]
)

TRACES: Final = pa.schema(
    [
        ("question_id", pa.string()),
        ("source", pa.string()),
        ("index", pa.int32()),
        ("trace", pa.string()),
    ]
)
# In nats, summed over tokens. The note "windows" says after how many tokens each element of tail_loglik begins.
TOKENS: Final = pa.schema(
    [
        ("question_id", pa.string()),
        ("kind", pa.string()),  # completion, trace, or question: its text alone
        ("source", pa.string()),
        ("index", pa.int32()),
        ("n_tokens", pa.int32()),
        ("loglik", pa.float64()),
        ("entropy", pa.float64()),
        ("tail_loglik", pa.list_(pa.float64())),
        ("token_loglik", pa.list_(pa.float16())),
        ("token_entropy", pa.list_(pa.float16())),
        ("problem", pa.string()),  # why it was not scored
        ("cut", pa.bool_()),  # scored to the end of the model's context only
    ]
)
# One row per question, over its first samples. In nats, tokens, samples.
ENTROPY: Final = pa.schema(
    [
        ("question_id", pa.string()),
        ("samples", pa.int32()),
        ("correct", pa.int32()),
        ("n_tokens", pa.float64()),  # mean length of the scored completions
        ("scored", pa.int32()),
        ("token_entropy", pa.float64()),  # mean over the tokens of a completion, then over completions
        ("answer_entropy", pa.float64()),
        ("answer_entropy_mm", pa.float64()),  # with the correction of Miller and Madow
        ("distinct_answers", pa.int32()),  # NA is none
        ("na", pa.int32()),  # no answer, or truncated: together one class
        ("unclassified", pa.int32()),  # a verifier timeout or error: in no class
    ]
)
# One row per trace; negative log-likelihoods in nats per token, null where not scored. Its note "windows" as in TOKENS.
PERPLEXITY: Final = pa.schema(
    [
        ("question_id", pa.string()),
        ("source", pa.string()),
        ("index", pa.int32()),
        ("n_tokens", pa.int32()),
        ("nll", pa.float64()),
        ("tail_nll", pa.list_(pa.float64())),  # of the tokens after each window
        ("question_nll", pa.float64()),  # of the question's text alone
        ("problem", pa.string()),
        ("cut", pa.bool_()),
    ]
)

_NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it into place when the block ends well.

    Raises InputError where the disk is full: the temporary file is removed and every finished file stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(path)
    except OSError as error:
        if error.errno in _NO_SPACE or "No space left" in str(error):
            raise InputError(
                f"{path}: no space left to write it ({error}); free some space and run again: "
                "every finished file is kept"
            ) from error
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write(path: Path, schema: pa.Schema, rows: Iterable[Row], group: int = 16_384) -> int:
    """Write rows as zstd Parquet in groups of `group` rows; return how many there were."""
    total = 0
    with replacing(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
        batch: list[Row] = []
        for row in rows:
            batch.append(row)
            if len(batch) == group:
                writer.write_table(pa.Table.from_pylist(batch, schema=schema))
                total += len(batch)
                batch = []
        if batch or not total:
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
            total += len(batch)
    return total


def stream(path: Path, schema: pa.Schema, columns: list[str] | None = None) -> Iterator[Row]:
    """Rows of a file, one row group in memory at a time.

    Raises InputError for a file that is missing, is not whole Parquet, or lacks a column of `schema`.
    """
    with _explained(path):
        opened = pq.ParquetFile(path)
    with opened:
        _check_columns(path, opened.schema_arrow, schema)
        for index in range(opened.num_row_groups):
            with _explained(path):
                rows = opened.read_row_group(index, columns=columns).to_pylist()
            yield from rows


def read(path: Path, schema: pa.Schema, columns: list[str] | None = None) -> list[Row]:
    """All rows of a small file (questions, counts, regions); the same errors as `stream`."""
    return list(stream(path, schema, columns))


def note(path: Path, name: str) -> Any:
    """What a file's writer noted under a name, as JSON, in the schema's metadata; None where it noted nothing."""
    with _explained(path):
        metadata = pq.read_schema(path).metadata or {}
    text = metadata.get(name.encode())
    return None if text is None else json.loads(text)


def read_by_question(path: Path, schema: pa.Schema) -> dict[str, Row]:
    """Rows keyed by question_id, in file order. Raises InputError that lists duplicate ids."""
    rows: dict[str, Row] = {}
    duplicates = []
    for row in stream(path, schema):
        if row["question_id"] in rows:
            duplicates.append(row["question_id"])
        rows[row["question_id"]] = row
    if duplicates:
        raise InputError(f"{path}: question_id stands more than once: {listed(duplicates)}; {_remade(path)}")
    return rows


def write_json(path: Path, value: object) -> None:
    """Write JSON with sorted keys and NaN as null, atomically."""
    text = json.dumps(_nan_to_null(value), indent=1, sort_keys=True, allow_nan=False, ensure_ascii=False)
    write_text(path, text + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def read_json(path: Path) -> Any:
    """Parse a JSON file; a missing or broken one is an InputError that names it."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path}: not there; run the workflow again to make it") from error
    except ValueError as error:
        raise InputError(f"{path}: not valid JSON ({error}); {_remade(path)}") from error


def parse_spec(text: str) -> Any:
    """The JSON of a stage's --spec argument. Raises InputError where it is none."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"--spec: not valid JSON ({error}); give one JSON object") from error


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, as `sha256sum` prints it."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def listed(names: Iterable[str], most: int = 5) -> str:
    """Names for an error message: the first few, and how many more."""
    names = list(names)
    tail = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + tail


def canonical_json(value: object) -> str:
    """One spelling per value: sorted keys, no spaces, no NaN. What a rule's `spec` is written in."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=True)


def _remade(path: Path) -> str:
    # By name, since a plain run leaves an intermediate file out where all that was made from it is there.
    return f"delete it and run again with it as the target (snakemake {path}): only it is remade"


def _nan_to_null(value: object) -> object:
    if isinstance(value, dict):
        return {key: _nan_to_null(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_nan_to_null(item) for item in value]
    return None if isinstance(value, float) and value != value else value


def _check_columns(path: Path, found: pa.Schema, wanted: pa.Schema) -> None:
    missing = [field.name for field in wanted if field.name not in found.names]
    if missing:
        raise InputError(f"{path}: lacks the columns {listed(missing)}; {_remade(path)}")
    mistyped = [field.name for field in wanted if not found.field(field.name).type.equals(field.type)]
    if mistyped:
        raise InputError(f"{path}: columns of another type: {listed(mistyped)}; {_remade(path)}")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{path}: not there; run the workflow again to make it") from error
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path}: not a whole Parquet file ({error}); {_remade(path)}") from error
