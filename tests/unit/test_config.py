"""The config: what is refused, what the message says, and what a study expands to."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from leash import config, reference
from leash.errors import InputError
from leash.loading import load
from leash.study import (
    Comparison,
    State,
    always_of,
    audited,
    benchmarks_of,
    comparisons,
    recorded,
    recorded_questions,
    repeated,
    rounds_of,
    states,
)

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
        (
            "benchmarks.gcd.prompt",
            "What is it?",
            "benchmarks.gcd.prompt: 'What is it?' is neither a template's name (answer-tag, boxed, plain) nor",
        ),
        ("benchmarks.gcd.prompt", "boxd", "benchmarks.gcd.prompt: 'boxd' is neither a template's name"),
        (
            "benchmarks.gcd.file",
            "a.csv",
            "give exactly one of reasoning_gym, file, hub, recorded (given: reasoning_gym, file)",
        ),
        ("benchmarks.gcd.seed", None, "benchmarks.gcd: reasoning_gym needs seed: <first seed"),
        (
            "benchmarks.gcd.verifier",
            "math",
            "verifier math: gym goes with reasoning_gym, math and numeric with",
        ),
        ("benchmarks.gcd.extraction", ["boxed"], "the verifier gym reads the answer_tag only"),
        ("benchmarks.gcd.columns", {"gold": "a"}, "columns goes with file or hub: remove it"),
        ("benchmarks.gcd.split", "train", "benchmarks.gcd: split goes with hub: remove it"),
        ("benchmarks.gcd.tolerance", 0.1, "tolerance goes with the verifier numeric: remove it"),
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
        (
            "models.mine",
            {"base": "base"},
            "give exactly one of hub, path, train, endpoint, recorded (given: none)",
        ),
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


def with_file(raw: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The default config with one more benchmark, a file's; a change to None takes a key out."""
    block = {"domain": "math", "file": "none.jsonl", "size": 2, "budget": 256} | changes
    raw["benchmarks"]["mine"] = {key: value for key, value in block.items() if value is not None}
    return raw


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"file": None},
            "benchmarks.mine: give exactly one of reasoning_gym, file, hub, recorded (given: none)",
        ),
        ({"hub": "a/b"}, "give exactly one of reasoning_gym, file, hub, recorded (given: file, hub)"),
        ({"file": None, "hub": "a/b"}, "benchmarks.mine: hub needs revision: <commit>"),
        ({"revision": "c"}, "benchmarks.mine: revision goes with hub: remove it"),
        ({"hub_config": "c"}, "benchmarks.mine: hub_config goes with hub: remove it"),
        ({"seed": 0}, "benchmarks.mine: seed goes with reasoning_gym: remove it"),
        ({"params": {"a": 1}}, "benchmarks.mine: params goes with reasoning_gym: remove it"),
        ({"training": {"rl": {"seed": 1, "size": 2}}}, "training goes with reasoning_gym: remove it"),
        (
            {"verifier": "gym"},
            "verifier gym: gym goes with reasoning_gym, math and numeric with file and hub",
        ),
        ({"verifier": "maths"}, "benchmarks.mine.verifier: Input should be 'gym', 'math' or 'numeric'"),
        ({"extraction": []}, "benchmarks.mine.extraction: List should have at least 1 item"),
        ({"extraction": ["boxed", "boxed"]}, "extraction ['boxed', 'boxed'] names a rule twice"),
        ({"extraction": ["box"]}, "benchmarks.mine.extraction.0: Input should be 'answer_tag', 'open_tag'"),
        ({"tolerance": 0.1}, "benchmarks.mine: tolerance goes with the verifier numeric: remove it"),
        (
            {"open_ended": True},
            "benchmarks.mine: open_ended goes with the verifier gym: with math every right answer is of the gold's "
            "class; remove it",
        ),
        (
            {"tolerance": 0, "verifier": "numeric"},
            "benchmarks.mine.tolerance: Input should be greater than 0",
        ),
        (
            {"columns": {"golds": "x"}},
            "benchmarks.mine.columns.golds: unknown key 'golds'; did you mean 'gold'?",
        ),
        ({"columns": {"gold": ""}}, "benchmarks.mine.columns.gold: String should have at least 1 character"),
        ({"size": None}, "benchmarks.mine: size is missing: add the number of questions"),
        (
            {"recorded": True},
            "give exactly one of reasoning_gym, file, hub, recorded (given: file, recorded)",
        ),
        ({"file": None, "recorded": True}, "size goes with reasoning_gym, file or hub: remove it"),
    ],
    ids=str,
)
def test_a_benchmark_of_a_file_that_does_not_fit_together_is_refused(
    raw: dict[str, Any], changes: dict[str, Any], message: str
) -> None:
    assert message in refusal(with_file(raw, **changes))


