"""A lossless tokenizer in which each fixed phrase of a question template is one token.

Everything else is one character a token, so a prompt of 500 characters shrinks to about a dozen tokens, and
a completion stays open to any answer. 128 tokens in all; text with any other character is refused.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from leash import records
from leash.errors import InputError

EOS: Final = "<eos>"
PAD: Final = "<pad>"
TAGS: Final = ("<think>", "</think>", "<answer>", "</answer>")

_COUNTDOWN_FORMAT: Final = (
    "\n\nFinal answer format instructions:\n"
    "1. Provide your solution as a arithmetic expression (no '=' sign).\n"
    "2. Do not include the target number in the expression.\n"
    "3. Use '*' for multiplication.\n"
    "4. Use '/' for division.\n"
    "5. Do not include any other text or formatting.\n"
)

# What stands around the numbers in the four tasks' questions (reasoning_gym 0.1.25).
PHRASES: Final = (
    "Using all the numbers ",
    ", create an expression that equals ",
    ".\nYou can only use each number once." + _COUNTDOWN_FORMAT,
    "Find a way to make ",
    " using all of these numbers: ",
    ".\nEach number can only be used once." + _COUNTDOWN_FORMAT,
    "Calculate ",
    ".\nEach number may be used at most once." + _COUNTDOWN_FORMAT,
    "Find the prime factorization of ",
    ". Write the factors separated by × (Example: for 12 the answer would be: 2 × 2 × 3)",
    "State the final answer to the following arithmetic problem: ",
    "Find the Greatest Common Divisor (GCD) of these numbers: ",
    ". Give only the GCD as your final answer.",
)

CHARACTERS: Final = "\n" + "".join(map(chr, range(32, 127))) + "×÷−·√π≤≥≠≈²³…"


def vocabulary() -> dict[str, int]:
    """token text -> id: pad, eos, tags, phrases, characters. The order is part of every trained model."""
    return {token: index for index, token in enumerate((PAD, EOS, *TAGS, *PHRASES, *CHARACTERS))}


def build_tokenizer() -> PreTrainedTokenizerFast:
    """The tokenizer; it pads on the right and adds no token by itself."""
    # Without an unknown token WordLevel raises on a character it lacks, instead of losing it.
    tokenizer = Tokenizer(models.WordLevel(vocabulary()))
    # Longest first: an alternation takes the first branch that fits.
    fixed = sorted((*TAGS, *PHRASES), key=len, reverse=True)
    pattern = "|".join([*map(_escaped, fixed), r"[\s\S]"])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(pattern), "isolated")
    tokenizer.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=EOS,
        pad_token=PAD,
        clean_up_tokenization_spaces=False,
        model_max_length=1024,
    )


def _escaped(phrase: str) -> str:
    # The regex engine (Oniguruma) refuses some of the escapes that re.escape writes.
    return "".join(f"\\{char}" if char in r"\.^$*+?()[]{}|" else char for char in phrase)


def encode_checked(tokenizer: Any, texts: Iterable[str], where: str) -> list[list[int]]:
    """Token ids of each text, each proven to decode to the very text.

    Raises InputError naming the first text the tokenizer cannot hold; `where` says which file it is from.
    """
    texts = list(texts)
    try:
        encoded = tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else []
    except Exception as error:  # tokenizers raises bare Exception for a token it lacks
        raise InputError(_refusal(next(t for t in texts if not _encodable(tokenizer, t)), where)) from error
    unknown = tokenizer.unk_token_id
    decoded = tokenizer.batch_decode(encoded, skip_special_tokens=False)
    for text, ids, back in zip(texts, encoded, decoded, strict=True):
        if back != text or (unknown is not None and unknown in ids):
            raise InputError(_refusal(text, where))
    return [list(ids) for ids in encoded]


def _encodable(tokenizer: Any, text: str) -> bool:
    try:
        tokenizer(text, add_special_tokens=False)
    except Exception:  # as above
        return False
    return True


def _refusal(text: str, where: str) -> str:
    strange = sorted({char for char in text if char not in CHARACTERS})
    reason = f" (characters {', '.join(map(repr, strange))})" if strange else ""
    return f"{where}: the tokenizer cannot hold this text without loss{reason}: {text!r}"


def encode_corpus(tokenizer: Any, path: Path) -> list[tuple[list[int], list[int]]]:
    """(prompt ids, completion ids without eos) of every row of a corpus, round trips asserted."""
    rows = records.read(path, records.CORPUS)
    if not rows:
        raise InputError(f"{path}: holds no row to train on")
    # A corpus repeats its prompts; each is encoded once.
    prompts = list(dict.fromkeys(row["prompt"] for row in rows))
    ids = dict(zip(prompts, encode_checked(tokenizer, prompts, str(path)), strict=True))
    completions = encode_checked(tokenizer, (row["completion"] for row in rows), str(path))
    return [(ids[row["prompt"]], completion) for row, completion in zip(rows, completions, strict=True)]
