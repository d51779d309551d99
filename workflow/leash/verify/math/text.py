"""An answer's text with one spelling for what can be written in several ways.

Unicode becomes LaTeX, layout commands go, \\text and its kin become \\text{…}, thousands are joined. What is
left is read by `leash.verify.math.reading`.
"""

import re
import unicodedata
from typing import Final

LONGEST: Final = 2000
"""Characters of an answer that is read at all; a longer one is compared as text."""

_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ", "0123456789+-ni")
_SUBSCRIPTS: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-")
_FRACTIONS: Final = {
    character: tuple(unicodedata.normalize("NFKC", character).split("⁄"))
    for character in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅐⅑⅒"
}
_CHARACTERS: Final = {
    **dict.fromkeys("−–‐‑‒﹣", "-"),
    **dict.fromkeys("×✕✖⨯", r"\times "),
    **dict.fromkeys("·⋅∙•", r"\cdot "),
    **dict.fromkeys("≤⩽≦", r"\le "),
    **dict.fromkeys("≥⩾≧", r"\ge "),
    **dict.fromkeys("∅⌀", r"\emptyset "),
    **dict.fromkeys("′’", "'"),
    **dict.fromkeys("…⋯", r"\ldots "),
    **dict.fromkeys("\u2009\u202f\u00a0\u2007\u2008\u200a\u2006\u2005\u2002\u2003\u3000", r"\,"),
    **{
        "÷": "/",
        "∕": "/",
        "⁄": "/",
        "≠": r"\ne ",
        "≈": r"\approx ",
        "∞": r"\infty ",
        "√": r"\sqrt ",
        "∛": r"\sqrt[3]",
    },
    **{
        "∪": r"\cup ",
        "∩": r"\cap ",
        "∖": r"\setminus ",
        "∈": r"\in ",
        "ℝ": r"\mathbb{R}",
        "ℤ": r"\mathbb{Z}",
    },
    **{
        "±": r"\pm ",
        "∓": r"\mp ",
        "→": r"\to ",
        "°": r"^\circ ",
        "º": r"^\circ ",
        "∠": r"\angle ",
        "∘": r"\circ ",
    },
    **{"、": ",", "。": ".", "《": "", "》": "", "“": "", "”": "", "⟨": r"\langle ", "⟩": r"\rangle "},
    **{
        "⌊": r"\lfloor ",
        "⌋": r"\rfloor ",
        "⌈": r"\lceil ",
        "⌉": r"\rceil ",
        "µ": r"\mu ",
        "Ω": r"\Omega ",
        "ℏ": r"\hbar ",
    },
    **{"Å": r"\text{angstrom}", "℃": r"^\circ\text{C}", "∧": r"\land ", "∨": r"\lor "},
}
_GREEK: Final = dict(
    zip(
        "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨϕϵϑ",
        r"\alpha \beta \gamma \delta \epsilon \zeta \eta \theta \iota \kappa \lambda \mu \nu \xi \pi \rho \sigma \tau"
        r" \upsilon \phi \chi \psi \omega \Gamma \Delta \Theta \Lambda \Xi \Pi \Sigma \Phi \Psi \phi \epsilon"
        r" \theta".split(),
        strict=True,
    )
)
_UNICODE: Final = {**_CHARACTERS, **{greek: name + " " for greek, name in _GREEK.items()}}

_LAYOUT: Final = re.compile(
    r"\\(?:left|right|middle|[bB]ig+[lrm]?|displaystyle|textstyle|scriptstyle|limits|nolimits|mathstrut|strut"
    r"|boldsymbol|bm|mathbf|mathit|mathnormal|mathcal|mathscr|bold|it|bf|rm|em|nonumber|notag|hfill|allowbreak|phantom"
    r"|boxed|fbox|large|Large|LARGE|huge|small|ensuremath|centering|vphantom|hphantom)(?![A-Za-z])"
)
_TEXT_COMMANDS: Final = re.compile(
    r"\\(?:text|mbox|hbox|textrm|textbf|textit|textsf|texttt|textnormal|mathrm|mathsf|mathtt|operatorname\*?|emph|underline)\s*(?=\{)"
)
_SYNONYMS: Final = {
    **dict.fromkeys(("dfrac", "tfrac", "cfrac", "sfrac", "nicefrac"), "frac"),
    **dict.fromkeys(("dbinom", "tbinom"), "binom"),
    **{"leq": "le", "leqslant": "le", "geq": "ge", "geqslant": "ge", "neq": "ne", "lt": "<", "gt": ">"},
    **{
        "varnothing": "emptyset",
        "dots": "ldots",
        "cdots": "ldots",
        "dotsc": "ldots",
        "hdots": "ldots",
        "dotsb": "ldots",
    },
    **{
        "lvert": "|",
        "rvert": "|",
        "vert": "|",
        "mid": "|",
        "lbrace": "{",
        "rbrace": "}",
        "lbrack": "[",
        "rbrack": "]",
    },
    **{
        "backslash": "setminus",
        "smallsetminus": "setminus",
        "simeq": "approx",
        "sim": "approx",
        "doteq": "approx",
        "cong": "approx",
    },
    **{
        "rightarrow": "to",
        "longrightarrow": "to",
        "colon": ":",
        "varepsilon": "epsilon",
        "varphi": "phi",
        "vartheta": "theta",
    },
    **{
        "operatorname": "text",
        "degree": "circ",
        "ast": "*",
        "lor": "text{or}",
        "land": "text{and}",
        "vee": "text{or}",
    },
    **{
        "wedge": "text{and}",
        "star": "*",
        "prime": "'",
        "euro": "€",
        "pounds": "£",
        "R": "mathbb{R}",
        "Reals": "mathbb{R}",
    },
}
_COMMAND: Final = re.compile(r"\\([A-Za-z]+)")
_PLAIN: Final = frozenset("<>|*:'€£[]")

