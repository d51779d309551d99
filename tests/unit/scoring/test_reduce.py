"""Log-likelihoods and entropies of logits: exact, bounded, and never NaN unnoticed."""

import math

import pytest
import torch

from leash.scoring.reduce import Head, reduce_logits_, score_hidden

VOCABULARY, HIDDEN = 301, 16


def made(tokens: int, spread: float = 1.0, dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, ...]:
    """hidden, weight, targets of a random problem, its logits about `spread` wide."""
    torch.manual_seed(tokens)
    hidden = torch.randn(tokens, HIDDEN).to(dtype)
    weight = (torch.randn(VOCABULARY, HIDDEN) * spread / HIDDEN**0.5).to(dtype)
    return hidden, weight, torch.randint(VOCABULARY, (tokens,))


def naive(logits: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The definitions, in float64."""
    log_p = logits.double().log_softmax(-1)
    entropy = -torch.where(log_p.isneginf(), 0.0, log_p.exp() * log_p).sum(-1)
    return log_p.gather(1, targets[:, None])[:, 0].float(), entropy.float()


@pytest.mark.parametrize("spread", [0.0, 1.0, 20.0])
@pytest.mark.parametrize("tokens", [1, 7, 64])
@pytest.mark.parametrize("chunk_tokens", [1, 5, 7, 1000])
def test_it_is_the_naive_computation(spread: float, tokens: int, chunk_tokens: int) -> None:
    hidden, weight, targets = made(tokens, spread)
    found = score_hidden(hidden, Head(weight), targets, chunk_tokens)
    for one, expected in zip(found, naive(hidden @ weight.t(), targets), strict=True):
        assert one.dtype == torch.float32
        assert one.shape == (tokens,)
        torch.testing.assert_close(one, expected, atol=1e-5, rtol=1e-6)


@pytest.mark.parametrize("threads", [1, 2])
def test_logits_given_are_reduced_alike(threads: int) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        hidden, weight, targets = made(50)
        logits = hidden @ weight.t()
        expected = naive(logits, targets)
        torch.testing.assert_close(reduce_logits_(logits, targets), expected, atol=1e-5, rtol=0)
    finally:
        torch.set_num_threads(before)


def test_no_tokens_give_no_scores() -> None:
    hidden, weight, targets = made(0)
    loglik, entropy = score_hidden(hidden, Head(weight), targets)
    assert loglik.shape == entropy.shape == (0,)


def test_a_bias_a_scale_and_a_cap_are_applied_in_this_order() -> None:
    hidden, weight, targets = made(20, spread=10)
    bias = torch.randn(VOCABULARY)
    logits = 5 * torch.tanh((hidden @ weight.t() + bias) * 0.3 / 5)
    found = score_hidden(hidden, Head(weight, bias, 0.3, 5.0), targets, 8)
    torch.testing.assert_close(found, naive(logits, targets), atol=1e-5, rtol=1e-6)


def test_entries_of_probability_zero_add_nothing() -> None:
    logits = torch.tensor([[0.0, 0.0, -math.inf, -math.inf], [3.0, -math.inf, -math.inf, -math.inf]])
    loglik, entropy = reduce_logits_(logits.clone(), torch.tensor([0, 0]))
    torch.testing.assert_close(loglik, torch.tensor([-math.log(2), 0.0]))
    torch.testing.assert_close(entropy, torch.tensor([math.log(2), 0.0]))
    loglik, _ = reduce_logits_(logits, torch.tensor([2, 0]))
    assert loglik.tolist() == [-math.inf, 0.0]


def test_a_masked_bias_masks() -> None:
    hidden, weight, targets = made(9)
    bias = torch.zeros(VOCABULARY)
    bias[100:] = -math.inf
    targets = targets % 100
    found = score_hidden(hidden, Head(weight, bias), targets)
    torch.testing.assert_close(found, naive(hidden @ weight[:100].t(), targets), atol=1e-5, rtol=0)


def test_logits_that_leave_no_chance_but_one_have_entropy_zero() -> None:
    logits = torch.zeros(1, 5)
    logits[0, 3] = 1e4
    loglik, entropy = reduce_logits_(logits, torch.tensor([3]))
    assert (loglik.item(), entropy.item()) == (0.0, 0.0)


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("chunk_tokens", [2, 100])
def test_bad_logits_are_told_with_the_first_token_that_has_them(value: float, chunk_tokens: int) -> None:
    hidden, weight, targets = made(10)
    hidden[6], hidden[8] = value, value
    with pytest.raises(FloatingPointError, match="of 2 of 10 tokens are NaN or infinite, first at token 6"):
        score_hidden(hidden, Head(weight), targets, chunk_tokens)


def test_one_bad_logit_is_enough() -> None:
    logits = torch.zeros(3, 5)
    logits[1, 2] = math.nan
    with pytest.raises(FloatingPointError, match="first at token 1"):
        reduce_logits_(logits, torch.zeros(3, dtype=torch.long))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_logits_are_reduced_in_float32(dtype: torch.dtype) -> None:
    hidden, weight, targets = made(33, spread=3, dtype=dtype)
    found = score_hidden(hidden, Head(weight), targets, 8)
    assert found[0].dtype == found[1].dtype == torch.float32
    exact = naive(hidden.float() @ weight.float().t(), targets)
    torch.testing.assert_close(found, exact, atol=0.1, rtol=0)
    logits = torch.cat([torch.mm(chunk, weight.t()) for chunk in hidden.split(8)]).float()
    torch.testing.assert_close(found, naive(logits, targets), atol=1e-5, rtol=1e-6)
