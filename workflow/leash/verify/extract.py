"""The answer that a completion commits to, and the rule that found it.

Rules, each chosen by name; what stands last wins, and an <answer> tag wins over all:
  answer_tag  the last complete <answer>…</answer>
  open_tag    an <answer> that is not closed, to the end of the text, where the model stopped by itself: a stop
              string is no part of the completion
  boxed       the last complete \\boxed{…} or \\fbox{…}; several in one sentence are one answer of several values
  stated      plain words: "The answer is 5.", "**Answer: D**", "答案是 $\\frac34$"
  concluding  a last sentence that concludes and ends with the value: "In total that makes $18.90."
Text after </think> counts before text in it. No answer: a <think> that never closes (a complete <answer> in
it apart), a last box that never closes, a number in running text. Text after a new "Problem:", "Human:" or
"Question:" turn is not the model's answer to this question.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

RULES: Final = ("answer_tag", "open_tag", "boxed", "stated", "concluding")


class Extracted(NamedTuple):
    """An answer as the model wrote it.

    together: all values, comma-joined, where the last box shares its sentence with others in running words;
    the answer proper is then the last, and these count where the gold asks for as many values.
    """

    answer: str
    rule: str
    together: str | None = None


def extract(completion: str, rules: Sequence[str] = RULES, complete: bool = True) -> Extracted | None:
    """The last committed answer by one of `rules`, or None. Linear time.

    complete: whether the model ended by itself, rather than at a length limit.
    """
    # what only sounds like a conclusion may be followed by the model's own question
    marked = [rule for rule in rules if rule != "concluding"]
    for cut in _turns(completion):
        found = _unthought(completion[:cut], rules if completion[cut] in "<[" else marked, complete=True)
        if found:
            return found
    return _unthought(completion, rules, complete)


_TURN: Final = re.compile(
    r"\n[ \t]*(?:\*\*|#+[ \t]*)?(?:Problem|Human|Question|User|Instruction|Q)(?: \d+)?[ \t]*(?::|(?<=\d)\.)"
    r"|\n(?:user|human)[ \t]*(?=\n)|</s>|\[INST\]|<\|(?:im_end|im_start|endoftext|eot_id|user|end)\|>"
)
_MOST_TURNS: Final = 4


_COMMITTING: Final = ("box", "nswer", "NSWER", "hoice", "ption", "答案", "####")


def _may_have_turns(text: str) -> bool:
    """Whether a turn is worth looking for: plain searches, since most completions have none and all are asked."""
    return (
        "Question" in text
        or "Problem" in text
        or "Human" in text
        or "User" in text
        or "Instruction" in text
        or "\nQ" in text
        or "<|" in text
        or "\nuser" in text
        or "\nhuman" in text
        or "</s>" in text
        or "[INST]" in text
    )


def _turns(completion: str) -> list[int]:
    committed = [at for at in map(completion.find, _COMMITTING) if at >= 0]
    # before any answer no turn is of interest, special tokens apart: they end what only sounds like one
    since = min(committed) if committed and "<|" not in completion else 0
    if not _may_have_turns(completion[since:]):
        return []
    cuts = []
    for found in _TURN.finditer(completion, since):
        cuts.append(found.start())
        if len(cuts) == _MOST_TURNS:
            break
    return cuts


def _unthought(text: str, rules: Sequence[str], complete: bool) -> Extracted | None:
    end = text.rfind("</think>")
    after = text[end + len("</think>") :] if end >= 0 else text
    if "<think>" in after:
        return _tagged(after, [rule for rule in rules if rule != "open_tag"])
    found = _in_text(after, rules, complete)
    if found or end < 0:
        return found
    # a tag commits wherever it stands; a box in a thought only where nothing but the thought was written
    committed = ("answer_tag",) if after.strip() else ("answer_tag", "boxed")
    return _in_text(text[:end], [rule for rule in rules if rule in committed], complete=False)


def _in_text(text: str, rules: Sequence[str], complete: bool) -> Extracted | None:
    if "<answer>" in text:
        tagged = _tagged(text, rules if complete else [rule for rule in rules if rule != "open_tag"])
        if tagged:
            return tagged
    boxed, start, end = _boxed(text) if "boxed" in rules else (None, 0, 0)
    if boxed and _withdrawn(text, start, end):
        boxed = None
    elif boxed and not text[end:].strip(_CLOSING):  # the box is the last word, as most are
        return boxed
    if end < 0:  # a box was begun and not finished: what stood before it is withdrawn
        return None
    stated = _stated(text, end, boxed is not None, complete) if "stated" in rules else None
    if stated or boxed:
        return stated or boxed
    return _concluding(text) if complete and "concluding" in rules else None


# <answer>

_LONGEST_OPEN: Final = 2000


def _tagged(text: str, rules: Sequence[str]) -> Extracted | None:
    closing = text.rfind("</answer>")
    start = text.rfind("<answer>", 0, max(closing, 0))
    if "answer_tag" in rules and closing >= 0 and start >= 0:
        # of several closing tags after the last opening one, the first ends the pair
        inside = text[start + len("<answer>") : text.find("</answer>", start)]
        return _inside_tag(inside, "answer_tag", rules)
    start = text.rfind("<answer>")
    if "open_tag" in rules and start >= 0 and len(text) - start <= _LONGEST_OPEN:
        return _inside_tag(text[start + len("<answer>") :], "open_tag", rules)
    return None


def _inside_tag(inside: str, rule: str, rules: Sequence[str]) -> Extracted | None:
    """What stands in a tag; where it holds a box, and boxes count, the box."""
    boxed = _boxed(inside).found if "boxed" in rules and "box" in inside else None
    if boxed:
        return boxed._replace(rule=rule)
    inside = inside.strip()
    return Extracted(inside, rule) if inside else None


# \boxed

_BOX: Final = re.compile(r"\\f?box(?:ed)?(?![A-Za-z])\s*")
_BARE: Final = re.compile(r"-?\d[\d.,]*(?<![.,])")
_NAME: Final = re.compile(r"([A-Za-z](?:[A-Za-z]*|_\{?\w+\}?))\s*=\s*[$\\({]*\s*$")
_SENTENCE_END: Final = re.compile(r"[.!?。][\s$)\\]|\n\s*\n")
_LIST_LIKE: Final = re.compile(
    r"(?:[\s$\\()\[\]{},;、]|text|and|or|both|also|either|和|或|及|与)*|.*\bor\b.*", re.S
)
_NEAR: Final = 100  # characters between boxes of one sentence
_FARTHEST: Final = 600
_MOST_BOXES: Final = 12


class _Box(NamedTuple):
    start: int
    end: int
    inside: str


class _Boxed(NamedTuple):
    """A boxed answer, where its last box starts, and where it ends: 0 for no box, -1 for one never closed."""

    found: Extracted | None
    start: int
    end: int


def _boxed(text: str) -> _Boxed:
    last = _last_box(text, len(text))
    if last is None or last.end < 0:
        return _Boxed(None, 0, 0 if last is None else -1)
    boxes, certain = _with_those_before(text, last)
    start, end, inside = boxes[-1]
    if not inside:
        return _Boxed(None, start, end)
    if len(boxes) == 1:
        return _Boxed(Extracted(inside, "boxed"), start, end)
    joined = ", ".join(_with_name(text, one) for one in boxes)
    found = Extracted(joined, "boxed") if certain else Extracted(inside, "boxed", joined)
    return _Boxed(found, start, end)


def _with_those_before(text: str, last: _Box) -> tuple[list[_Box], bool]:
    """The boxes of the last one's sentence, in order, and whether they are a list rather than in running words."""
    boxes, certain = [last], True
    while len(boxes) < _MOST_BOXES:
        start = boxes[0].start
        if "}" not in text[max(0, start - _NEAR) : start]:
            break
        before = _last_box(text, start, max(0, start - _FARTHEST))
        if before is None or before.end < 0 or start - before.end > _NEAR:
            break
        if before.end > start:  # the outer of two nested boxes
            boxes[0] = before
            continue
        between = text[before.end : start]
        if _SENTENCE_END.search(between):
            break
        certain = certain and _LIST_LIKE.fullmatch(_NAME.sub("", between)) is not None
        boxes.insert(0, before)
    return boxes, certain


