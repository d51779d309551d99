"""What a reader needs to get the same questions again: the JSON beside a questions file."""

from importlib.metadata import version
from pathlib import Path

from leash.benchmarks import prompts, rows
from leash.records import Row, file_sha256


def provenance(spec: Row, questions: list[Row]) -> Row:
    """Source, number of questions, prompt template, and the version of the package that gave the questions.

    `spec` is a checked spec, and `questions` are the rows made from it.
    """
    source = _source(spec)
    template = spec.get("prompt")  # not known of recorded completions
    package = {"reasoning_gym": "reasoning_gym", "hub": "datasets", "folder": "datasets"}.get(source["kind"])
    return {
        "source": source,
        "questions": len(questions),
        "repeated_questions": rows.repeated(questions),
        "prompt": template
        and {
            "name": prompts.name_of(template),
            "template": template,
            "sha256": prompts.digest(template),
        },
        "versions": {package: version(package)} if package else {},
        "questions_version": spec["version"],
    }


def _source(spec: Row) -> Row:
    if "reasoning_gym" in spec:
        names = ("params", "seed")
        return {"kind": "reasoning_gym", "task": spec["reasoning_gym"]} | {name: spec[name] for name in names}
    if "file" in spec or "recorded" in spec:
        kind = "file" if "file" in spec else "recorded"
        path = spec[kind]
        return {
            "kind": kind,
            "path": path,
            "sha256": file_sha256(Path(path)),
            "columns": spec["columns"],
        }
    return {
        "kind": "folder" if Path(spec["hub"]).is_dir() else "hub",
        "dataset": spec["hub"],
        "config": spec["hub_config"],
        "split": spec["split"],
        "revision": spec["revision"],
        "columns": spec["columns"],
    }
