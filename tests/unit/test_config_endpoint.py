"""A model behind an endpoint: what is refused, what a job's spec holds, and what else the model may be used for."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from leash import specs
from leash.errors import InputError
from leash.loading import load
from leash.sampling.plan import Shard
from leash.study import State, comparisons

DEFAULT = Path(__file__).parents[2] / "config/config.yaml"
SHARD = Shard(0, 0, 0, 256)
BLOCK = {"urls": ["http://a:8000/v1", "https://b/api/v1/"], "model": "org/Served-1B", "revision": "abc"}


@pytest.fixture
def raw() -> dict[str, Any]:
    """The default config with a base and a model trained from it, each behind an endpoint."""
    config: dict[str, Any] = yaml.safe_load(DEFAULT.read_text())
    config["models"]["far-base"] = {"endpoint": BLOCK}
    trained = {"base": "far-base", "method": "rlvr", "chat_template": True, "published": "ovr-7b"}
    config["models"]["far"] = {"endpoint": BLOCK | {"revision": "def"}} | trained
    config["run"] = {"models": ["far"], "benchmarks": ["gcd"]}
    return copy.deepcopy(config)


def refusal(raw: dict[str, Any]) -> str:
    with pytest.raises(InputError) as refused:
        load(raw, [DEFAULT])
    return str(refused.value)


def test_an_endpoint_model_has_one_state_and_its_spec_only_what_is_drawn(raw: dict[str, Any]) -> None:
    study = load(raw)
    (pair,) = comparisons(study)
    assert pair == (State("far-base", "final"), State("far", "final"))
    spec = json.loads(specs.sample(study, pair.target, "gcd", SHARD))
    assert spec["model"] == {"endpoint": "org/Served-1B", "revision": "def"}
    assert spec["chat_template"] is True


def test_the_servers_and_how_they_are_asked_redraw_nothing(raw: dict[str, Any]) -> None:
    before = load(raw)
    changes = {"urls": ["http://c/v1"], "key_env": "KEY", "concurrency": 1, "timeout": 5, "patience": 0}
    raw["models"]["far"]["endpoint"] |= changes
    raw["sampling"]["token_ids"] = 64
    raw["sampling"]["engine"]["dtype"] = "bfloat16"
    after = load(raw)
    state = State("far", "final")
    assert specs.sample(before, state, "gcd", SHARD) == specs.sample(after, state, "gcd", SHARD)
    assert json.loads(specs.endpoints(before))["far"] == {
        "urls": ["http://a:8000/v1", "https://b/api/v1"],
        "key_env": None,
        "concurrency": 64,
        "timeout": 600,
        "patience": 600,
    }
    assert json.loads(specs.endpoints(after))["far"] == changes
    for name, value in (("model", "other"), ("revision", "ghi")):
        raw["models"]["far"]["endpoint"][name] = value
        assert specs.sample(load(raw), state, "gcd", SHARD) != specs.sample(after, state, "gcd", SHARD)


def test_a_model_without_an_endpoint_has_no_settings_of_one(raw: dict[str, Any]) -> None:
    assert "base" not in json.loads(specs.endpoints(load(raw)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"urls": []}, "models.far.endpoint.urls: List should have at least 1 item"),
        (
            {"urls": ["a:8000/v1"]},
            "endpoint: urls.0: 'a:8000/v1' is not an http or https address: give one such as",
        ),
        (
            {"urls": ["http://a/v1", "ftp://a/v1"]},
            "endpoint: urls.1: 'ftp://a/v1' is not an http or https address",
        ),
        ({"urls": ["http:///v1"]}, "urls.0: 'http:///v1' is not an http or https address"),
        ({"urls": ["http://a b/v1"]}, "urls.0: 'http://a b/v1' is not an http or https address"),
        ({"urls": ["http://a:port/v1"]}, "urls.0: not a URL: give one such as http://host:8000/v1"),
        (
            {"urls": ["http://a/v1?x=1"]},
            "urls.0: 'http://a/v1?x=1' is not a base URL: leave out what follows",
        ),
        ({"urls": ["http://a/v1", "http://a/v1/"]}, "urls: one of them stands there twice: remove it"),
        ({"model": ""}, "models.far.endpoint.model: String should have at least 1 character"),
        ({"revision": None}, "models.far.endpoint.revision: Input should be a valid string"),
        ({"concurrency": 0}, "models.far.endpoint.concurrency: Input should be greater than or equal to 1"),
        ({"timeout": 0}, "models.far.endpoint.timeout: Input should be greater than 0"),
        ({"timeout": float("inf")}, "models.far.endpoint.timeout: Input should be a finite number"),
        ({"patience": -1}, "models.far.endpoint.patience: Input should be greater than or equal to 0"),
        ({"key": "x"}, "models.far.endpoint.key: unknown key 'key'; did you mean 'key_env'?"),
    ],
    ids=str,
)
def test_a_bad_endpoint_is_refused_with_its_place_and_the_remedy(
    raw: dict[str, Any], changes: dict[str, Any], message: str
) -> None:
    raw["models"]["far"]["endpoint"] |= changes
    assert message in refusal(raw)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"key_env": "s3cret-key"}, "key_env: not the name of an environment variable: put the key into one"),
        ({"urls": ["http://me:s3cret@a/v1"]}, "urls.0: holds a user or a password: remove it, and name the"),
        ({"urls": ["http://me:s3cret@a:port/v1"]}, "urls.0: not a URL"),
    ],
)
def test_a_secret_in_the_config_is_refused_and_not_repeated(
    raw: dict[str, Any], changes: dict[str, Any], message: str
) -> None:
    raw["models"]["far"]["endpoint"] |= changes
    told = refusal(raw)
    assert message in told
    assert "s3cret" not in told


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hub": "a/b"}, "give exactly one of hub, path, train, endpoint, recorded (given: hub, endpoint)"),
        (
            {"revision": "abc"},
            "a model behind an endpoint has one state: give its revision in endpoint, and no",
        ),
        ({"checkpoints": {"s1": "a"}}, "a model behind an endpoint has one state"),
        ({"checkpoint_labels": {"s1": "a"}}, "no checkpoint 's1'"),
    ],
    ids=str,
)
def test_what_does_not_go_with_an_endpoint_is_refused(
    raw: dict[str, Any], changes: dict[str, Any], message: str
) -> None:
    raw["models"]["far"] |= changes
    assert message in refusal(raw)


def test_training_cannot_start_from_an_endpoint(raw: dict[str, Any]) -> None:
    raw["models"]["dapo"]["base"] = "far-base"
    assert (
        "models.dapo.base: training starts from a local folder, and 'far-base' is behind an endpoint: take its weights "
        "and give it as path"
    ) in refusal(raw)


def test_scoring_asks_nothing_of_samples_that_a_server_drew(raw: dict[str, Any]) -> None:
    raw["sampling"]["token_ids"] = 0
    raw["scoring"] = {"samples": 32}
    load(raw)
    raw["run"]["models"] += ["sft"]
    assert "scoring.samples: 32 samples are scored by their tokens" in refusal(raw)
