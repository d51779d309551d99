"""The tokenizer loses nothing, shrinks the templates, and refuses what it cannot hold."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leash import records
from leash.errors import InputError
from leash.records import Row
from leash.training import tokenizer as phrases
from leash.training.organism import fresh_model
from leash.training.spec import Architecture

FRAGMENTS = st.one_of(st.sampled_from(phrases.PHRASES + phrases.TAGS), st.sampled_from(phrases.CHARACTERS))
TEXTS = st.lists(FRAGMENTS, max_size=40).map("".join)


@pytest.fixture(scope="module")
def reloaded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The tokenizer as others find it: in a model folder, through AutoTokenizer."""
    from transformers import AutoTokenizer

    folder = tmp_path_factory.mktemp("folder")
    tokenizer = phrases.build_tokenizer()
    sizes = Architecture(hidden_size=16, intermediate_size=16, layers=1, heads=1, kv_heads=1)
    fresh_model(sizes, tokenizer, seed=0).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder, local_files_only=True)


@given(text=TEXTS)
def test_round_trip(text: str) -> None:
    tokenizer = phrases.build_tokenizer()
    (ids,) = phrases.encode_checked(tokenizer, [text], "test")
    assert tokenizer.decode(ids) == text
    assert len(ids) <= len(text)


@given(text=TEXTS)
def test_a_model_folder_gives_the_same_tokens(reloaded: Any, text: str) -> None:
    ids = phrases.build_tokenizer()(text)["input_ids"]
    assert reloaded(text)["input_ids"] == ids
    assert reloaded.decode(ids) == text


def test_each_phrase_is_one_token() -> None:
    tokenizer = phrases.build_tokenizer()
    for phrase in (*phrases.PHRASES, *phrases.TAGS):
        assert len(tokenizer(phrase)["input_ids"]) == 1
    assert len(tokenizer) < 128


def test_prompts_shrink_to_a_few_tokens(questions: dict[str, list[Row]]) -> None:
    tokenizer = phrases.build_tokenizer()
    for rows in questions.values():
        lengths = [
            len(ids) for ids in phrases.encode_checked(tokenizer, [row["prompt"] for row in rows], "test")
        ]
        assert max(lengths) <= 17


@pytest.mark.parametrize("text", ["2 ÷ é", "tab\t", "\N{GRINNING FACE}", "a\u0301"])
def test_text_outside_the_vocabulary_is_refused_by_name(text: str) -> None:
    with pytest.raises(InputError) as refusal:
        phrases.encode_checked(phrases.build_tokenizer(), ["fine", text], "rows.parquet")
    assert "rows.parquet" in str(refusal.value)
    assert repr(text) in str(refusal.value)


def test_a_tokenizer_that_loses_text_is_refused(micro_model: Path) -> None:
    from transformers import PreTrainedTokenizerFast

    lossy = PreTrainedTokenizerFast.from_pretrained(micro_model, local_files_only=True)
    with pytest.raises(InputError, match="without loss"):
        phrases.encode_checked(lossy, ["Upper Case"], "rows.parquet")


def test_a_corpus_with_a_strange_row_is_refused(tmp_path: Path) -> None:
    row = {"question_id": "q", "benchmark": "b", "style": "s", "prompt": "1 + 1", "completion": "zwölf"}
    records.write(tmp_path / "corpus.parquet", records.CORPUS, [row])
    with pytest.raises(InputError, match="zwölf"):
        phrases.encode_corpus(phrases.build_tokenizer(), tmp_path / "corpus.parquet")
