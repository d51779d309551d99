"""The config: what is refused, what the message says, and what a study expands to."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from leash import reference
from leash.errors import InputError
from leash.loading import load
from leash.study import Comparison, State, comparisons, states

ROOT = Path(__file__).parents[2]
DEFAULT = ROOT / "config/config.yaml"


@pytest.fixture
def raw() -> dict[str, Any]:
    return yaml.safe_load(DEFAULT.read_text())


def put(raw: dict[str, Any], dotted: str, value: object) -> None:
    *parents, last = dotted.split(".")
    for key in parents:
        raw = raw[key]
    raw[last] = value


def refusal(raw: dict[str, Any], files: tuple[Path, ...] = (DEFAULT,)) -> str:
    with pytest.raises(InputError) as refused:
        load(raw, files)
    return str(refused.value)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "sampling.temprature",
            1,
            "sampling.temprature: unknown key 'temprature'; did you mean 'temperature'?",
        ),
        (
            "models.dapo.train.rollout",
            8,
            "models.dapo.train.rollout: unknown key 'rollout'; did you mean 'rollouts'?",
        ),
        (
            "benchmarks.gcd.training.rl.sice",
            3,
            "benchmarks.gcd.training.rl.sice: unknown key 'sice'; did you mean 'size'?",
        ),
        ("sampling.engine.max_num_seq", 3, "unknown key 'max_num_seq'; did you mean 'max_num_seqs'?"),
        ("smapling", {}, "smapling: unknown key 'smapling'; did you mean 'sampling'?"),
        (
            "benchmarks.gcd.budget",
            0,
            "benchmarks.gcd.budget: Input should be greater than or equal to 1 (got 0)",
        ),
        (
            "benchmarks.gcd.budget",
            300,
            "300 is not a multiple of sampling.shard_samples, 256: change one of them",
        ),
        ("benchmarks.gcd.temperature", 0, "at temperature 0 every sample is the same"),
        ("benchmarks.gcd.prompt", "What is it?", "benchmarks.gcd: prompt has no {question} in it"),
        ("models.sft.base", "bass", "models.sft.base: no model 'bass'; did you mean 'base'?"),
        ("models.sft.base", "dapo", "'dapo' has several checkpoints: write one of dapo/step20, dapo/step40"),
        ("models.sft.base", "dapo/step30", "'dapo' has no checkpoint 'step30'; did you mean 'step"),
        ("models.dapo.checkpoints", [20, 40], "the last checkpoint 40 must be train.steps, 80"),
        ("models.dapo.checkpoints", [40, 20, 80], "must be rising steps"),
        ("models.dapo.train.benchmarks", ["gdc"], "no benchmark 'gdc'; did you mean 'gcd'?"),
        ("benchmarks.gcd.training", {}, "the recipe dapo needs benchmarks.gcd.training.rl"),
        ("run.models", ["base", "dpo"], "run.models.1: no 'dpo' under models; did you mean 'dapo'?"),
        ("run.models", ["dapo", "dapo"], "run.models.1: 'dapo' is listed twice"),
        ("run.models", ["base"], "no model with a base is listed: there is nothing to compare"),
        ("models.Base2", {"path": "x"}, "'Base2' is not a slug"),
        ("models.tables", {"path": "x"}, "'tables' is the name of a results folder"),
        ("models.mine", {"base": "base"}, "give exactly one of hub, path, train (given: none)"),
        ("models.mine", {"hub": "a/b", "base": "base"}, "hub needs revision: <commit>"),
        ("models.sft.method", "sft", "method is known from train.recipe: remove it"),
        ("models.dapo.checkpoint_labels", {"step30": "x"}, "no checkpoint 'step30'; did you mean 'step"),
        ("study", None, "study: Input should be a valid string"),
    ],
)
def test_a_bad_value_is_refused_with_its_place_and_the_remedy(
    raw: dict[str, Any], key: str, value: object, message: str
) -> None:
    put(raw, key, value)
    told = refusal(raw)
    assert message in told
    assert str(DEFAULT) in told


def test_a_missing_key_is_named(raw: dict[str, Any]) -> None:
    del raw["benchmarks"]["gcd"]["budget"]
    assert "benchmarks.gcd.budget: missing; add it (see config/README.md)" in refusal(raw)


def test_a_cycle_of_bases_is_spelled_out(raw: dict[str, Any]) -> None:
    raw["models"]["base"] = {"hub": "a/b", "revision": "c", "base": "sft"}
    assert "a cycle of bases: base -> sft -> base" in refusal(raw)


def test_training_from_a_hub_model_is_refused(raw: dict[str, Any]) -> None:
    raw["models"]["base"] = {"hub": "a/b", "revision": "c"}
    assert "models.sft.base: training starts from a local folder, and 'base' is on the hub" in refusal(raw)


def test_all_problems_are_told_at_once(raw: dict[str, Any]) -> None:
    put(raw, "sampling.temprature", 1)
    put(raw, "sampling.top_p", 2)
    told = refusal(raw)
    assert "temprature" in told
    assert "sampling.top_p: Input should be less than or equal to 1 (got 2)" in told


def test_the_message_names_the_file_that_holds_the_key(raw: dict[str, Any], tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("sampling: {temprature: 1}\n")
    put(raw, "sampling.temprature", 1)
    assert f"{mine}: sampling.temprature" in refusal(raw, (DEFAULT, mine))


def test_a_folder_that_is_no_model_is_refused_before_any_work(raw: dict[str, Any], tmp_path: Path) -> None:
    raw["models"]["mine"] = {"base": "base", "path": str(tmp_path)}
    told = refusal(raw)
    assert f"models.mine.path: {tmp_path} is not a model folder" in told
    assert "config.json" in told


def test_a_model_folder_is_accepted(raw: dict[str, Any], micro_model: Path) -> None:
    raw["models"]["mine"] = {"base": "base", "path": str(micro_model)}
    assert load(raw, [DEFAULT]).models["mine"].path == micro_model


def test_the_default_study_has_six_states_and_five_comparisons(raw: dict[str, Any]) -> None:
    study = load(raw, [DEFAULT])
    base = State("base", "final")
    trained = [State("dapo", f"step{step}") for step in (20, 40, 60, 80)] + [State("sft", "final")]
    assert states(study) == [base, *trained]
    assert comparisons(study) == [Comparison(base, target) for target in trained]


def test_the_base_of_a_listed_model_is_sampled_though_it_is_not_listed(raw: dict[str, Any]) -> None:
    raw["run"]["models"] = ["sft"]
    assert states(load(raw, [DEFAULT])) == [State("base", "final"), State("sft", "final")]


def test_the_base_may_be_one_checkpoint_of_a_model(raw: dict[str, Any]) -> None:
    second = copy.deepcopy(raw["models"]["sft"]) | {"base": "dapo/step40"}
    raw["models"]["second"] = second
    raw["run"]["models"] = ["second"]
    study = load(raw, [DEFAULT])
    assert comparisons(study) == [Comparison(State("dapo", "step40"), State("second", "final"))]
    assert states(study) == [State("dapo", "step40"), State("second", "final")]


@pytest.mark.parametrize("file", sorted((ROOT / "config").rglob("*.yaml")), ids=lambda path: path.name)
def test_every_config_of_the_repository_is_valid(raw: dict[str, Any], file: Path) -> None:
    assert load(merged(raw, yaml.safe_load(file.read_text())), [DEFAULT, file]).run.models


def merged(under: Any, over: Any) -> Any:
    """As Snakemake merges configs: mappings key by key, all else replaced."""
    if not (isinstance(under, dict) and isinstance(over, dict)):
        return over
    return under | {key: merged(under.get(key), value) for key, value in over.items()}


def test_the_schema_is_in_step() -> None:
    assert (ROOT / "workflow/schemas/config.schema.yaml").read_text() == reference.schema_text()


def test_the_reference_of_keys_is_in_step() -> None:
    told = (ROOT / "config/README.md").read_text().partition(reference.REFERENCE_MARKER)[2]
    assert told.strip() == reference.reference().strip()


def test_every_field_is_documented() -> None:
    definitions = yaml.safe_load(reference.schema_text())
    blocks = [definitions, *definitions["$defs"].values()]
    bare = [
        (block["title"], name)
        for block in blocks
        for name, field in block["properties"].items()
        if not field.get("description")
    ]
    assert bare == []
