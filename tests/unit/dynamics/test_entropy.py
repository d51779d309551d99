from math import isnan, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash.dynamics.entropy import answer_entropy, miller_madow

COUNTS = st.lists(st.integers(0, 60), min_size=1, max_size=40).filter(lambda counts: sum(counts) > 0)


@pytest.mark.parametrize(
    ("counts", "entropy", "corrected"),
    [
        ([16, 8, 8], 1.0397207708399179, 1.0397207708399179 + 2 / 64),
        ([1] * 32, log(32), log(32) + 31 / 64),
        ([32], 0.0, 0.0),
        ([31, 1], -(31 / 32 * log(31 / 32) + 1 / 32 * log(1 / 32)), None),
    ],
)
def test_known_values(counts: list[int], entropy: float, corrected: float | None) -> None:
    assert answer_entropy(counts) == pytest.approx(entropy, abs=1e-12)
    wanted = entropy + (len(counts) - 1) / 64 if corrected is None else corrected
    assert miller_madow(counts) == pytest.approx(wanted, abs=1e-12)


def test_a_single_class_has_exactly_none() -> None:
    assert [answer_entropy([n]) for n in range(1, 200)] == [0.0] * 199
    assert [miller_madow([n]) for n in range(1, 200)] == [0.0] * 199


@given(COUNTS)
def test_between_none_and_that_of_as_many_equal_classes(counts: list[int]) -> None:
    classes = sum(count > 0 for count in counts)
    assert 0 <= answer_entropy(counts) <= log(classes) + 1e-12
    assert miller_madow(counts) - answer_entropy(counts) == pytest.approx((classes - 1) / (2 * sum(counts)))


@given(COUNTS, st.randoms(use_true_random=False), st.integers(2, 9))
def test_order_empty_classes_and_scale_change_nothing(counts: list[int], random: object, times: int) -> None:
    shuffled = [0, *counts, 0]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert answer_entropy(shuffled) == pytest.approx(answer_entropy(counts), abs=1e-12)
    assert answer_entropy(np.array(counts) * times) == pytest.approx(answer_entropy(counts), abs=1e-12)


@given(COUNTS)
def test_two_classes_taken_for_one_never_raise_it(counts: list[int]) -> None:
    merged = [sum(counts[:2]), *counts[2:]]
    assert answer_entropy(merged) <= answer_entropy(counts) + 1e-12


def test_the_correction_removes_most_of_the_bias() -> None:
    random, rates = np.random.default_rng(0), np.full(6, 1 / 6)
    drawn = random.multinomial(32, rates, size=4000)
    plain = np.mean([answer_entropy(counts) for counts in drawn]) - log(6)
    corrected = np.mean([miller_madow(counts) for counts in drawn]) - log(6)
    assert plain < -0.06
    assert abs(corrected) < 0.01


@pytest.mark.parametrize("counts", [[], [0], [0, 0], np.array([], dtype=int)])
def test_no_sample_has_no_entropy(counts: list[int]) -> None:
    assert isnan(answer_entropy(counts))
    assert isnan(miller_madow(counts))


@pytest.mark.parametrize("counts", [[-1, 2], [0.5, 1], [float("nan")], [float("inf")], ["a"], [[1, 2]], 3])
def test_what_are_no_counts(counts: object) -> None:
    for measure in (answer_entropy, miller_madow):
        with pytest.raises(ValueError, match="counts must be"):
            measure(counts)  # type: ignore[arg-type]
