"""The sampling job with a sampler of its own: what it keeps of an earlier attempt, and what it refuses."""

import json
import random
import resource
import zlib
from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leash import records
from leash.errors import InputError
from leash.sampling.__main__ import Job, Opened, open_sampler, parser
from leash.sampling.plan import question_seed, questions_sha256
from leash.sampling.provenance import part_path
from leash.sampling.request import Completion, Request

SPEC = {
    "model": {"endpoint": "fake"},
    "state": ["fake", "final"],
    "benchmark": "sums",
    "chat_template": False,
    "temperature": 1.0,
    "top_p": 0.95,
    "max_tokens": 20,
    "token_ids": 2,
    "dtype": "float32",
    "seed": 3,
    "start": 0,
    "stop": 5,
    "version": 1,
}


class DiedError(Exception):
    """The sampler's process has ended."""


def ids_of(seed: int) -> list[int]:
    """What a seed draws."""
    drawn = random.Random(seed)
    return [drawn.randrange(99) for _ in range(drawn.randint(1, 20))]


class FakeSampler:
    """A character is a token. Draws what the seed says, in any order, and dies after so many samples."""

    def __init__(self, lifetime: int = 10**6, context: int | None = 40) -> None:
        self.context, self.lifetime = context, lifetime
        self.asked: list[tuple[str, int]] = []
        self.facts: dict[str, Any] = {"device": "CPU (fake)", "versions": {}, "chat_template_sha256": "1"}

    def describe(self) -> dict[str, Any]:
        return self.facts

    def draw(
        self, requests: Iterable[Request], temperature: float, top_p: float, max_tokens: int
    ) -> Iterator[tuple[Request, Completion]]:
        assert (temperature, top_p, max_tokens) == (1.0, 0.95, 20)
        waiting = iter(requests)
        running: list[Request] = []
        disorder = random.Random(len(self.asked))
        while True:
            running += islice(waiting, 4 - len(running))
            if not running:
                return
            request = running.pop(disorder.randrange(len(running)))
            if len(self.asked) == self.lifetime:
                raise DiedError
            self.asked.append((request.question_id, request.sample_index))
            ids = ids_of(request.seed)
            text = f"{request.prompt} {ids}\n é 数 \u2028 \ud800"
            yield request, Completion(text, "stop", ids, len(ids))


class Shard:
    """A shard in a folder, and the command that draws it."""

    def __init__(self, folder: Path, questions: int = 4) -> None:
        self.folder, self.out = folder, folder / "r0-s0.parquet"
        self.part = part_path(self.out)
        self.write_questions({f"q{i}": f"{i} + {i} =" for i in range(questions)})

    def write_questions(self, prompts: dict[str, str]) -> None:
        rows = [
            {"question_id": name, "question": "?", "gold": ["1"], "prompt": text, "metadata": "{}"}
            for name, text in prompts.items()
        ]
        records.write(self.folder / "questions.parquet", records.QUESTIONS, rows)

    def run(
        self, sampler: FakeSampler | None = None, planned: Path | None = None, **changes: Any
    ) -> FakeSampler:
        arguments = parser().parse_args(
            [
                *("--spec", json.dumps(SPEC | changes), "--engine", "{}"),
                *("--questions", str(self.folder / "questions.parquet"), "--out", str(self.out)),
                *("--provenance", str(self.out.with_suffix(".json"))),
                *(("--round", str(planned)) if planned else ()),
            ]
        )
        sampler = sampler or FakeSampler()
        opened = Opened(sampler, lambda text: list(range(len(text))), lambda ids: f"{len(ids)} characters")
        Job(arguments).run(StringIO(), lambda: opened)
        return sampler

    def die(self, lifetime: int, **changes: Any) -> FakeSampler:
        sampler = FakeSampler(lifetime)
        with pytest.raises(DiedError):
            self.run(sampler, **changes)
        return sampler

    def cells(self) -> list[tuple[str, int]]:
        return [(row["question_id"], row["sample_index"]) for row in records.read(self.out, records.SAMPLES)]

    def provenance(self) -> dict[str, Any]:
        told: dict[str, Any] = records.read_json(self.out.with_suffix(".json"))
        return told


