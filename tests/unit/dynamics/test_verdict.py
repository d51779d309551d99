import pytest

from leash.dynamics.evidence import pooled_sensitivity, sensitivity
from leash.dynamics.nulls import against_nulls, pooled_nulls
from leash.dynamics.verdict import Verdict, in_words, verdict


def judged(n: int, base: list[int], target: list[int]) -> Verdict:
    return verdict(sensitivity(n, base, target), against_nulls(n, base, target) if n > 1 else None)


def test_recorded_verdicts(recorded) -> None:  # type: ignore[no-untyped-def]
    lines = in_words(judged(128, *recorded("deepscaler")))
    assert lines[0] == "net shrinkage beyond resampling noise: yes, p = 0.00246"
    assert lines[1] == "depends on the threshold: yes, at 5, 10; c/k > epsilon at zeta = 0.01"
    assert lines[2].startswith(
        "expansion at k = 64 beyond a model against itself: no, 17.3 expected, 21.4 in the base"
    )
    assert lines[3].startswith(
        "shrinkage at k = 64 beyond a model against itself: yes, 31.1 expected, 21.4 in the base"
    )
    assert in_words(judged(128, *recorded("limit_rlvr")))[:2] == [
        "net shrinkage beyond resampling noise: yes, p = 0.000855",
        "depends on the threshold: yes, at 10",
    ]


def test_a_model_beside_itself_shows_nothing() -> None:
    found = judged(32, [0, 3, 32, 1], [0, 3, 32, 1])
    assert not found.beyond_noise
    assert in_words(found)[:2] == [
        "no net change beyond resampling noise: E = S, p = 1",
        "depends on the threshold: no",
    ]


def test_expansion_and_a_single_sample() -> None:
    found = judged(1, [0] * 9, [1] * 9)
    assert found.change == "net expansion"
    assert found.nulls is None
    assert in_words(found)[0] == "net expansion beyond resampling noise: yes, p = 0.00391"


def test_pooled_benchmarks_are_judged_as_one(recorded) -> None:  # type: ignore[no-untyped-def]
    both = [recorded("deepscaler"), recorded("limit_rlvr")]
    rules = pooled_sensitivity([sensitivity(128, *counts) for counts in both])
    assert rules[0].counts == (911 + 462, 12 + 3, 33 + 19, 104 + 16)
    lines = in_words(verdict(rules, pooled_nulls([against_nulls(128, *counts) for counts in both])))
    assert lines[0].startswith("net shrinkage beyond resampling noise: yes, p = ")
    assert lines[2].startswith("expansion at k = 64 beyond a model against itself: no, ")
    of_two_budgets = pooled_nulls([against_nulls(128, *both[0]), against_nulls(128, *both[1], 32)])
    assert "expansion at half of each budget beyond" in in_words(verdict(rules, of_two_budgets))[2]


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="significance"):
        verdict(sensitivity(4, [1], [1]), None, significance=0)
    with pytest.raises(ValueError, match="at least one rule"):
        verdict([], None)
