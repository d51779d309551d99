import pytest

from leash.dynamics.verdict import in_words, verdict


def test_recorded_verdicts(recorded) -> None:  # type: ignore[no-untyped-def]
    lines = in_words(verdict(128, *recorded("deepscaler")))
    assert lines[0] == "net shrinkage beyond resampling noise: yes, p = 0.00246"
    assert lines[1] == "depends on the threshold: yes, at 5, 10; c/n > epsilon at zeta = 0.01"
    assert lines[2].startswith(
        "expansion at k = 64 beyond a model against itself: no, 17.3 expected, 21.4 in the base"
    )
    assert lines[3].startswith(
        "shrinkage at k = 64 beyond a model against itself: yes, 31.1 expected, 21.4 in the base"
    )
    assert in_words(verdict(128, *recorded("limit_rlvr")))[:2] == [
        "net shrinkage beyond resampling noise: yes, p = 0.000855",
        "depends on the threshold: yes, at 10",
    ]


def test_a_model_beside_itself_shows_nothing() -> None:
    found = verdict(32, [0, 3, 32, 1], [0, 3, 32, 1])
    assert not found.beyond_noise
    assert in_words(found)[:2] == [
        "no net change beyond resampling noise: E = S, p = 1",
        "depends on the threshold: no",
    ]


def test_expansion_and_a_single_sample() -> None:
    found = verdict(1, [0] * 9, [1] * 9)
    assert found.change == "net expansion"
    assert found.nulls is None
    assert in_words(found)[0] == "net expansion beyond resampling noise: yes, p = 0.00391"


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="significance"):
        verdict(4, [1], [1], significance=0)
    with pytest.raises(ValueError, match="between 0 and n"):
        verdict(4, [5], [1])
