"""Rows of a dataset on the Hugging Face hub, or of a local dataset folder, through `datasets.load_dataset`.

An example row of HuggingFaceH4/MATH-500: {"problem": "Convert the point …", "answer": "…", "unique_id": "…"}.
"""

from leash.errors import InputError
from leash.records import Row


def read(benchmark: str, path: str, config: str | None, split: str, revision: str) -> list[Row]:
    """All rows of one split, in its order, media cells as their bytes.

    Raises InputError that names the benchmark, the key and the remedy for whatever keeps the dataset from
    being loaded: no network, a path, commit, configuration or split that is not there, files it cannot read.
    """
    import datasets  # on first use: it takes 1 s

    try:
        dataset = datasets.load_dataset(path, config, split=split, revision=revision)
    except Exception as error:  # its builders raise what they like
        key, remedy = _remedy(error)
        raise InputError(
            f"benchmarks.{benchmark}.{key}: {path} (hub_config {config}, split {split}, revision {revision}) "
            f"cannot be loaded: {type(error).__name__}: {error}; {remedy}"
        ) from error
    rows: list[Row] = dataset.to_list()
    return rows


def _remedy(error: Exception) -> tuple[str, str]:
    """The key at fault, as far as the error tells, and what to do."""
    text = str(error)
    if isinstance(error, ConnectionError):
        return "hub", "the first load needs the network; without it, give a local folder or use file"
    if isinstance(error, ValueError) and "split" in text:
        return "split", "name a split that the dataset has"
    if isinstance(error, ValueError) and "onfig" in text:
        return "hub_config", "name a configuration that the dataset has"
    return "hub", "check hub, revision and hub_config, and that you may read the dataset"
