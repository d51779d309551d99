"""A lossless tokenizer in which each fixed phrase of a question template is one token.

Everything else is one character a token, so a prompt of 500 characters shrinks to about a dozen tokens, and
a completion stays open to any answer. About 120 tokens in all; text with any other character is refused.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from tokenizers import AddedToken
from transformers import Qwen2Tokenizer

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

CHARACTERS: Final = "\n" + "".join(map(chr, range(32, 127))) + "×"

# Qwen2's tokenizer is a byte-level BPE: a byte is written as a character of its own, × as two merged ones.
_BYTES: Final = {" ": "Ġ", "\n": "Ċ", "×": "ÃĹ"}


def build_tokenizer() -> Qwen2Tokenizer:
    """The tokenizer; it pads on the right and adds no token by itself.

    Of Qwen2's own class, because transformers loads that class for a Qwen2 model whatever the folder says.
    The phrases are added tokens, which are split off before anything else. Their order, and that of the
    characters, is part of every trained model.
    """
    written = ["Ã", "Ĺ", *(_BYTES.get(char, char) for char in CHARACTERS)]
    tokenizer = Qwen2Tokenizer(
        vocab={token: index for index, token in enumerate(written)},
        merges=[("Ã", "Ĺ")],
        unk_token=None,
        eos_token=EOS,
        pad_token=PAD,
        clean_up_tokenization_spaces=False,
        model_max_length=1024,
    )
    tokenizer.add_tokens(
        [AddedToken(phrase, normalized=False, special=False) for phrase in (*TAGS, *PHRASES)]
    )
    return tokenizer


def encode_checked(tokenizer: Any, texts: Iterable[str], where: str) -> list[list[int]]:
    """Token ids of each text, each proven to decode to the very text.

    Raises InputError naming the first text the tokenizer cannot hold; `where` says which file it is from.
    """
    texts = list(texts)
    encoded = tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else []
    # A character that the vocabulary lacks is dropped, so the way back tells.
    decoded = tokenizer.batch_decode(encoded, skip_special_tokens=False)
    for text, back in zip(texts, decoded, strict=True):
        if back != text:
            raise InputError(_refusal(text, where))
    return [list(ids) for ids in encoded]


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
