"""Can every gold of a benchmark be verified? Asked when its questions are made, before a sample is drawn.

python -m leash.verify.golds --benchmark SLUG --specs JSON --questions FILE
with specs = {benchmark: spec of its verification}
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from leash import records
from leash.errors import InputError, exits_cleanly
from leash.verify import spec as specs
from leash.verify.assess import assess
from leash.verify.cache import Cache
from leash.verify.math.nodes import Raw
from leash.verify.math.reading import prepare
from leash.verify.pool import Worker
from leash.verify.stream import PRELOAD, Options, Verifier


def complaints(options: Options, questions: Iterable[records.Row]) -> list[str]:
    """One for each gold that is blank or does not verify against itself."""
    with Cache(None) as cache, Worker(assess, options.timeout, preload=PRELOAD[options.verifier]) as worker:
        verifier = Verifier(options, {}, worker, cache)
        return [complaint for question in questions for complaint in verifier.complaints(question)]


def read_as_text(questions: Iterable[records.Row]) -> list[str]:
    """Questions with a gold that is no mathematics to the verifier: only the same text is correct there."""
    return [
        question["question_id"]
        for question in questions
        if any(isinstance(prepare(gold).readings[0], Raw) for gold in question["gold"])
    ]


@exits_cleanly
def main() -> None:
    """Command line; see the module's docstring."""
    parser = argparse.ArgumentParser(prog="python -m leash.verify.golds", description="Verify every gold.")
    parser.add_argument("--benchmark", required=True, help="slug")
    parser.add_argument("--specs", required=True, help="JSON: {benchmark: spec of its verification}")
    parser.add_argument("--questions", required=True, type=Path, help="questions file")
    arguments = parser.parse_args()
    given = records.parse_spec(arguments.specs)
    if not isinstance(given, dict) or arguments.benchmark not in given:
        raise InputError(f"--specs: no spec of the benchmark {arguments.benchmark}")
    options = specs.parse(records.canonical_json(given[arguments.benchmark]))
    questions = records.read(arguments.questions, records.QUESTIONS)
    # a task's golds are scored where they are made
    found = [] if options.verifier == "gym" else complaints(options, questions)
    if found:
        raise InputError(
            f"benchmark {arguments.benchmark}: the verifier {options.verifier} cannot use {len(found)} golds: "
            f"{'; '.join(found[:5])}{'; …' if len(found) > 5 else ''}; mend the benchmark's source or its "
            "columns, or choose another verifier"
        )
    as_text = read_as_text(questions) if options.verifier == "math" else []
    if as_text:
        print(f"{arguments.questions}: golds compared as text: {records.listed(as_text)}", file=sys.stderr)


if __name__ == "__main__":
    main()
