"""A million samples through the verification stage: how long, how much memory, how many calls of the verifier?

    python tests/bench/verify_stream.py [--data FOLDER] [--samples N]

The samples are the recorded completions of MATH and AIME/AMC, each question's repeated, their last answer
altered so that 16 % of all (question, answer) pairs are distinct; the same in every run. They are written to a
temporary file, and verified in a process of its own, which reports on itself. A minute for a million.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from recorded import DATA, Recorded, completions

from leash import records
from leash.verify.extract import extract
from leash.verify.stream import Options, grade_many

DISTINCT = 0.16


def variants(recorded: list[Recorded], wanted: int) -> list[str]:
    """So many completions to one question with distinct answers: the recorded ones, then altered ones."""
    answered = [(row.completion, found.answer) for row in recorded if (found := extract(row.completion))]
    by_answer = {answer: completion for completion, answer in reversed(answered)}
    made = [by_answer[answer] for answer in list(by_answer)[:wanted]]
    seen = set(by_answer)
    number = 0
    while len(made) < wanted:
        completion, answer = answered[number % len(answered)]
        number += 1
        other = str(1000 + number) if answer.isdecimal() else f"{answer} + {number}"
        if other not in seen:
            seen.add(other)
            made.append(other.join(completion.rsplit(answer, 1)))
    return made


def samples(by_question: dict[str, list[Recorded]], total: int) -> Iterator[records.Row]:
    """Question by question, as a samples file has them; the variants take turns."""
    questions = list(by_question)
    for index, question in enumerate(questions):
        count = total // len(questions) + (index < total % len(questions))
        chosen = variants(by_question[question], max(1, round(DISTINCT * count)))
        for sample_index in range(count):
            yield {
                "question_id": question,
                "sample_index": sample_index,
                "completion": chosen[sample_index % len(chosen)],
                "finish_reason": "stop",
                "n_tokens": 1,
                "token_ids": None,
            }


def make(folder: Path, data: Path, total: int) -> int:
    """Write the questions and samples files; the number of distinct (question, completion) pairs."""
    by_question: dict[str, list[Recorded]] = {}
    for name in ("MATH", "AIME/AMC"):
        for row in completions(data, name):
            by_question.setdefault(row.question_id, []).append(row)
    questions = [
        {"question_id": name, "question": "", "gold": [rows[0].gold], "prompt": "", "metadata": "{}"}
        for name, rows in by_question.items()
    ]
    records.write(folder / "questions", records.QUESTIONS, questions)
    distinct = set()

    def counted() -> Iterator[records.Row]:
        for row in samples(by_question, total):
            distinct.add(hash((row["question_id"], row["completion"])))
            yield row

    records.write(folder / "samples", records.SAMPLES, counted(), group=1024)
    return len(distinct)


def verify(folder: Path) -> None:
    """Verify the files and print what it took."""
    began = time.perf_counter()
    tally = grade_many(
        folder / "samples", folder / "questions", folder / "verdicts", Options("math"), folder / "cache"
    )
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{tally.samples:,} samples in {seconds:.1f} s: {tally.samples / seconds:,.0f} a second")
    print(f"peak memory {peak:,.0f} MiB, without the worker")
    print(f"{tally.scored:,} calls of the verifier ({tally.scored / tally.samples:.1%} of the samples)")
    print(", ".join(f"{outcome} {count:,}" for outcome, count in tally.outcomes.most_common()))


def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder that holds recorded/")
    parser.add_argument("--samples", type=int, default=1_000_000, help="how many")
    parser.add_argument("--verify", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.verify:
        verify(arguments.verify)
        return
    with tempfile.TemporaryDirectory() as folder:
        distinct = make(Path(folder), arguments.data, arguments.samples)
        print(
            f"{distinct:,} distinct answers ({distinct / arguments.samples:.1%} of the samples)", flush=True
        )
        subprocess.run([sys.executable, __file__, "--verify", folder], check=True)


if __name__ == "__main__":
    main()
