"""The schema of the config and the reference of its keys, written from the models in leash.config.

python -m leash.reference --schema workflow/schemas/config.schema.yaml --readme config/README.md
"""

import argparse
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import yaml
from pydantic.fields import FieldInfo

from leash.config import (
    Architecture,
    Benchmark,
    Block,
    Columns,
    Cost,
    Dapo,
    Endpoint,
    Engine,
    Model,
    Pretrain,
    Recorded,
    RecordedColumns,
    Run,
    Sampling,
    Scoring,
    Sft,
    Split,
    Study,
    TraceColumns,
    Traces,
    Training,
)
from leash.errors import exits_cleanly

REFERENCE_MARKER = "<!-- Below: written by `python -m leash.reference`. -->"


def schema_text() -> str:
    """JSON schema of the config, as YAML: what workflow/schemas/config.schema.yaml holds."""
    return yaml.safe_dump(Study.model_json_schema(), sort_keys=True, allow_unicode=True, width=100)


def reference() -> str:
    """Every key of every block as Markdown tables: the part of config/README.md that is not prose."""
    sections = []
    for path, block in _blocks():
        rows = [
            f"| `{name}` | {_type(field.annotation)} | {_default(field)} | {_meaning(field)} |"
            for name, field in block.model_fields.items()
        ]
        head = [
            f"### `{path}`\n",
            f"{_first_line(block)}\n",
            "| key | value | default | meaning |",
            "|---|---|---|---|",
        ]
        sections.append("\n".join([*head, *rows]) + "\n")
    return "\n".join(sections)


def _blocks() -> list[tuple[str, type[Block]]]:
    return [
        ("(top level)", Study),
        ("run", Run),
        ("models.<slug>", Model),
        ("models.<slug>.train (recipe: pretrain)", Pretrain),
        ("models.<slug>.train.architecture", Architecture),
        ("models.<slug>.train (recipe: dapo)", Dapo),
        ("models.<slug>.train (recipe: sft)", Sft),
        ("models.<slug>.endpoint", Endpoint),
        ("models.<slug>.recorded.<benchmark>", Recorded),
        ("models.<slug>.recorded.<benchmark>.columns", RecordedColumns),
        ("benchmarks.<slug>", Benchmark),
        ("benchmarks.<slug>.columns", Columns),
        ("benchmarks.<slug>.traces.<source>", Traces),
        ("benchmarks.<slug>.traces.<source>.columns", TraceColumns),
        ("benchmarks.<slug>.training", Training),
        ("benchmarks.<slug>.training.train, .rl", Split),
        ("sampling", Sampling),
        ("sampling.engine", Engine),
        ("scoring", Scoring),
        ("cost", Cost),
    ]


def _first_line(block: type[Block]) -> str:
    return (block.__doc__ or "").strip().splitlines()[0]


def _type(annotation: Any) -> str:
    if isinstance(annotation, type) and issubclass(annotation, Block):
        return "block"
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(arguments[0])
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in arguments)
    if origin in (Union, UnionType):
        kinds = [_type(one) for one in arguments if one is not NoneType]
        return " or ".join(dict.fromkeys(kinds))
    if origin is list:
        return f"list of {_type(arguments[0])}"
    if origin is dict:
        return f"{{name: {_type(arguments[1])}}}"
    return {str: "text", int: "whole number", float: "number", bool: "true, false", Path: "path"}.get(
        annotation, "any"
    )


def _meaning(field: FieldInfo) -> str:
    return " ".join((field.description or "").split())


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default_factory_takes_validated_data:
        return "depends"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ({}, []):
        return "—"
    return (
        "its defaults"
        if isinstance(value, Block)
        else f"`{str(value).lower() if value in (True, False) else value}`"
    )


@exits_cleanly
def main() -> None:
    """Bring the schema and the key reference in step with the models of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schema", type=Path, required=True, help="YAML file to write")
    parser.add_argument("--readme", type=Path, required=True, help="its part after the marker is replaced")
    arguments = parser.parse_args()
    arguments.schema.write_text(schema_text(), encoding="utf-8")
    prose = arguments.readme.read_text(encoding="utf-8").partition(REFERENCE_MARKER)[0]
    arguments.readme.write_text(prose + REFERENCE_MARKER + "\n\n" + reference(), encoding="utf-8")


if __name__ == "__main__":
    main()
