"""The answer a completion commits to: the last complete <answer>…</answer> after its thinking."""


def answer(completion: str) -> str | None:
    """The stripped text of the last complete answer tag, or None.

    Only the text after the last </think> counts; a <think> opened there and never closed gives None, as do an
    answer tag that is not closed and one that holds only whitespace. A few passes over the text: linear time.
    """
    text = completion[completion.rfind("</think>") + 1 :]
    if "<think>" in text:
        return None
    start = text.rfind("<answer>", 0, max(text.rfind("</answer>"), 0))
    if start < 0:
        return None
    # of several closing tags after the last opening one, the first ends the pair
    inside = text[start + len("<answer>") : text.find("</answer>", start)]
    return inside.strip() or None