def _last_box(text: str, before: int, since: int = 0) -> _Box | None:
    """The last box that opens between two indices; end -1 where its brace never closes."""
    word = before
    while (word := text.rfind("box", since, word)) >= 0:
        at = word - (1 if text[word - 1 : word] == "\\" else 2)
        opened = _BOX.match(text, at) if at >= 0 else None
        if opened is None:
            continue
        if text.startswith("{", opened.end()):
            end = closing_brace(text, opened.end())
            return _Box(at, end, text[opened.end() + 1 : end - 1].strip() if end > 0 else "")
        bare = _BARE.match(text, opened.end())
        if bare:
            return _Box(at, bare.end(), bare.group())
    return None


_BRACE: Final = re.compile(r"\\[\\{}]|[{}]")


def closing_brace(text: str, start: int) -> int:
    """The index after the brace that closes the one at `start`, escaped braces aside; -1 for none."""
    depth = 0
    for brace in _BRACE.finditer(text, start):
        kind = brace.group()
        if kind == "{":
            depth += 1
        elif kind == "}":
            depth -= 1
            if depth == 0:
                return brace.end()
    return -1


_CLOSING: Final = " $)\\].\n"
"""What closes a formula and its sentence."""
_DENIED_BEFORE: Final = re.compile(r"\bnot\s*[$\\({]*\s*$")
_DENIED_AFTER: Final = re.compile(
    r"[\s$)\\\]]*(?:\?|\b(?:is|are) (?:impossible|wrong|incorrect|not|false)\b)"
)
_REPENTED: Final = re.compile(
    r"\bI (?:have )?made an? (?:\w+ )?(?:mistake|error)"
    r"|\b(?:that|this|which) (?:is|was) (?:wrong|incorrect|not right)\b"
    r"|\blet me (?:re|start over|try again)",
    re.IGNORECASE,
)


