"""`grade`: one completion, judged where it is called."""

import pytest

from leash import verify
from leash.errors import InputError
from leash.verify import Verdict, grade


def test_a_verdict_says_how_it_came_about() -> None:
    assert grade(r"So it is \boxed{\frac{1}{2}}.", "0.5") == Verdict("correct", "0.5", "boxed: numbers")
    assert grade("The answer is 3.", "0.5") == Verdict("wrong", "3", "stated")
    assert grade("no idea", "0.5") == Verdict("no_answer", None, "")
    assert grade("no idea", "0.5", finish_reason="length") == Verdict("truncated", None, "")


def test_golds_are_alternatives_and_the_first_names_the_class() -> None:
    assert grade(r"\boxed{1/3}", ["0.5", r"\frac{1}{3}"])[:2] == ("correct", "0.5")
    assert grade(r"\boxed{1/4}", ["0.5", r"\frac{1}{3}"])[:2] == ("wrong", "0.25")


def test_a_wrong_answer_named_like_the_gold_is_marked() -> None:
    found = grade(r"\boxed{MR = MC}", "P = MC")
    assert found.outcome == "wrong"
    assert found.answer != grade(r"\boxed{P = MC}", "P = MC").answer


def test_values_beside_the_last_box_count_where_the_gold_has_as_many() -> None:
    completion = r"For the first it is \boxed{45} apples, for the second \boxed{2}."
    assert [grade(completion, gold).outcome for gold in ("45, 2", "2", "45", "45, 3")] == [
        "correct",
        "correct",
        "wrong",
        "wrong",
    ]


def test_rules_and_tolerance_are_options() -> None:
    completion = r"<answer>1.02</answer> \boxed{2}"
    assert grade(completion, "2", rules=["boxed"]).outcome == "correct"
    assert grade(completion, "2").outcome == "wrong"
    assert grade(completion, "1", "numeric").outcome == "correct"
    assert grade(completion, "1", "numeric", tolerance=0.01).outcome == "wrong"


@pytest.mark.parametrize(
    ("gold", "options", "message"),
    [
        ([], {}, "is empty"),
        ("", {}, "is empty"),
        (["5", " "], {}, "is empty"),
        ("5", {"verifier": "maths"}, "no 'maths'; known are gym, math, numeric"),
        ("5", {"rules": ["box"]}, "no rule box"),
        ("5", {"rules": []}, "no rule given"),
        ("fast", {"verifier": "numeric"}, "cannot read"),
    ],
)
def test_what_a_caller_gets_wrong_is_an_input_error(
    gold: object, options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        grade(r"\boxed{5}", gold, **options)  # type: ignore[arg-type]


def test_what_the_verifier_raises_is_an_outcome(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("cannot judge")

    monkeypatch.setattr(verify, "assess", broken)
    assert grade(r"\boxed{5  6}", "5") == Verdict(
        "verifier_error", "5 6", "boxed: RuntimeError: cannot judge"
    )
    assert capsys.readouterr().err == "verifier_error: answer '5  6': RuntimeError: cannot judge\n"