def test_the_verifier_follows_from_the_source(raw: dict[str, Any]) -> None:
    loaded = load(with_file(raw), [DEFAULT]).benchmarks
    assert (loaded["gcd"].verifier, loaded["mine"].verifier) == ("gym", "math")
    assert loaded["mine"].extraction is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "none.jsonl",
            "benchmarks.mine.file: none.jsonl is not there: correct the path, or put the file there",
        ),
        ("none.txt", "benchmarks.mine.file: none.txt: the suffix '.txt' is not one of .jsonl, .json, .csv,"),
    ],
)
def test_a_benchmark_that_is_run_needs_its_file_before_any_job(
    raw: dict[str, Any], name: str, message: str
) -> None:
    with_file(raw, file=name)
    assert load(raw, [DEFAULT]).benchmarks["mine"].file == Path(name)  # in the registry, and not run
    raw["run"]["benchmarks"] = ["gcd", "mine"]
    assert message in refusal(raw)


def test_a_recipe_cannot_learn_from_a_file(raw: dict[str, Any]) -> None:
    with_file(raw)
    put(raw, "models.dapo.train.benchmarks", ["mine"])
    assert "models.dapo.train.benchmarks.0: 'mine' has no training questions" in refusal(raw)


def test_the_math_registry_names_the_papers_benchmarks() -> None:
    registry = yaml.safe_load((ROOT / "config/math.yaml").read_text())
    assert list(registry) == ["benchmarks"]
    sizes = {slug: block["size"] for slug, block in registry["benchmarks"].items()}
    assert sizes == {
        "math500": 500,
        "minerva-math": 272,
        "olympiadbench": 675,
        "aime24": 30,
        "aime25": 30,
        "amc23": 40,
        "scibench": 692,
    }


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("models.base.published", "ovr-7b", "models.base: published goes with base"),
        ("models.sft.published", "ovr7b", "published: the paper has no pair 'ovr7b'; did you mean 'ovr-7b'?"),
        (
            "models.sft.published",
            3,
            "models.sft.published: give a pair of results/published, or {checkpoint: pair}",
        ),
        ("models.sft.published", {}, "models.sft.published: give a pair of results/published"),
        ("models.sft.published", {"final": ["ovr-7b"]}, "models.sft.published: give a pair"),
        (
            "models.sft.published",
            {"end": "ovr-7b"},
            "models.sft.published.end: no checkpoint 'end' (known: final)",
        ),
        (
            "models.dapo.published",
            "ovr-7b",
            "models.dapo.published: 'dapo' has several checkpoints: write {checkpoint: pair}, for one or more of",
        ),
        (
            "models.dapo.published",
            {"step20": "ovr-7", "step30": "ovr-7b"},
            "models.dapo.published.step20: the paper has no pair 'ovr-7'; did you mean 'ovr-7b'?",
        ),
        (
            "models.dapo.published",
            {"step20": "deepseek-1.5b-dapo/20"},
            "models.dapo.published.step20: the paper has no step '20' of 'deepseek-1.5b-dapo' (known: 30, 60,",
        ),
        (
            "models.sft.published",
            "deepseek-1.5b-dapo",
            "the paper has 'deepseek-1.5b-dapo' by step only: write deepseek-1.5b-dapo/<step>, one of 30,",
        ),
        ("models.sft.published", "deepseek-1.5b-dapo/", "the paper has no step '' of 'deepseek-1.5b-dapo'"),
        ("models.sft.published", "ovr-7b/30", "the paper has no steps of 'ovr-7b': write ovr-7b"),
        (
            "benchmarks.gcd.published",
            "AIME 2024",
            "benchmarks.gcd.published: the paper has no benchmark 'AIME 2024'; did you mean 'AIME2024'?",
        ),
    ],
    ids=str,
)
def test_what_the_paper_does_not_have_is_refused(
    raw: dict[str, Any], key: str, value: object, message: str
) -> None:
    put(raw, key, value)
    told = refusal(raw)
    assert message in told
    assert str(DEFAULT) in told