@pytest.fixture
def shard(tmp_path: Path) -> Shard:
    return Shard(tmp_path)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    shard = Shard(tmp_path_factory.mktemp("undisturbed"))
    shard.run()
    return shard.out.read_bytes()


def test_rows_stand_in_order_and_hold_what_was_drawn(shard: Shard) -> None:
    sampler = shard.run()
    assert shard.cells() == [(f"q{question}", index) for question in range(4) for index in range(5)]
    assert sorted(sampler.asked) == shard.cells() != sampler.asked
    rows = records.read(shard.out, records.SAMPLES)
    for row in rows:
        seed = question_seed(3, "fake", "final", "sums", row["question_id"]) + row["sample_index"]
        ids = ids_of(seed)
        assert row["n_tokens"] == len(ids)
        assert row["token_ids"] == (ids if row["sample_index"] < 2 else None)
        assert row["completion"] == f"{list(range(7))} {ids}\n é 数 \u2028 ?"
    told = shard.provenance()
    assert told["spec"] == SPEC
    assert told["samples"] == 20
    assert told["tokens"] == sum(row["n_tokens"] for row in rows)
    assert told["first_prompt"] == {
        "question_id": "q0",
        "text": "7 characters",
        "token_ids": [0, 1, 2, 3, 4, 5, 6],
    }


def test_a_shard_that_is_asked_for_again_before_it_is_verified_is_not_drawn_again(
    shard: Shard, undisturbed: bytes
) -> None:
    shard.run()
    told = shard.provenance()
    # what Snakemake does with the outputs of a job whose end it has not recorded
    shard.out.unlink()
    shard.out.with_suffix(".json").unlink()
    assert shard.run().asked == []
    assert shard.out.read_bytes() == undisturbed
    assert shard.provenance() == told


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(0, 19), st.sampled_from(("torn", "flipped", "grown", "whole")), st.floats(0, 1))
    ),
)
def test_whatever_happens_to_the_part_file_nothing_whole_is_drawn_again(
    undisturbed: bytes, deaths: list[tuple[int, str, float]]
) -> None:
    with TemporaryDirectory() as folder:
        shard = Shard(Path(folder))
        for lifetime, harm, where in deaths:
            before = len(sample_lines(shard.part))
            sampler = FakeSampler(lifetime)
            if before + lifetime < 20:
                with pytest.raises(DiedError):
                    shard.run(sampler)
                assert len(sample_lines(shard.part)) == before + lifetime
                damage(shard.part, harm, where)
        kept = len(sample_lines(shard.part))
        assert len(shard.run().asked) == 20 - kept
        assert shard.out.read_bytes() == undisturbed
        told = shard.provenance()
        assert sum(one["samples"] for one in told["attempts"]) == told["samples"] == 20


def sample_lines(part: Path) -> list[bytes]:
    """Sample records before the first damaged line, by a reader of its own."""
    found = []
    for line in part.read_bytes().splitlines(keepends=True) if part.exists() else []:
        if not line.endswith(b"\n") or line[:9] != b"%08x " % zlib.crc32(line[9:-1]):
            break
        found.append(line)
    return [line for line in found if b'"sample_index"' in line]


def damage(part: Path, harm: str, where: float) -> None:
    content = bytearray(part.read_bytes())
    at = int(where * (len(content) - 1))
    if harm == "torn":
        del content[at:]
    elif harm == "flipped":
        content[at] ^= 0x55
    elif harm == "grown":
        content += b"\0" * (1 + at)
    part.write_bytes(content)