def _withdrawn(text: str, start: int, end: int) -> bool:
    """Whether the box between two indices is denied beside it, or taken back after it."""
    if "not" in text[max(0, start - 30) : start] and _DENIED_BEFORE.search(text, max(0, start - 30), start):
        return True
    if not text[end:].strip(_CLOSING):
        return False
    return bool(_DENIED_AFTER.match(text, end) or _REPENTED.search(text, end))


def _with_name(text: str, box: _Box) -> str:
    name = _NAME.search(text, max(0, box.start - 40), box.start)
    return f"{name[1]} = {box.inside}" if name and "=" not in box.inside else box.inside


# plain words

_LABEL: Final = re.compile(
    r"(?:(?<!other )\b(?:answer|(?:correct|right|final|best)\s+(?:choice|option))\b(?: choice)?\s{0,3}(?:\*\*)?\s{0,3}"
    r"(?::|：|\bis\b|=|(?=\\\[|\\\(|\$\$))|答案(?:是|为|：|:)|(?:^|\n)\W{0,5}final answer\W{0,3}(?=\n)|\n####(?=[ \t]))"
    r"[ \t]*(?::|：)?",
    re.IGNORECASE,
)
_PREDICATE: Final = re.compile(
    r"^(?:(?:thus|therefore|indeed|also|always|simply|clearly) )?"
    r"(?:correct|right|wrong|incorrect|obvious|clear|valid|invalid|verified|unique|not|as|in|given|that|the same)\b",
    re.IGNORECASE,
)
_PROSE: Final = re.compile(r"^(?:[^$\\=]|\$[^$]*\$)*?\b(?:is|are|equals)\b[ \t]*:?[ \t]*", re.IGNORECASE)
_VALUE_LIKE: Final = re.compile(r"\d|[$\\]|^\(?[A-Ja-j]\)?\W*$|^\W*\w+(?:\s+\w+)?\W*$")


def _stated(text: str, after: int, boxed: bool, complete: bool) -> Extracted | None:
    """The last plainly stated answer that begins after an index."""
    tail = text[after:] if after else text
    if not (
        "nswer" in tail
        or "NSWER" in tail
        or "答案" in tail
        or "hoice" in tail
        or "ption" in tail
        or "####" in tail
    ):
        return None
    labels = list(_LABEL.finditer(text, after))
    for label in reversed(labels[-_MOST_LABELS:]):
        if not complete and label.group().rstrip()[-1:] not in ":：":
            continue  # in a text cut short, "the answer is 5" may have gone on with "but"
        if _DOUBTED.search(_sentence_before(text, label.start())):
            continue
        value, terminated = _line_after(text, label.end())
        if not value or _PREDICATE.match(value):
            continue
        if (terminated or complete) and (not boxed or _MATH_FIRST.match(value)):
            return Extracted(value, "stated")
    return None


_MOST_LABELS: Final = 50
_DOUBTED: Final = re.compile(
    r"\b(?:wrong|incorrect|common|mistaken|students?|someone|somebody|might|may|could|would|suppos\w+|assum\w+|if"
    r"|whether|perhaps|maybe|think|thought|guess\w*|say|says|not|their|his|her|previous|old|hope)\b",
    re.IGNORECASE,
)
_MATH_FIRST: Final = re.compile(r"[\s*$(\[{+\-−\\]*(?:\d|[$\\]|[A-Za-z](?![A-Za-z]))|[$€£]|\$?\\")


