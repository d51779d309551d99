"""The environments' scoring behind its guards: no solution refused, no non-solution let through."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leash.errors import InputError
from leash.verify import Verdict, grade, gym
from leash.verify.extract import extract

RECORDED = Path(__file__).parents[4] / "shared" / "data" / "recorded"


def scored(task: str, answer: str, gold: str = "", **metadata: object) -> bool:
    return gym.score(task, answer, gold, json.dumps(metadata))[0]


@pytest.mark.parametrize(
    ("answer", "numbers", "target"),
    [
        ("4*5+3", [3, 4, 5], 23),
        (" ( 4 * 5 ) +\t3 ", [3, 4, 5], 23),
        ("-3+5*4", [3, 4, 5], 17),
        ("- -3+5*4", [3, 4, 5], 23),
        ("(((3)))+5", [3, 5], 8),
        ("8/(3-8/3)", [3, 3, 8, 8], 24),
        ("1/3*9", [1, 3, 9], 3),
        ("3+3+3", [3, 3, 3], 9),
        ("(" * 90 + "3" + ")" * 90 + "+5", [3, 5], 8),
    ],
)
def test_countdown_accepts_solutions(answer: str, numbers: list[int], target: int) -> None:
    assert scored("countdown", answer, numbers=numbers, target=target)


# The first fifteen score 1.0 in reasoning_gym 0.1.25.
@pytest.mark.parametrize(
    ("answer", "numbers", "target"),
    [
        ("4*5+floor(pi)", [4, 5], 23),
        ("4*5+0x3", [4, 5], 23),
        ("4*1e1", [4], 40),
        ("4*5 # 3", [3, 4, 5], 20),
        ("2.5*4", [2, 4, 5], 10),
        ("2**3", [2, 3], 8),
        ("2^3", [2, 3], 1),
        ("7//2", [2, 7], 3),
        ("17%12", [12, 17], 5),
        ("5!", [5], 120),
        ("~5+30", [5, 30], 24),
        ("sqrt(9)*4", [4, 9], 12),
        ("4*5 if 3 else 2", [2, 3, 4, 5], 20),
        ("__import__('os').getpid()*0+12", [0, 12], 12),
        ("9*111+1/101", [1, 9, 101, 111], 999),
        ("9*111+1/100", [1, 9, 100, 111], 999),
        ("4 5+1", [1, 4, 5], 46),
        ("45+1", [1, 4, 5], 46),
        ("4*5", [3, 4, 5], 20),
        ("4*5+4-4", [4, 5], 20),
        ("4*5=20", [4, 5], 20),
        ("4/0+5", [0, 4, 5], 5),
        ("(" * 5000, [4], 4),
        ("9**9**9", [9, 9, 9], 9),
        ("٤*5", [4, 5], 20),
        ("4*5\x00", [4, 5], 20),
    ],
)
def test_countdown_refuses_what_is_no_solution(answer: str, numbers: list[int], target: int) -> None:
    assert not scored("countdown", answer, numbers=numbers, target=target)


def test_a_guard_keeps_code_from_running(tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    code = f"__import__('pathlib').Path('{touched}').touch()"
    for task in ("countdown", "puzzle24", "simple_integration", "intermediate_integration"):
        assert not scored(task, code, numbers=[1], target=1, variable="x", integrand="x")
    for task in (
        "polynomial_multiplication",
        "string_insertion",
        "spiral_matrix",
        "binary_matrix",
        "n_queens",
    ):
        assert not scored(task, code, gold="x", numbers=[1])
    assert not touched.exists()


@st.composite
def expressions(draw: st.DrawFn) -> tuple[str, list[int], Fraction]:
    """An expression with its integers and exact value, worked out beside the verifier."""
    text, used, value = "", [], Fraction(0)
    for index in range(draw(st.integers(2, 4))):
        number = draw(st.integers(1, 9))
        used.append(number)
        if index == 0:
            text, value = str(number), Fraction(number)
            continue
        operator = draw(st.sampled_from("+-*/"))
        value = {"+": value + number, "-": value - number, "*": value * number, "/": value / number}[operator]
        text = f"({text}) {operator} {number}"
    return text, used, value


@given(expressions(), st.integers(-1, 1))
@settings(max_examples=60, deadline=None)
def test_countdown_agrees_with_exact_arithmetic(case: tuple[str, list[int], Fraction], off: int) -> None:
    text, used, value = case
    target = int(value) + off
    assert scored("countdown", text, numbers=used, target=target) == (value == target)
    assert not scored("countdown", text, numbers=[*used, 1], target=target)


@pytest.mark.parametrize(
    ("task", "answer", "gold", "metadata", "expected"),
    [
        ("puzzle24", "6*4*1*1", "", {"numbers": [1, 1, 4, 6]}, True),
        ("puzzle24", "6*4*1*1", "", {"numbers": [2, 3, 7, 8]}, False),  # scores 1.0: four numbers, any
        ("puzzle24", "5*5-1/5", "", {"numbers": [1, 5, 5, 5]}, False),  # scores 1.0: int(24.8)
        ("prime_factorization", "3×2 × 2", "2 × 2 × 3", {}, True),
        ("prime_factorization", "4 × 3", "2 × 2 × 3", {}, False),
        ("prime_factorization", "2 * 2 * 3", "2 × 2 × 3", {}, False),  # raises ValueError
        ("prime_factorization", "12 = 2 × 2 × 3", "2 × 2 × 3", {}, False),
        ("prime_factorization", "9" * 5000, "2 × 2 × 3", {}, False),
        ("chain_sum", "+01,200.00", "1200", {}, True),
        ("chain_sum", "1,00,000", "100000", {}, True),
        ("chain_sum", "-5", "-5", {}, True),
        ("chain_sum", "1,2", "12", {}, False),  # scores 1.0
        ("chain_sum", "1,200,5", "12005", {}, False),  # scores 1.0
        ("chain_sum", "the sum is 12", "12", {}, False),
        ("chain_sum", "NaN", "12", {}, False),
        ("gcd", "6", "6", {}, True),
        ("gcd", "16", "6", {}, False),
        ("simple_integration", "x**2 + C", "x**2 + C", {"variable": "x", "integrand": "2*x"}, True),
        ("simple_integration", "x**2 + log(2.5)/3", "", {"variable": "x", "integrand": "2*x"}, True),
        ("simple_integration", "Integral(2*x, x)", "", {"variable": "x", "integrand": "2*x"}, False),  # 1.0
        ("polynomial_multiplication", "x**2 + 2*x", "x**2 + 2*x", {}, True),
        ("number_sorting", "['1', '2.5']", '["1", "2.5"]', {"direction": "ascending"}, True),
        ("number_sorting", "['1.9', '2.5']", '["1", "2.5"]', {"direction": "ascending"}, False),  # scores 1.0
        ("string_insertion", "ABC", "ABC", {}, True),
        ("n_queens", "Q _", "_ Q", {"valid_answers": ["Q _", "_ Q"]}, True),
    ],
)
def test_other_tasks(task: str, answer: str, gold: str, metadata: dict[str, Any], expected: bool) -> None:
    assert scored(task, answer, gold, **metadata) == expected


def verdict(completion: str, gold: str, **options: Any) -> Verdict:
    return grade(completion, [gold], "gym", **{"task": "chain_sum", **options})


def test_the_outcome_without_an_answer_tells_truncation() -> None:
    assert verdict("12", "12") == ("no_answer", None, "")
    assert verdict("12", "12", finish_reason="length") == ("truncated", None, "")
    assert verdict("<answer>12</answer>", "12", finish_reason="length").outcome == "correct"


def test_correct_answers_are_one_class_unless_the_task_is_open_ended() -> None:
    assert verdict("<answer>+12.0</answer>", "12").answer == "12"
    assert verdict("<answer> 1 3 </answer>", "12")[:2] == ("wrong", "1 3")
    metadata = json.dumps({"numbers": [3, 4, 5], "target": 23})
    for text, label in (("3 + 4 * 5", "3+4*5"), ("5*4+3", "5*4+3")):
        options = {"task": "countdown", "metadata": metadata}
        assert verdict(f"<answer>{text}</answer>", "4*5+3", open_ended=True, **options).answer == label
        assert verdict(f"<answer>{text}</answer>", "4*5+3", **options).answer == "4*5+3"


def test_canonical_form_never_glues_two_numbers() -> None:
    assert gym.canonical("countdown", " ( 1 +\n2 )  * 3 4 ") == "(1+2)*3 4"
    assert gym.canonical("word_sorting", " a,  b ") == "a, b"


def test_an_exception_in_scoring_is_a_verifier_error_and_is_logged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(answer: str, entry: dict[str, Any]) -> float:
        raise RuntimeError(f"cannot score {answer} of {entry['answer']}")

    monkeypatch.setitem(gym._SCORERS, "gcd", broken)
    found = verdict("<answer>5</answer>", "6", task="gcd")
    assert found == ("verifier_error", "5", "answer_tag: RuntimeError: cannot score 5 of 6")
    assert "answer '5': RuntimeError: cannot score 5 of 6" in capsys.readouterr().err


def test_unknown_names_are_input_errors() -> None:
    with pytest.raises(InputError, match="no 'gmy'; known are gym"):
        grade("<answer>5</answer>", "5", "gmy")
    with pytest.raises(InputError, match="no task 'gdc'; did you mean 'gcd'"):
        verdict("<answer>5</answer>", "5", task="gdc")


# Tasks whose score needs nothing but the gold (palindrome: its letters). Not power_function: there "1.00e+0"
# against "1.0" was recorded as 0.01, and reasoning-gym 0.1.25 scores it 1.
RECORDED_TASKS = {
    *("simple_equations", "simple_geometry", "course_schedule", "largest_island", "leg_counting"),
    *("polynomial_equations", "polynomial_multiplication", "family_relationships", "palindrome_generation"),
}


@pytest.mark.skipif(not RECORDED.is_dir(), reason="the recorded completions are not here")
def test_agrees_with_recorded_scores() -> None:
    compared = 0
    for path in sorted(RECORDED.glob("rg_*/*.jsonl")):
        for line in path.read_text().splitlines():
            row = json.loads(line)
            if row.get("task") not in RECORDED_TASKS:
                continue
            metadata = json.dumps({"letters": list(row["gold"])})
            for sample in row["samples"]:
                found = verdict(sample["completion"], row["gold"], task=row["task"], metadata=metadata)
                taken = extract(sample["completion"], ["answer_tag"])
                if (taken and taken.answer) == sample["answer"]:
                    assert (found.outcome == "correct") == (sample["score"] >= 1), (row["id"], found)
                    assert found.outcome != "verifier_error"
                    compared += 1
                else:  # the recorder also took an empty tag, and the outer of nested tags
                    assert not sample["answer"] or "<answer>" in sample["answer"]
    assert compared > 5000