_GROUPED: Final = re.compile(
    r"(?<![\d.,])\d{1,3}(?:(?:\{,\}|,\\!|\\,|,\\,|~|\\;|\\:|\\ |\\thinspace ?)\s*\d{3})+(?![\d])"
)
NEW_ROW: Final = "\uf8fe"
"""Stands for a double backslash, which would otherwise be taken for the start of a command."""

COMMA_GROUPS: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_NESTED_TEXT: Final = re.compile(r"\\text\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_SPACED: Final = re.compile(r"(?<![\d.,^_{}/] )(?<![\d.,^_/])\d{1,3}(?: \d{3})+(?![\d/]|\.\d{4}| *\\frac)")
_SPACES: Final = re.compile(
    r"\\[,;:> ]|\\(?:quad|qquad|enspace|enskip|thinspace|medspace|thickspace)(?![A-Za-z])|~|\\!|\\hspace\s*\{[^{}]*\}"
)
_LARGE_POWERS: Final = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_LARGE: Final = re.compile(r"(?<=\d)\s*(?:\\text\s*\{\s*)?\b(" + "|".join(_LARGE_POWERS) + r")\b\s*\}?")
_WORDS: Final = {
    **dict(zip("two three four five six seven eight nine".split(), "23456789", strict=True)),
    **{"ten": "10", "eleven": "11", "twelve": "12", "sixteen": "16"},
}


def clean(text: str, join: bool = True) -> str:
    """The text in one spelling. Linear time; longer than LONGEST is only stripped.

    join: whether 58,500 is one number, or the list 58 and 500.
    """
    if len(text) > LONGEST:
        return " ".join(text.split())
    if not text.isprintable():
        text = "".join(" " if unicodedata.category(one) in ("Cc", "Cs", "Cf") else one for one in text)
    text = _from_unicode(text.replace("\\\\", NEW_ROW))
    text = re.sub(r"^\s*\*\*|\*\*\W*$|`", "", text)  # bold and code of Markdown; x**2 stays
    text = re.sub(r"\\p?mod\s*\{[^{}]*\}|\\(?:text)?color\s*\{\w+\}", "", _undelimited(text))
    text = _COMMAND.sub(_synonym, text)
    text = _TEXT_COMMANDS.sub(r"\\text", text)
    text = re.sub(r"\\(?:left|right)\s*\.", " ", text)
    text = _LAYOUT.sub(" ", text)
    text = _unbased(text)
    text = COMMA_GROUPS.sub(lambda found: found.group().replace(",", "" if join else ", "), text)
    text = _GROUPED.sub(lambda found: re.sub(r"\D", "", found.group()), text)
    text = re.sub(r"(?<=\d) [xX] (?=\d)", r" \\times ", text)
    text = _NESTED_TEXT.sub(lambda found: "\\text{" + re.sub("[{}]", "", found[1]) + "}", text)
    text = _SPACED.sub(lambda found: found.group().replace(" ", ""), text)
    text = _SPACES.sub(" ", text)
    text = re.sub(r"\{\s*(\\circ)?\s*\}(?!\s*[\^_]\s*\{?\s*-)", lambda found: found[1] or "", text)
    text = re.sub(r"\^\s*\{?\s*\\circ\s*\}?|\\circ(?![A-Za-z])(?=\s*(?:$|[,)}C]))", "°", text)
    text = re.sub(r"\{\s*(-?[\w.\\]+)\s*\\over\s*(-?[\w.\\]+)\s*\}", r"\\frac{\1}{\2}", text)
    text = re.sub(r"\\%", "%", text)
    text = re.sub(r"(\\text\{ dollars\})\s*(\\text\s*\{\s*\w+\s*\}|\w+illion)", r"\2\1", text)
    text = _LARGE.sub(lambda found: rf"\times 10^{{{_LARGE_POWERS[found[1]]}}}", text)
    text = re.sub(r"(?<=\d)\s*\\text\{\s*[eE]\s*\}\s*\{?(-?\d+)\}?", r"e\1", text)
    text = re.sub(
        r"\\text\s*\{\s*(?:about|exactly|approximately|roughly)\s*\}|\(\s*(?:exactly|approx\.?)\s*\)",
        "",
        text,
    )
    return _trimmed(text.strip().strip(NEW_ROW))


def textual(text: str) -> str:
    """A cleaned text without spaces, \\text and bare braces: what is compared character by character.

    A space between digits stays: "1 2" is not 12.
    """
    text = re.sub(r"(?<=\d)\s+(?=\d)", "_", text)
    text = re.sub(r"\\text\s*\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\\frac\s*(\d)\s*(\d)", r"\\frac{\1}{\2}", text)
    text = re.sub(r"\{(\w)\}", r"\1", text)
    return re.sub(r"\s+", "", text)


def _from_unicode(text: str) -> str:
    if text.isascii():
        return text
    text = re.sub(
        "[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ]+", lambda found: "^{" + found.group().translate(_SUPERSCRIPTS) + "}", text
    )
    text = re.sub("[₀₁₂₃₄₅₆₇₈₉₊₋]+", lambda found: "_{" + found.group().translate(_SUBSCRIPTS) + "}", text)
    text = re.sub(r"√\s*(\d+(?:\.\d+)?|[A-Za-z])", r"\\sqrt{\1}", text)
    for fraction, (top, bottom) in _FRACTIONS.items():
        text = text.replace(fraction, rf"\frac{{{top}}}{{{bottom}}}")
    text = "".join(_UNICODE.get(character, character) for character in text)
    text = unicodedata.normalize("NFKC", text)  # full-width forms
    return "".join(_UNICODE.get(character, character) for character in text)


def _undelimited(text: str) -> str:
    """Without math delimiters; a dollar sign before an amount becomes \\text{dollars} after it."""
    text = re.sub(r"\\[()\[\]]|\$\$", " ", text)
    text = re.sub(r"\\\$", "\uf8ff", text)
    if text.count("$") % 2 and re.search(r"\$\s*\d", text) and text.count("$") == 1:
        text = text.replace("$", "\uf8ff")
    text = text.replace("$", " ")
    text = re.sub(r"\uf8ff\s*([-+]?[\d.,{}\\!]*\d)", r"\1\\text{ dollars}", text)
    text = re.sub(r"\uf8ff", r"\\text{ dollars}", text)
    text = re.sub(r"(?:€|\bEUR\b)\s*([\d.,]*\d)", r"\1\\text{ euros}", text)
    text = re.sub(r"£\s*([\d.,]*\d)", r"\1\\text{ GBP}", text)
    return text.replace("€", r"\text{ euros}").replace("£", r"\text{ GBP}")


def _synonym(found: re.Match[str]) -> str:
    name = _SYNONYMS.get(found[1])
    if name is None:
        return found.group()
    if name[0] in _PLAIN:
        return name
    return "\\" + name


def _unbased(text: str) -> str:
    """Bases in one spelling: 4210_{\\text{five}}, (4210)_5 and 4210 (base 5) are 4210_{5}."""
    text = re.sub(r"^\s*\(\s*(\d+)\s*\)\s*_", r"\1_", text)
    text = re.sub(r"(?<=\d)[_\s]*\{?\s*(?:\\text\s*\{)?\s*\(?(?:in )?base[ -](\d+)\)?\s*\}*$", r"_{\1}", text)
    return re.sub(
        r"_\s*\{?\s*\\text\s*\{\s*([a-z]+)\s*\}\s*\}?",
        lambda found: f"_{{{_WORDS[found[1]]}}}" if found[1] in _WORDS else found.group(),
        text,
    )


def _trimmed(text: str) -> str:
    text = text.strip()
    while True:
        shorter = re.sub(r"^[=:,;\s]+(?!\d*:\d)|(?<!\\)(?:[,;:\s]+|(?<!\.)\.)$", "", text).strip()
        if shorter.startswith("{") and _spans(shorter):
            shorter = shorter[1:-1].strip()
        if shorter == text:
            return text
        text = shorter


def _spans(text: str) -> bool:
    """Whether the first brace closes at the very end and holds no list: {1,2} is a set, and kept."""
    depth = 0
    for index, character in enumerate(text):
        escaped = text[index - 1 : index] == "\\"
        if character == "{" and not escaped:
            depth += 1
        elif character == "}" and not escaped:
            depth -= 1
            if depth == 0:
                return index == len(text) - 1 and not re.match(r"\{[^{}]*,[^{}]*\}$", text)
    return False
