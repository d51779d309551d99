"""The paper's theory on finite distributions: tilting, support, entropy. What holds, and what does not.

Reinforcement learning against a KL term to the base q has the optimum pi proportional to q exp(beta R)
(Prop. C.4, Cor. C.5). Probabilities have shape (outcomes,).

Thm C.6(a) states H[pi] <= H[q] for every tilt. That does not hold: q = (0.9, 0.1), R = (0, 1), beta = ln 9 gives
pi = (0.5, 0.5), and the entropy rises from 0.325 to 0.693 nats. What holds:
  - dH/dbeta = -Cov_pi(ln pi, R) = -beta Var_pi(R) - Cov_pi(ln q, R). For beta of at least 0 it is at most 0
    wherever ln q and R are not negatively correlated under pi: where the base already prefers what is rewarded.
    At beta = 0 it is -Cov_q(ln q, R): a weak tilt raises the entropy wherever the base is less likely to give
    what is rewarded more.
  - From a uniform q, or one that is uniform over its support, entropy never rises, since then Cov(ln q, R) = 0.
  - As beta grows, pi becomes q restricted to the outcomes of the highest reward within its support, so H tends
    to the entropy of that restriction, which can still be above H[q].
  - KL(pi, q) never falls as beta grows from 0.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Distribution = NDArray[np.float64]


def tilt(base: ArrayLike, reward: ArrayLike, strength: float) -> Distribution:
    """The exponential tilting of `base`: proportional to q exp(beta R) (Prop. C.4). An outcome of probability 0
    keeps it, whatever its reward (Thm C.1: no support beyond the base's).

    Raises ValueError where `base` is no distribution or the rewards are not finite or of another shape.
    """
    q, r = _distribution(base), np.asarray(reward, dtype=np.float64)
    if r.shape != q.shape or not np.all(np.isfinite(r)) or not np.isfinite(strength):
        raise ValueError(f"{r.shape} rewards for {q.shape} outcomes: one finite number for each")
    support = q > 0
    exponent = np.where(support, np.log(np.where(support, q, 1)) + strength * r, -np.inf)
    weights = np.exp(exponent - exponent.max())
    tilted: Distribution = weights / weights.sum()
    return tilted


def entropy(distribution: ArrayLike) -> float:
    """Shannon entropy in nats; an outcome of probability 0 adds 0."""
    p = _distribution(distribution)
    held = p[p > 0]
    return float(max(0.0, -np.sum(held * np.log(held))))


def divergence(target: ArrayLike, base: ArrayLike) -> float:
    """KL(target, base) in nats: infinite where the target has support that the base has not."""
    p, q = _distribution(target), _distribution(base)
    held = p > 0
    if np.any(q[held] == 0):
        return float("inf")
    return float(max(0.0, np.sum(p[held] * np.log(p[held] / q[held]))))


def entropy_slope(base: ArrayLike, reward: ArrayLike, strength: float) -> float:
    """dH/dbeta of the tilted distribution, in nats: -beta Var_pi(R) - Cov_pi(ln q, R)."""
    q, r = _distribution(base), np.asarray(reward, dtype=np.float64)
    p = tilt(q, r, strength)
    held = p > 0
    p, q, r = p[held], q[held], r[held]
    centred = r - np.sum(p * r)
    return float(-strength * np.sum(p * centred**2) - np.sum(p * np.log(q) * centred))


def entropy_limit(base: ArrayLike, reward: ArrayLike) -> float:
    """What the tilted entropy tends to as beta grows: that of the base within the best outcomes of its support."""
    q, r = _distribution(base), np.asarray(reward, dtype=np.float64)
    if r.shape != q.shape or not np.all(np.isfinite(r)):
        raise ValueError(f"{r.shape} rewards for {q.shape} outcomes: one finite number for each")
    best = np.where((q > 0) & (r == r[q > 0].max()), q, 0)
    return entropy(best / best.sum())


def pass_limit(distribution: ArrayLike, correct: ArrayLike) -> float:
    """What pass@k tends to as k grows: 1 where a correct outcome has any probability, else 0 (Cor. C.2).

    No tilt raises it, since none reaches an outcome that the base cannot (Thm C.1).
    """
    p, right = _distribution(distribution), np.asarray(correct, dtype=np.bool_)
    if right.shape != p.shape:
        raise ValueError(f"{right.shape} verdicts for {p.shape} outcomes: one for each")
    return float(np.any(p[right] > 0))


def missed(mass: float, k: int) -> float:
    """The chance that k samples all miss outcomes of this total probability: (1 - mass)^k (Cor. C.2)."""
    if not 0 <= mass <= 1 or k < 1:
        raise ValueError(f"a mass between 0 and 1 and k of at least 1, not {mass} and {k}")
    return float((1 - mass) ** k)


def _distribution(values: ArrayLike) -> Distribution:
    p = np.asarray(values, dtype=np.float64)
    if p.ndim != 1 or p.size == 0 or not np.all(p >= 0) or abs(p.sum() - 1) > 1e-9:
        raise ValueError("not a distribution: probabilities of at least 0 that add up to 1")
    return p
