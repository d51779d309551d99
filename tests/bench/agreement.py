"""Does the verifier agree with the scores that came with recorded completions?

    python tests/bench/agreement.py [--data FOLDER] [--set MATH ...]

Prints for each set how many verdicts agree with the recorded scores, and every one that does not, one a line:
question, gold, extracted answer, rule, recorded score, outcome. A minute for all sets.
"""

import argparse
from pathlib import Path

from recorded import DATA, FILES, Recorded, completions

from leash.verify import grade
from leash.verify.extract import extract


def described(one: Recorded, outcome: str) -> str:
    """A disagreement as one line."""
    found = extract(one.completion)
    answer, rule = (found.answer, found.rule) if found else (None, None)
    recorded = "correct" if one.correct else "wrong"
    return f"{one.question_id}\tgold {one.gold!r}\tanswer {answer!r}\t{rule}\trecorded {recorded}\tours {outcome}"


def compare(data: Path, name: str) -> None:
    """Print the agreement of one set."""
    rows = completions(data, name)
    outcomes = [grade(row.completion, row.gold).outcome for row in rows]
    disagreements = [
        described(row, outcome)
        for row, outcome in zip(rows, outcomes, strict=True)
        if (outcome == "correct") != row.correct
    ]
    print(f"{name}: {len(rows):,} completions, {len(rows) - len(disagreements):,} agreements")
    for line in disagreements:
        print(f"  {line}")


def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder that holds recorded/")
    parser.add_argument("--set", nargs="+", choices=FILES, default=list(FILES), help="which sets")
    arguments = parser.parse_args()
    for name in arguments.set:
        compare(arguments.data, name)


if __name__ == "__main__":
    main()