def test_the_log_says_what_is_kept_and_what_was_damaged(
    shard: Shard, capsys: pytest.CaptureFixture[str]
) -> None:
    shard.die(12)
    assert "kept" not in capsys.readouterr().err
    lines = shard.part.read_bytes().splitlines(keepends=True)
    lines[7] = lines[7].replace(b"stop", b"halt")  # the sixth sample, after the header and the attempt
    shard.part.write_bytes(b"".join(lines))
    sampler = shard.run()
    log = capsys.readouterr().err
    place = len(b"".join(lines[:7]))
    assert f"is damaged at byte {place:,}: this record and the 6 after it will be drawn again" in log
    assert f"{shard.part}: kept 5 of 20 samples of an earlier attempt\n" in log
    assert len(sampler.asked) == 15


def test_samples_that_were_drawn_otherwise_are_refused_and_kept(shard: Shard) -> None:
    shard.die(7)
    content = shard.part.read_bytes()
    with pytest.raises(InputError) as error:
        shard.run(temperature=0.7, dtype="bfloat16")
    assert str(error.value) == (
        f"{shard.part}: the samples of an earlier attempt were drawn otherwise: "
        'dtype is "float32", and "bfloat16" is asked for; temperature is 1.0, and 0.7 is asked for. '
        "Go back to the old config (and the old weights) to go on with them, or delete this file to draw afresh"
    )
    assert shard.part.read_bytes() == content
    assert len(shard.run().asked) == 13


def test_a_config_that_changes_before_anything_is_drawn_is_no_error(shard: Shard) -> None:
    shard.die(0, top_p=0.95)
    other = SPEC | {"seed": 4}
    assert len(shard.run(seed=4).asked) == 20
    assert shard.provenance()["spec"] == other
    assert len(shard.provenance()["attempts"]) == 1


def test_samples_of_other_weights_are_refused(tmp_path: Path) -> None:
    shard = Shard(tmp_path)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"old")
    shard.die(3, model={"path": str(tmp_path)})
    weights.write_bytes(b"new")
    with pytest.raises(
        InputError, match=r"weights is .*model\.safetensors.*, and .*model\.safetensors.* is asked"
    ):
        shard.run(model={"path": str(tmp_path)})


def test_samples_of_other_prompts_are_drawn_again_and_another_tokenizer_is_refused(
    shard: Shard, capsys: pytest.CaptureFixture[str]
) -> None:
    shard.die(12)
    drawn = [line for line in sample_lines(shard.part) if b'"q1"' in line]
    shard.write_questions({f"q{i}": f"{i} + {i} =" + " " * (i == 1) for i in range(4)})
    other = FakeSampler()
    other.facts = other.facts | {"chat_template_sha256": "2"}
    with pytest.raises(InputError, match='other prompts: chat_template_sha256 is "1", and "2" is asked for'):
        shard.run(other)
    assert len(shard.run().asked) == 8 + len(drawn) > 8
    assert f"; {len(drawn)} others in it are left aside" in capsys.readouterr().err


def test_a_shard_takes_its_own_samples_from_one_with_other_bounds(shard: Shard) -> None:
    first = shard.die(13)
    asked = shard.run(start=2, stop=9).asked
    wanted = {(f"q{question}", index) for question in range(4) for index in range(2, 9)}
    assert set(asked) == wanted - set(first.asked)
    assert len(asked) == len(set(asked))
    assert set(shard.cells()) == wanted


def test_a_full_disk_is_told_and_what_is_finished_is_kept(shard: Shard, undisturbed: bytes) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, hard))
    try:
        with pytest.raises(
            InputError, match=r"\.part: no space left .* finished samples are kept: free some space"
        ):
            shard.run()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    kept = len(sample_lines(shard.part))
    assert kept > 0
    assert shard.part.read_bytes().endswith(b"\n")
    assert len(shard.run().asked) == 20 - kept
    assert shard.out.read_bytes() == undisturbed


