"""Questions of Reasoning Gym: different by text, the same on every run, and with golds that verify."""

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leash.benchmarks import QUESTIONS_VERSION, reasoning_gym
from leash.benchmarks.__main__ import check_spec, questions
from leash.errors import InputError
from leash.records import QUESTIONS, read, write
from leash.verify import grade
from tiny_tasks import PARAMS as TASKS

OTHERS = ("arc_1d", "codeio", "n_queens", "number_sorting", "rearc", "shortest_path", "simple_integration")
SPEC: dict[str, Any] = {
    "reasoning_gym": "gcd",
    "params": TASKS["gcd"],
    "seed": 5,
    "size": 4,
    "prompt": "{question}<think>",
    "version": QUESTIONS_VERSION,
}


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "leash.benchmarks", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})


@given(seed=st.integers(0, 2**32), sizes=st.tuples(st.integers(1, 12), st.integers(1, 12)))
@settings(max_examples=25, deadline=None)
def test_excluded_texts_do_not_come_back_even_from_the_same_seed(seed: int, sizes: tuple[int, int]) -> None:
    params = {"min_value": 10, "max_value": 60}
    first = reasoning_gym.generate("prime_factorization", params, seed, sizes[0])
    texts = [row["question"] for row in first]
    second = reasoning_gym.generate("prime_factorization", params, seed, sizes[1], texts)
    every = texts + [row["question"] for row in second]
    assert len(set(every)) == len(every) == sum(sizes)
    assert len({row["question_id"] for row in first + second}) == len(every)


@pytest.mark.parametrize("task", TASKS)
def test_a_longer_draw_begins_with_the_shorter_one(task: str) -> None:
    assert reasoning_gym.generate(task, TASKS[task], 7, 12)[:5] == reasoning_gym.generate(
        task, TASKS[task], 7, 5
    )


@pytest.mark.parametrize("task", [*TASKS, "puzzle24", "string_insertion", "spiral_matrix", *OTHERS])
def test_every_gold_is_correct_in_the_verifier(task: str) -> None:
    for row in reasoning_gym.generate(task, TASKS.get(task, {}), 3, 8):
        verdict = grade(
            f"<think>…</think><answer>{row['gold'][0]}</answer>",
            row["gold"],
            task=task,
            metadata=row["metadata"],
        )
        assert verdict.outcome == "correct", verdict


def test_metadata_comes_back_as_it_was() -> None:
    value = {
        "a": (1, (2,)),
        "b": {3, 1},
        "c": {1: "x", (2, 3): [None, {"d": 0.5}]},
        "e": {"__tuple__": 1, "f": 2},
    }
    text = json.dumps(reasoning_gym._to_json(value))
    assert reasoning_gym.entry("q", "g", text) == {"question": "q", "answer": "g", "metadata": value}
    assert reasoning_gym._to_json({"n": np.int64(3), "m": np.eye(2)}) == {
        "n": 3,
        "m": [[1.0, 0.0], [0.0, 1.0]],
    }


def test_too_few_questions_says_how_many_there_were() -> None:
    with pytest.raises(InputError, match=r"prime_factorization: 40 questions.* gave 31 that differ.*params"):
        reasoning_gym.generate("prime_factorization", {"min_value": 10, "max_value": 40}, 0, 40)


@pytest.mark.parametrize(
    ("task", "params", "seed", "message"),
    [
        ("count_down", {}, 0, "did you mean 'countdown'"),
        ("countdown", {"min_number": 3}, 0, "params: no 'min_number'; did you mean 'min_numbers'"),
        ("countdown", {"seed": 3}, 0, "'seed' stands beside params"),
        ("countdown", {"min_numbers": 1}, 0, "min_numbers must be greater than 1"),
        ("countdown", {"min_numbers": "3"}, 0, "not supported between"),
        ("gcd", {}, -1, "seed at least 0"),
        ("graph_color", {}, 0, "no gold answer as text"),
        ("puzzle24", {"max_value": 30}, 0, "Maximum value must be at most 10"),
    ],
)
def test_a_wrong_spec_is_explained(task: str, params: dict[str, Any], seed: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        reasoning_gym.generate(task, params, seed, 3)


def test_a_gold_that_the_environment_does_not_score_1_is_an_input_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reasoning_gym, "scorer", lambda _: lambda _answer, _entry: 0.5)
    with pytest.raises(InputError, match=r"gcd: the environment scores its own gold '\d+' 0\.5 and not 1"):
        reasoning_gym.generate("gcd", {}, 0, 1)


def test_prompt_keeps_braces_and_a_slot_inside_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"question_id": "q-1", "question": "set {1, 2} {question}", "gold": ["x"], "metadata": "{}"}
    monkeypatch.setattr(reasoning_gym, "generate", lambda *_: [row])
    assert questions({**SPEC, "prompt": "{a} {question}!"})[0]["prompt"] == "{a} set {1, 2} {question}!"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prompt": "solve"}, r"prompt: has no \{question\}"),
        ({"size": "4"}, "size must be of type int"),
        ({"size": True}, "size must be of type int"),
        ({"version": QUESTIONS_VERSION + 1}, "version is"),
        ({"sizes": 3}, "exactly the keys"),
    ],
)
def test_a_spec_of_another_shape_is_an_input_error(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        questions({**SPEC, **change})
    check_spec(SPEC)


def test_command_line_writes_the_same_rows_under_any_hash_seed_and_keeps_apart(tmp_path: Any) -> None:
    spec = {**SPEC, "reasoning_gym": "countdown", "params": TASKS["countdown"]}
    for name, hash_seed in (("a", "1"), ("b", "2")):
        assert not run(
            "--spec", json.dumps(spec), "--out", tmp_path / name, PYTHONHASHSEED=hash_seed
        ).returncode
    rows = read(tmp_path / "a", QUESTIONS)
    assert rows == read(tmp_path / "b", QUESTIONS)
    assert [row["prompt"] for row in rows] == [row["question"] + "<think>" for row in rows]
    write(tmp_path / "other", QUESTIONS, rows[:2])
    done = run("--spec", json.dumps(spec), "--exclude", tmp_path / "other", "--out", tmp_path / "c")
    assert "4 questions of countdown" in done.stderr
    assert read(tmp_path / "c", QUESTIONS)[:2] == rows[2:]


def test_command_line_ends_with_one_line_on_bad_input(tmp_path: Any) -> None:
    done = run("--spec", "{", "--out", tmp_path / "a")
    assert done.returncode == 1
    assert done.stderr.startswith("error: --spec: not valid JSON")
    assert list(tmp_path.iterdir()) == []
