"""What a job's spec depends on, and what it does not."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from leash import specs
from leash.benchmarks.prompts import TEMPLATES
from leash.config import Study
from leash.errors import InputError
from leash.loading import load
from leash.sampling.plan import Shard
from leash.study import State, comparisons

DEFAULT = Path(__file__).parents[2] / "config/config.yaml"
DAPO = State("dapo", "step20")
SHARD = Shard(0, 0, 0, 256)


def study(**changes: object) -> Study:
    raw: dict[str, Any] = yaml.safe_load(DEFAULT.read_text())
    for dotted, value in changes.items():
        *parents, last = dotted.split("__")
        block = raw
        for key in parents:
            block = block[key]
        block[last] = value
    return load(raw)


def all_specs(of: Study) -> dict[str, str]:
    return {
        "questions": specs.questions(of, "gcd"),
        "rl questions": specs.questions(of, "gcd", "rl"),
        "corpus": specs.corpus(of, "base"),
        "sft corpus": specs.corpus(of, "sft"),
        "train base": specs.train(of, "base"),
        "train dapo": specs.train(of, "dapo"),
        "sample": specs.sample(of, DAPO, "gcd", SHARD),
        "verify": specs.verification(of, "gcd"),
        "tail": specs.tail(of, "gcd"),
        "metrics": specs.metrics(of, comparisons(of)[0], "gcd"),
        "show": specs.presentation(of, comparisons(of)),
    }


@pytest.mark.parametrize(
    ("changes", "touched"),
    [
        ({"models__dapo__label": "Another"}, {"show"}),
        ({"benchmarks__gcd__label": "Another"}, {"show"}),
        ({"models__dapo__checkpoint_labels": {"step20": "early"}}, {"show"}),
        ({"sampling__engine__max_num_seqs": 8}, set()),
        ({"benchmarks__gcd__temperature": 1.0}, {"sample"}),
        ({"benchmarks__countdown__temperature": 1.0}, set()),
        ({"sampling__max_tokens": 91}, {"sample"}),
        ({"sampling__engine__dtype": "bfloat16"}, {"sample"}),
        ({"benchmarks__gcd__verifier_timeout": 3.0}, {"verify"}),
        ({"benchmarks__gcd__domain": "numbers"}, {"metrics"}),
        ({"benchmarks__gcd__budget": 512}, {"metrics"}),
        ({"benchmarks__gcd__seed": 1}, {"questions"}),
        ({"benchmarks__gcd__training__rl": {"seed": 1, "size": 400}}, {"rl questions"}),
        ({"models__dapo__train__rollouts": 4}, {"train dapo"}),
        ({"models__base__train__steps": 2}, {"train base"}),
        ({"seed": 1}, {"corpus", "sft corpus", "train base", "train dapo", "sample"}),
    ],
    ids=str,
)
def test_a_change_touches_exactly_what_depends_on_it(changes: dict[str, object], touched: set[str]) -> None:
    before, after = all_specs(study()), all_specs(study(**changes))
    assert {name for name in before if before[name] != after[name]} == touched


FILE: dict[str, Any] = {"domain": "math", "file": "data/mine.jsonl", "size": 2, "budget": 256}
COLUMNS = '"columns":{"gold":"answer","id":null,"metadata":[],"question":"question","unit":null}'


def test_the_questions_spec_of_a_task_stays_as_it_was() -> None:
    # Another text would make every user's questions, and so their samples, again.
    assert specs.questions(study(), "gcd") == (
        '{"params":{"max_numbers":2,"max_value":99,"min_numbers":2,"min_value":2},"prompt":"{question}",'
        '"reasoning_gym":"gcd","seed":50000000,"size":50,"version":1}'
    )


def test_the_questions_spec_of_a_file_and_of_a_hub_dataset() -> None:
    hub = {key: value for key, value in FILE.items() if key != "file"} | {"hub": "a/b", "revision": "c1"}
    of = study(benchmarks__mine=FILE, benchmarks__hub=hub | {"split": "train", "prompt": "Q: {question}"})
    assert specs.questions(of, "mine") == (
        f'{{"benchmark":"mine",{COLUMNS},"file":"data/mine.jsonl","prompt":"{{question}}","size":2,"version":1}}'
    )
    assert specs.questions(of, "hub") == (
        f'{{"benchmark":"hub",{COLUMNS},"hub":"a/b","hub_config":null,"prompt":"Q: {{question}}",'
        '"revision":"c1","size":2,"split":"train","version":1}'
    )


def test_a_named_template_and_its_text_are_the_same_spec() -> None:
    named = specs.questions(study(benchmarks__mine=FILE | {"prompt": "boxed"}), "mine")
    text = specs.questions(study(benchmarks__mine=FILE | {"prompt": TEMPLATES["boxed"]}), "mine")
    assert named == text != specs.questions(study(benchmarks__mine=FILE), "mine")


def test_the_presentation_keeps_the_order_of_the_config() -> None:
    shown = yaml.safe_load(specs.presentation(study(), comparisons(study())))
    assert list(shown["models"]) == ["base", "dapo", "sft"]
    assert list(shown["benchmarks"]) == ["countdown", "prime-factorization", "chain-sum", "gcd"]
    assert shown["checkpoints"]["dapo/step20"] == "step 20"
    assert shown["checkpoints"]["base/final"] == ""


def test_solutions_are_of_open_ended_tasks_alone() -> None:
    shown = yaml.safe_load(specs.solutions(study()))
    assert shown["budgets"] == {"countdown": 256}
    assert shown["solutions"] == [[*pair.target, "countdown"] for pair in comparisons(study())]
    assert shown["bases"]["sft/final"] == "base/final"


def test_what_is_repeated_of_the_paper_is_told_to_the_tables_alone() -> None:
    plain = all_specs(study())
    of = study(
        models__dapo__published={"step20": "deepseek-1.5b-dapo/30"}, benchmarks__gcd__published="AIME2024"
    )
    assert all_specs(of) == plain
    assert yaml.safe_load(specs.tables(of, comparisons(of))) == yaml.safe_load(plain["show"]) | {
        "published": {
            "comparisons": {"dapo/step20": {"pair": "deepseek-1.5b-dapo", "step": 30}},
            "benchmarks": {"gcd": "AIME2024"},
        }
    }


@pytest.mark.parametrize(
    "changes", [{}, {"models__sft__published": "ovr-7b"}, {"benchmarks__gcd__published": "AIME2024"}], ids=str
)
def test_the_tables_spec_stays_as_it_was_where_nothing_is_repeated(changes: dict[str, object]) -> None:
    of = study(**changes)
    assert specs.tables(of, comparisons(of)) == specs.presentation(study(), comparisons(study()))
    assert specs.of_paper(of, comparisons(of)) == {}


def test_the_weights_of_a_state_are_told_by_commit_folder_or_training(micro_model: Path) -> None:
    base = {"base": "hub"}
    of = study(
        models__hub={"hub": "a/b", "revision": "c1"},
        models__several={"hub": "a/b", "checkpoints": {"v1": "c2", "v2": "c3"}} | base,
        models__folder={"path": str(micro_model)} | base,
        models__folders={"path": str(micro_model.parent), "checkpoints": {"v1": micro_model.name}} | base,
    )
    told = {
        state: yaml.safe_load(specs.sample(of, State(*state.split("/")), "gcd", SHARD))["model"]
        for state in ("hub/final", "several/v2", "folder/final", "folders/v1", "sft/final")
    }
    assert told == {
        "hub/final": {"hub": "a/b", "revision": "c1"},
        "several/v2": {"hub": "a/b", "revision": "c3"},
        "folder/final": {"path": str(micro_model)},
        "folders/v1": {"path": str(micro_model)},
        "sft/final": {"trained": "sft/final"},
    }


def test_recorded_results_have_a_spec_of_what_they_must_hold(tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.jsonl" for name in ("base", "rl")}
    for file in files.values():
        file.touch()
    models = {
        name: {"recorded": {"held": {"counts": str(file), "columns": {"correct": "c"}}}}
        for name, file in files.items()
    }
    changes: dict[str, Any] = {
        "models__theirs": models["base"],
        "models__mine": models["rl"] | {"base": "theirs"},
        "benchmarks__held": {"domain": "math", "recorded": True, "budget": 9},
        "run": {"models": ["mine"], "benchmarks": ["held"]},
    }
    of = study(**changes)
    told = yaml.safe_load(specs.recorded_results(of, State("mine", "final"), "held"))
    assert told.pop("columns")["correct"] == "c"
    assert told == {
        "where": "models.mine.recorded.held",
        "benchmark": "held",
        "budget": 9,
        "on_missing": "error",
    }
    assert yaml.safe_load(specs.audits(of))["unaudited"] == [["mine", "final", "held"]]
    with pytest.raises(InputError, match=r"benchmarks\.held: known from counts only"):
        specs.questions(of, "held")


def test_the_audit_of_sampled_states_is_told_what_a_table_is_told() -> None:
    assert specs.audits(study()) == specs.presentation(study(), comparisons(study()))