def test_checkpoints_may_repeat_pairs_and_steps_of_the_paper(raw: dict[str, Any]) -> None:
    raw["models"]["dapo"]["published"] = {"step20": "deepseek-1.5b-dapo/30", "step40": "prorl-1.5b-v2"}
    raw["models"]["sft"]["published"] = "qwen2.5-math-7b-sft"
    study = load(raw, [DEFAULT])
    told = {str(state): repeated(study, state) for state in states(study)}
    assert {state: one for state, one in told.items() if one} == {
        "dapo/step20": ("deepseek-1.5b-dapo", 30),
        "dapo/step40": ("prorl-1.5b-v2", None),
        "sft/final": ("qwen2.5-math-7b-sft", None),
    }


def test_the_record_is_read_only_where_it_is_named(
    raw: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leash.published.record.FOLDER", tmp_path)
    load(raw, [DEFAULT])
    raw["models"]["sft"]["published"] = "ovr-7b"
    assert "it is tracked by git: restore it" in refusal(raw)


def with_recorded(raw: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A study of one recorded pair on one benchmark."""
    for name in ("base", "rl"):
        (folder / f"{name}.jsonl").touch()
    raw["run"] = {"models": ["mine"], "benchmarks": ["held"]}
    raw["models"]["theirs"] = {"recorded": {"held": {"counts": f"{folder}/base.jsonl"}}}
    raw["models"]["mine"] = {"base": "theirs", "recorded": {"held": {"counts": f"{folder}/rl.jsonl"}}}
    raw["benchmarks"]["held"] = {"domain": "math", "recorded": True, "budget": 10}
    return raw


def test_recorded_models_need_no_shards_and_are_run_where_they_have_results(
    raw: dict[str, Any], tmp_path: Path
) -> None:
    put(with_recorded(raw, tmp_path), "run", {"models": ["mine", "sft"], "benchmarks": ["held", "gcd"]})
    study = load(raw, [DEFAULT])
    assert [benchmarks_of(study, slug) for slug in ("mine", "theirs", "sft")] == [["held"], ["held"], ["gcd"]]
    assert [(str(pair.target), name) for pair, name in audited(study)] == [("sft/final", "gcd")]
    assert recorded_questions(study, "held") is None


def test_checkpoints_stand_for_a_part_of_the_file_names(raw: dict[str, Any], tmp_path: Path) -> None:
    with_recorded(raw, tmp_path)
    raw["models"]["mine"] |= {"checkpoints": {"s1": "rl", "s2": "base"}}
    assert "recorded.held" in refusal(raw)
    raw["models"]["mine"]["recorded"]["held"]["counts"] = f"{tmp_path}/{{checkpoint}}.jsonl"
    study = load(raw, [DEFAULT])
    named = [recorded(study, State("mine", one), "held") for one in ("s1", "s2")]
    assert [source and source.file.name for source in named] == ["rl.jsonl", "base.jsonl"]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "models.mine.recorded.held",
            {},
            "models.mine.recorded.held: give exactly one of counts, completions",
        ),
        (
            "models.mine.recorded.held.columns",
            {"score": "s"},
            "columns.score goes with completions, not with counts: remove it",
        ),
        ("models.mine.recorded.held.columns", {"id": None}, "columns.id cannot be null with counts"),
        (
            "models.mine.recorded.held.columns",
            {"corect": "c"},
            "models.mine.recorded.held.columns.corect: unknown key 'corect'; did you mean 'correct'?",
        ),
        (
            "models.mine.recorded.held.counts",
            "none.jsonl",
            "models.mine.recorded.held.counts: none.jsonl is not there",
        ),
        ("models.mine.recorded.held.counts", "none.txt", "the suffix '.txt' is not one of .jsonl,"),
        (
            "models.mine.recorded",
            {"hold": {"counts": "x"}},
            "models.mine.recorded.hold: no benchmark 'hold'; did you mean 'held'?",
        ),
        (
            "models.theirs.recorded",
            {"gcd": {"counts": "x.csv"}},
            "models.theirs: no recorded results on held, which its successor 'mine' has",
        ),
        ("run.benchmarks", ["held", "gcd"], "run.benchmarks.1: no model of run.models has results on 'gcd'"),
        ("run.benchmarks", ["gcd"], "none of run.benchmarks can be put to 'mine'"),
        ("run", {"models": ["sft"], "benchmarks": ["held", "gcd"]}, "no model of run.models has results on"),
        (
            "benchmarks.gcd.on_missing",
            "intersect",
            "intersect goes with recorded results, and 'gcd' has none",
        ),
        ("models.sft.base", "theirs", "training starts from a local folder, and 'theirs' is recorded"),
    ],
    ids=str,
)
def test_recorded_results_that_do_not_fit_together_are_refused(
    raw: dict[str, Any], tmp_path: Path, key: str, value: object, message: str
) -> None:
    put(with_recorded(raw, tmp_path), key, value)
    if "gcd" in key:
        raw["run"] = {"models": ["mine", "sft"], "benchmarks": ["held", "gcd"]}
    assert message in refusal(raw)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "scoring.samples",
            64,
            "scoring.samples: 64 samples are scored by their tokens, and those of sampling.token_ids, 32, are kept",
        ),
        ("benchmarks.gcd.budget", 0, "benchmarks.gcd.budget: Input should be greater than or equal to 1"),
        ("scoring.windows", [64, 8], "scoring.windows: [64, 8] must be rising numbers of tokens"),
        ("scoring.window", [64], "scoring.window: unknown key 'window'; did you mean 'windows'?"),
        (
            "benchmarks.gcd.traces.common.style",
            "euclids",
            "traces.common.style: the task gcd has no style 'euclids'; did you mean 'euclid'?",
        ),
        (
            "benchmarks.gcd.traces.r1",
            {"file": "absent.jsonl"},
            "benchmarks.gcd.traces.r1.file: absent.jsonl is not there",
        ),
        ("benchmarks.gcd.traces.r1", {"text": "x"}, "traces.r1: give exactly one of file, style"),
        ("benchmarks.gcd.traces.r1", {"file": "a.jsonl", "text": "x"}, "traces.r1: text must hold {trace}"),
        (
            "benchmarks.gcd.traces.common",
            {"style": "euclid", "strip_think": True},
            "traces.common: strip_think goes with file: remove it",
        ),
    ],
)
def test_scoring_that_does_not_fit_is_refused(
    raw: dict[str, Any], key: str, value: object, message: str
) -> None:
    put(raw, key, value)
    assert message in refusal(raw)


def test_more_samples_than_are_drawn_are_not_scored(raw: dict[str, Any]) -> None:
    put(raw, "sampling.shard_samples", 16)
    put(raw, "benchmarks.gcd.budget", 16)
    assert "32 samples are scored, and benchmarks.gcd.budget is 16" in refusal(raw)


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
def test_every_config_of_the_repository_is_valid(
    raw: dict[str, Any], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "is_file", lambda _: True)  # the data are not part of the repository
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


def test_every_block_is_in_the_reference() -> None:
    blocks = {
        block
        for block in vars(config).values()
        if isinstance(block, type) and issubclass(block, config.Block)
    }
    assert {block for _, block in reference._blocks()} == blocks - {config.Block}


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


ADAPTIVE = {"protocol": "adaptive", "rounds": [32, 64, 256]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sampling.rounds": [32, 256]}, "sampling.rounds: goes with sampling.protocol adaptive: remove it"),
        (
            {"benchmarks.gcd.rounds": [32, 256]},
            "benchmarks.gcd.rounds: goes with sampling.protocol adaptive: remove it",
        ),
        (
            {"sampling.protocol": "adaptive"},
            "sampling.rounds: missing: with the protocol adaptive, give the samples after which each round ends",
        ),
        (
            {"sampling": ADAPTIVE | {"rounds": [32, 128]}},
            "sampling.rounds: the last round ends after 128 samples, and benchmarks.gcd.budget is 256",
        ),
        (
            {"sampling": ADAPTIVE | {"rounds": [64, 32, 256]}},
            "sampling.rounds: [64, 32, 256] must be rising numbers of samples",
        ),
        ({"sampling": ADAPTIVE | {"rounds": []}}, "sampling.rounds: List should have at least 1 item"),
        (
            {"sampling": ADAPTIVE | {"rounds": [40, 256], "shard_samples": 32}},
            "sampling.rounds: the first round of 40 samples is not a multiple of sampling.shard_samples, 32",
        ),
        (
            {"sampling": ADAPTIVE | {"rounds": [16, 256]}},
            "scoring.samples: 32 samples are scored, and the first round of gcd is 16: score fewer, or raise it",
        ),
        (
            {"sampling": ADAPTIVE | {"always": {"gdc": ["gcd-0"]}}},
            "sampling.always.gdc: no benchmark 'gdc'; did you mean 'gcd'?",
        ),
        (
            {"sampling": ADAPTIVE, "run.benchmarks": ["countdown"]},
            "benchmarks.countdown.open_ended: which solutions a model reaches is known from all samples of the budget, "
            "and sampling.protocol adaptive stops at the first right ones: draw exhaustively, or set open_ended: false",
        ),
    ],
    ids=str,
)
def test_rounds_that_do_not_fit_are_refused(
    raw: dict[str, Any], changes: dict[str, object], message: str
) -> None:
    raw["run"]["benchmarks"] = ["gcd"]
    for dotted, value in changes.items():
        put(raw, dotted, raw["sampling"] | value if isinstance(value, dict) else value)
    assert message in refusal(raw)


def test_adaptive_drawing_of_recorded_results_is_refused(raw: dict[str, Any]) -> None:
    raw["models"]["known"] = {"base": "base", "recorded": {"gcd": {"counts": str(DEFAULT)}}}
    raw["run"] = {"models": ["known"], "benchmarks": ["gcd"]}
    raw["sampling"] |= ADAPTIVE
    assert (
        "run.benchmarks.0: results on 'gcd' are recorded, with as many samples of each question"
        in refusal(raw)
    )


def test_a_benchmark_may_have_rounds_of_its_own(raw: dict[str, Any]) -> None:
    raw["run"]["benchmarks"] = ["gcd", "chain-sum"]
    raw["sampling"] |= ADAPTIVE | {"always": {"gcd": ["gcd-0"]}}
    raw["benchmarks"]["gcd"] |= {"budget": 512, "rounds": [32, 512]}
    study = load(raw)
    assert (rounds_of(study, "gcd"), rounds_of(study, "chain-sum")) == ([32, 512], [32, 64, 256])
    assert (always_of(study, "gcd"), always_of(study, "chain-sum")) == (["gcd-0"], [])