def _sentence_before(text: str, start: int) -> str:
    """The sentence that a label stands in, up to the label."""
    before = text[max(0, start - 120) : start + 1]
    return re.split(r"[.!?。]\s|\n", before)[-1]


_DISPLAY: Final = re.compile(r"[\s*:]*(?:\\\[|\$\$)\s*([^$]{1,300}?)\s*(?:\\\]|\$\$)")
_LEADING: Final = re.compile(
    r"^[\s*_:]*(?:approximately|about|therefore|thus|exactly|simply|roughly|just|only)\b\s*", re.IGNORECASE
)
_TRAILING: Final = re.compile(
    r"\s*[,;(–—]\s*(?:since|because|as|where|which|so|when|by|not|for|with|given)\b.*$", re.S
)


def _line_after(text: str, start: int) -> tuple[str, bool]:
    """What is stated after a label, up to the end of its sentence, and whether that end is there."""
    display = _DISPLAY.match(text, start)
    if display:
        return display[1].strip(), True
    line_end = text.find("\n", start)
    line = text[start : line_end if line_end >= 0 else len(text)]
    if not line.strip(" *:\t"):  # the label stands on a line of its own
        rest = text[line_end:].lstrip() if line_end >= 0 else ""
        line, _, more = rest.partition("\n")
        line_end = 0 if more else -1
    sentence, ended = _first_sentence(line)
    prose = _PROSE.match(sentence)
    value = sentence[prose.end() :] if prose else sentence
    value = _LEADING.sub("", _TRAILING.sub("", value))
    return value.strip(" \t*_:"), ended or line_end >= 0


def _first_sentence(line: str) -> tuple[str, bool]:
    """A line up to the full stop that ends its first sentence; stops inside $…$ and numbers aside."""
    in_math = False
    unpaired = line.replace("\\$", "").count("$") % 2
    for index, character in enumerate(line):
        if character == "$" and not unpaired and line[index - 1 : index] != "\\":
            in_math = not in_math
        elif character == "。" or (
            character == "." and not in_math and (index + 1 == len(line) or line[index + 1] in " *)")
        ):
            return line[:index], True
    return line, False


_CUE: Final = re.compile(
    r"^\W*(?:so|thus|hence|therefore|in total|in all|altogether|all together|in conclusion"
    r"|it follows that|we conclude that|overall|consequently|finally)\b|^\W*(?:因此|所以|综上)",
    re.IGNORECASE,
)
_ENDS_WITH: Final = re.compile(
    r"(?:\b(?:is|are|equals?|makes?|gives?|get|to|be|costs?|has|have)\b|=|:|是|为)\s*"
    r"(?P<value>\*\*[^*\n]{1,80}\*\*|\$[^$\n]{1,120}\$|\\\([^\n]{1,120}?\\\)|[-+−$€£¥]?\s?\d[^\s]{0,40}(?:\s\w{1,12})?)\W{0,3}$"
)
_WHOLE_MATH: Final = re.compile(r"(?P<value>\$[^$\n]{1,120}\$|\\\([^\n]{1,120}?\\\))\W{0,3}$")
_BOLD: Final = re.compile(
    r"\b(?:is|are|equals?|makes?|gives?|to|be)\b:?\s*\*\*(?P<value>[^*\n]{1,80})\*\*\W{0,3}$"
)


_ALONE: Final = re.compile(r"(?:\*\*)?(?P<value>[-+−$€£¥]?\s?\d[\d.,/%]{0,30}|\$[^$\n]{1,80}\$)(?:\*\*)?\.?")


def _concluding(text: str) -> Extracted | None:
    line = text.rstrip().rpartition("\n")[2][-600:].strip()
    alone = _ALONE.fullmatch(line)
    if alone and (line.startswith("*") or line == text.strip()):
        return Extracted(alone["value"], "concluding")
    stops = [stop.end() for stop in re.finditer(r"[.!?。](?=\s)", line)]
    sentence = line[stops[-1] if stops else 0 :].strip()
    found = _BOLD.search(sentence)
    if not found and sentence[-1:] in ".!。$)*" and _CUE.match(sentence):
        found = _WHOLE_MATH.search(sentence) or _ENDS_WITH.search(sentence)
    if not found or not _VALUE_LIKE.search(found["value"]):
        return None
    return Extracted(found["value"].strip(" *").rstrip(".。"), "concluding")
