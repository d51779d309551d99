"""The source files that a rule depends on."""

from pathlib import Path

import pytest

from leash.modules import module_files


def names(module: str) -> set[str]:
    return {Path(path).stem for path in module_files(module)} - {"__init__"}


def test_the_metrics_stage_holds_its_mathematics_and_not_the_verifier() -> None:
    assert {"metrics", "regions", "passk", "records"} <= names("leash.metrics")
    assert not {"gym", "pool", "engine"} & names("leash.metrics")


def test_a_package_brings_its_main_and_what_that_imports() -> None:
    assert {"__main__", "extract", "gym", "pool"} <= names("leash.verify")


def test_no_cpu_stage_depends_on_the_config_or_the_specs() -> None:
    stages = ("verify", "counts", "match", "tail", "metrics", "pooling", "tables", "tables.tail", "figures")
    for stage in stages:
        assert not {"config", "loading", "specs", "study"} & names(f"leash.{stage}"), stage


def test_the_second_opinion_is_no_part_of_verification_or_counting() -> None:
    assert "answers" in names("leash.tail")
    for stage in ("verify", "counts", "match", "metrics", "tables.tail"):
        assert not [path for path in module_files(f"leash.{stage}") if "opinion" in path], stage


def test_figures_and_tables_do_not_depend_on_each_other() -> None:
    assert not [path for path in module_files("leash.figures") if "/tables/" in path]
    assert not [path for path in module_files("leash.tables") if "/figures/" in path]


def test_a_module_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"leash\.metricks"):
        module_files("leash.metricks")
