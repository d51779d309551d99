"""Judgements on disk: found again for the same question to the same verifier, and for nothing else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from leash import records
from leash.errors import InputError
from leash.verify import cache as caching
from leash.verify.cache import Cache, Judged
from leash.verify.stream import Options, grade_many

MATH = Options()
RIGHT, WRONG = Judged(True, "numbers", "5"), Judged(False, "", "6\0…")


def test_what_was_put_is_found_before_and_after_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "cache.sqlite"
    with Cache(path) as cache:
        assert cache.get(b"a") is None
        cache.put(b"a", RIGHT)
        cache.put(b"b", WRONG)
        assert (cache.get(b"a"), cache.get(b"b"), cache.get(b"c")) == (RIGHT, WRONG, None)
    with Cache(path) as cache:
        assert (cache.get(b"a"), cache.get(b"b"), cache.get(b"c")) == (RIGHT, WRONG, None)


def test_no_path_keeps_nothing() -> None:
    with Cache(None) as cache:
        cache.put(b"a", RIGHT)
        assert cache.get(b"a") is None


def test_a_batch_is_written_before_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching, "_BATCH", 2)
    with Cache(tmp_path / "cache") as one:
        one.put(b"a", RIGHT)
        one.put(b"b", WRONG)
        with Cache(tmp_path / "cache") as other:
            assert (other.get(b"a"), other.get(b"b")) == (RIGHT, WRONG)


def test_what_is_judged_is_kept_where_the_run_fails(tmp_path: Path) -> None:
    def failing() -> None:
        with Cache(tmp_path / "cache") as cache:
            cache.put(b"a", RIGHT)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    with Cache(tmp_path / "cache") as cache:
        assert cache.get(b"a") == RIGHT


def test_a_key_holds_all_that_a_verdict_depends_on() -> None:
    parts = [
        ("v1", ["5"], "6", None),
        ("v2", ["5"], "6", None),
        ("v1", ["6"], "5", None),
        ("v1", ["5", "6"], "6", None),
        ("v1", ["56"], "6", None),
        ("v1", ["5"], "6 ", None),
        ("v1", ["5"], "6", "5, 6"),
        ("v1", ["5"], "\ud800", None),
        ("v1", ["5"], "", None),
    ]
    assert len({caching.key(*one) for one in parts}) == len(parts)
    assert caching.key(*parts[0]) == caching.key(*parts[0])


def test_a_fingerprint_changes_with_the_verifier_its_version_and_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [
        caching.fingerprint("math", 1),
        caching.fingerprint("math", 2),
        caching.fingerprint("numeric", 1),
    ]
    assert names[0] == caching.fingerprint("math", 1)
    source = tmp_path / "code.py"
    monkeypatch.setattr(caching, "module_files", lambda _: (str(source),))
    for text in ("one", "two"):
        source.write_text(text)
        names.append(caching.fingerprint("math", 1))
    assert len(set(names)) == len(names)


def test_a_fingerprint_changes_with_the_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    before = caching.fingerprint("math", 1)
    monkeypatch.setattr(caching, "version", lambda _: "0.0.1")
    assert caching.fingerprint("math", 1) != before


WRITER = """
import sys
from pathlib import Path
from leash.verify.cache import Cache, Judged
first, last = int(sys.argv[2]), int(sys.argv[3])
with Cache(Path(sys.argv[1])) as cache:
    for index in range(first, last):
        cache.put(str(index).encode(), Judged(index % 2 == 0, "by value", str(index)))
        if index % 100 == 0:
            cache.flush()
"""


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "cache"
    ranges = [("0", "3000"), ("1500", "4500")]
    running = [subprocess.Popen([sys.executable, "-c", WRITER, path, *ends]) for ends in ranges]
    assert [process.wait() for process in running] == [0, 0]
    with Cache(path) as cache:
        for index in range(4500):
            assert cache.get(str(index).encode()) == Judged(index % 2 == 0, "by value", str(index))


def read(path: Path, size: int) -> None:
    with Cache(path) as cache:
        for index in range(size):
            cache.get(str(index).encode())


@pytest.mark.parametrize("size", [0, 150, 5000])
def test_a_broken_file_is_an_input_error(tmp_path: Path, size: int) -> None:
    path = tmp_path / "cache"
    with Cache(path) as cache:
        for index in range(500):
            cache.put(str(index).encode(), RIGHT)
    path.write_bytes(path.read_bytes()[:size] + b"not a database " * 1000)
    with pytest.raises(InputError, match=rf"{path}.*delete it"):
        read(path, 500)


def test_a_folder_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a cache"):
        Cache(tmp_path)


def make(folder: Path, golds: list[str]) -> None:
    questions = [
        {"question_id": f"q{index}", "question": "q", "gold": [gold], "prompt": "q", "metadata": "{}"}
        for index, gold in enumerate(golds)
    ]
    answers = [r"\frac{1}{2}", "0.5", "0.25", "x+1", "1+x", "1, 2", "12", r"5 \text{ km}", "<"]
    samples = [
        {
            "question_id": question["question_id"],
            "sample_index": index,
            "completion": rf"So it is \boxed{{{answer}}}",
            "finish_reason": "stop",
            "n_tokens": 3,
            "token_ids": None,
        }
        for question in questions
        for index, answer in enumerate([*answers, *answers])
    ]
    records.write(folder / "q", records.QUESTIONS, questions)
    records.write(folder / "s", records.SAMPLES, samples)


def verdicts(folder: Path, options: Options = MATH) -> tuple[int, list[records.Row]]:
    """Calls of the verifier, and the rows without their seconds."""
    tally = grade_many(folder / "s", folder / "q", folder / "o", options, folder / "cache")
    rows = records.read(folder / "o", records.VERDICTS)
    return tally.scored, [{**row, "seconds": None} for row in rows]


def test_a_second_run_makes_no_call_and_the_same_verdicts(tmp_path: Path) -> None:
    make(tmp_path, ["0.5", "x + 1", r"\{1,2\}", "12"])
    calls, first = verdicts(tmp_path)
    assert 0 < calls < len(first)
    assert verdicts(tmp_path) == (0, first)


def test_other_options_golds_and_metadata_are_judged_anew(tmp_path: Path) -> None:
    make(tmp_path, ["0.5"])
    calls, _ = verdicts(tmp_path)
    assert verdicts(tmp_path, Options(tolerance=0.01))[0] == calls
    assert verdicts(tmp_path, Options("numeric"))[0] >= calls - 1
    assert verdicts(tmp_path, Options(timeout=9.0))[0] == 0  # a limit changes no verdict that is kept
    make(tmp_path, ["0.50"])
    assert verdicts(tmp_path)[0] > 1
    questions = records.read(tmp_path / "q", records.QUESTIONS)
    questions[0]["metadata"] = json.dumps({"other": 1})
    records.write(tmp_path / "q", records.QUESTIONS, questions)
    assert verdicts(tmp_path)[0] > 1
    assert verdicts(tmp_path)[0] == 0