def planned(shard: Shard, **changes: Any) -> Path:
    entry = {"name": "r0-s0", "start": 0, "stop": 5, "questions": ["q1", "q3"]} | changes
    path = shard.folder / "r1.json"
    records.write_json(path, {"round": 1, "shards": [entry | {"name": "r1-s7"}, entry]})
    return path


def test_a_round_asks_for_some_questions(shard: Shard) -> None:
    told = {"questions": questions_sha256(["q1", "q3"])}
    shard.run(planned=planned(shard), **told)
    assert shard.cells() == [(name, index) for name in ("q1", "q3") for index in range(5)]
    seeds = {name: question_seed(3, "fake", "final", "sums", name) for name in ("q1", "q3")}
    assert shard.provenance()["seeds"]["questions"] == seeds


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"start": 1}, "its r0-s0 is not what --spec asks for: start is 1, and 0 is asked for"),
        ({"stop": 6}, "stop is 6, and 5 is asked for"),
        ({"questions": ["q3", "q1"]}, 'questions is "[0-9a-f]{64}", and "[0-9a-f]{64}" is asked for'),
        ({"name": "r0-s1"}, "holds no shard r0-s0"),
        ({"questions": None}, "not the file of a round"),
    ],
)
def test_a_rounds_file_that_is_not_the_specs_is_refused(
    shard: Shard, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=rf"r1\.json: .*{message}"):
        shard.run(planned=planned(shard, **changes), questions=questions_sha256(["q1", "q3"]))
    assert not shard.part.exists()


def test_a_rounds_question_that_is_no_more_is_named(shard: Shard) -> None:
    names = ["q1", "gone"]
    with pytest.raises(InputError, match=r"r1\.json: asks for questions that .* lacks: gone"):
        shard.run(planned=planned(shard, questions=names), questions=questions_sha256(names))


def test_a_spec_of_some_questions_needs_the_rounds_file(shard: Shard) -> None:
    with pytest.raises(InputError, match="--round: missing; the spec of r0-s0 asks for some questions"):
        shard.run(questions=questions_sha256(["q1"]))


def test_a_prompt_that_leaves_no_room_is_named(shard: Shard) -> None:
    shard.write_questions({"short": "1", "long": "x" * 21})
    message = (
        r"question long has 21 tokens; with max_tokens 20 it needs a context of 41, and the model has 40"
    )
    with pytest.raises(InputError, match=message):
        shard.run()
    shard.run(FakeSampler(context=None))


def test_duplicate_questions_are_refused(shard: Shard) -> None:
    row = {"question_id": "q", "question": "?", "gold": ["1"], "prompt": "1", "metadata": "{}"}
    records.write(shard.folder / "questions.parquet", records.QUESTIONS, [row, row])
    with pytest.raises(InputError, match="question_id stands more than once: q"):
        shard.run()


def test_a_sampler_that_leaves_a_sample_out_is_found_out(shard: Shard) -> None:
    sampler = FakeSampler()
    draw = sampler.draw
    sampler.draw = lambda *options: (one for one in draw(*options) if one[0].sample_index != 4)  # type: ignore
    with pytest.raises(RuntimeError, match="has left out 4 samples"):
        shard.run(sampler)
    assert not shard.out.exists()


def test_a_million_samples_are_not_asked_for_at_once(shard: Shard) -> None:
    with pytest.raises(DiedError):
        shard.run(FakeSampler(100), stop=2**15)
    assert len(sample_lines(shard.part)) == 100
    assert shard.part.stat().st_size < 100_000


def test_a_server_needs_its_settings() -> None:
    arguments = parser().parse_args(
        ["--spec", json.dumps(SPEC), "--engine", "{}", "--questions", "q", "--out", "o", "--provenance", "p"]
    )
    with pytest.raises(InputError, match="fake: a model behind an endpoint needs its servers in --endpoints"):
        open_sampler(arguments, None)  # type: ignore[arg-type]
