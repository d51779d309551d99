"""Units of measurement: split from a value, read, converted. SI with prefixes, and what textbooks use beside it."""

import math
import re
from dataclasses import dataclass
from typing import Final

BASES: Final = ("m", "kg", "s", "A", "K", "mol", "cd", "money")
Dimension = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """factor: in base units, `angle` and per cent being plain numbers; dimension: powers of the base units.

    noun: words that are no unit ("apples"), which match only themselves; None for a unit.
    """

    factor: float
    dimension: Dimension
    text: str
    noun: str | None = None
    offset: bool = False


def _base(**powers: float) -> Dimension:
    return tuple(powers.get(name, 0.0) for name in BASES)


_NONE: Final = _base()
_FORCE, _ENERGY = _base(kg=1, m=1, s=-2), _base(kg=1, m=2, s=-2)
_POWER, _PRESSURE = _base(kg=1, m=2, s=-3), _base(kg=1, m=-1, s=-2)
_CHARGE, _VOLTAGE = _base(A=1, s=1), _base(kg=1, m=2, s=-3, A=-1)
_VOLUME = _base(m=3)

# name: (factor, dimension); with prefixes
_PREFIXED: Final[dict[str, tuple[float, Dimension]]] = {
    "m": (1, _base(m=1)),
    "g": (1e-3, _base(kg=1)),
    "s": (1, _base(s=1)),
    "A": (1, _base(A=1)),
    "K": (1, _base(K=1)),
    "mol": (1, _base(mol=1)),
    "cd": (1, _base(cd=1)),
    "N": (1, _FORCE),
    "J": (1, _ENERGY),
    "W": (1, _POWER),
    "Pa": (1, _PRESSURE),
    "Hz": (1, _base(s=-1)),
    "C": (1, _CHARGE),
    "V": (1, _VOLTAGE),
    "F": (1, _base(kg=-1, m=-2, s=4, A=2)),
    "T": (1, _base(kg=1, s=-2, A=-1)),
    "H": (1, _base(kg=1, m=2, s=-2, A=-2)),
    "Wb": (1, _base(kg=1, m=2, s=-2, A=-1)),
    "Omega": (1, _base(kg=1, m=2, s=-3, A=-2)),
    "ohm": (1, _base(kg=1, m=2, s=-3, A=-2)),
    "eV": (1.602176634e-19, _ENERGY),
    "L": (1e-3, _VOLUME),
    "l": (1e-3, _VOLUME),
    "bar": (1e5, _PRESSURE),
    "cal": (4.184, _ENERGY),
    "pc": (3.0856775814913673e16, _base(m=1)),
    "yr": (3.15576e7, _base(s=1)),
    "dyn": (1e-5, _FORCE),
    "erg": (1e-7, _ENERGY),
    "rad": (1, _NONE),
    "M": (1e3, _base(mol=1, m=-3)),
}
_PREFIXES: Final = {
    **{"f": 1e-15, "p": 1e-12, "n": 1e-9, "mu": 1e-6, "u": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1},
    **{"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12},
}
_ALONE: Final[dict[str, tuple[float, Dimension]]] = {
    **dict.fromkeys(("min", "minute", "minutes", "mins"), (60, _base(s=1))),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), (3600, _base(s=1))),
    **dict.fromkeys(("day", "days"), (86400, _base(s=1))),
    **dict.fromkeys(("week", "weeks"), (604800, _base(s=1))),
    **dict.fromkeys(("year", "years", "Year", "Years"), (3.15576e7, _base(s=1))),
    **dict.fromkeys(("month", "months"), (3.15576e7 / 12, _base(s=1))),
    **dict.fromkeys(("sec", "secs", "second", "seconds"), (1, _base(s=1))),
    **dict.fromkeys(("meter", "meters", "metre", "metres"), (1, _base(m=1))),
    **dict.fromkeys(("centimeter", "centimeters", "centimetres", "centimetre"), (1e-2, _base(m=1))),
    **dict.fromkeys(("millimeter", "millimeters", "millimetres"), (1e-3, _base(m=1))),
    **dict.fromkeys(("kilometer", "kilometers", "kilometre", "kilometres"), (1e3, _base(m=1))),
    **dict.fromkeys(("inch", "inches", "in"), (0.0254, _base(m=1))),
    **dict.fromkeys(("foot", "feet", "ft"), (0.3048, _base(m=1))),
    **dict.fromkeys(("yard", "yards", "yd"), (0.9144, _base(m=1))),
    **dict.fromkeys(("mile", "miles", "mi"), (1609.344, _base(m=1))),
    **dict.fromkeys(("mph",), (0.44704, _base(m=1, s=-1))),
    **dict.fromkeys(("angstrom", "angstroms", "AA"), (1e-10, _base(m=1))),
    **dict.fromkeys(("AU", "au"), (1.495978707e11, _base(m=1))),
    **dict.fromkeys(("ly",), (9.4607304725808e15, _base(m=1))),
    **dict.fromkeys(("gram", "grams"), (1e-3, _base(kg=1))),
    **dict.fromkeys(("kilogram", "kilograms"), (1, _base(kg=1))),
    **dict.fromkeys(("lb", "lbs", "pound", "pounds"), (0.45359237, _base(kg=1))),
    **dict.fromkeys(("lbf",), (4.4482216152605, _FORCE)),
    **dict.fromkeys(("slug", "slugs"), (14.5939, _base(kg=1))),
    **dict.fromkeys(("liter", "liters", "litre", "litres"), (1e-3, _VOLUME)),
    **dict.fromkeys(("atm",), (101325, _PRESSURE)),
    **dict.fromkeys(("Torr", "torr", "mmHg"), (101325 / 760, _PRESSURE)),
    **dict.fromkeys(("newton", "newtons", "Newton", "Newtons"), (1, _FORCE)),
    **dict.fromkeys(("joule", "joules", "Joule", "Joules"), (1, _ENERGY)),
    **dict.fromkeys(("watt", "watts", "Watt", "Watts"), (1, _POWER)),
    **dict.fromkeys(("volt", "volts", "Volt", "Volts"), (1, _VOLTAGE)),
    **dict.fromkeys(("ampere", "amperes", "amp", "amps"), (1, _base(A=1))),
    **dict.fromkeys(("kelvin", "Kelvin", "kelvins"), (1, _base(K=1))),
    **dict.fromkeys(("mole", "moles"), (1, _base(mol=1))),
    **dict.fromkeys(("radian", "radians"), (1, _NONE)),
    **dict.fromkeys(("degree", "degrees", "deg", "°"), (math.pi / 180, _NONE)),
    **dict.fromkeys(("%", "percent", "percents", "pct"), (0.01, _NONE)),
    **dict.fromkeys(("dollar", "dollars", "USD", "bucks"), (1, _base(money=1))),
    **dict.fromkeys(("cent", "cents"), (0.01, _base(money=1))),
    **dict.fromkeys(("electron", "electrons", "photon", "photons", "particle", "particles"), (1, _NONE)),
    **dict.fromkeys(("atom", "atoms", "molecule", "molecules"), (1, _NONE)),
    "°C": (1, _base(K=1)),  # in a compound, a difference of temperatures
    "dB": (1, _NONE),
    **dict.fromkeys(("hertz",), (1, _base(s=-1))),
    **dict.fromkeys(("ohms", "Ohm", "Ohms"), (1, _base(kg=1, m=2, s=-3, A=-2))),
    **dict.fromkeys(("coulomb", "coulombs"), (1, _CHARGE)),
}
# letters that are more often a variable are read as a unit only where the text marks them as one
_NEVER_PLAIN: Final = frozenset(("M", "u", "l", "d", "c", "f", "p", "n", "in", "cd", "dm", "pc"))

_MARKED: Final = re.compile(r"\\text\s*\{([^{}]*)\}")
_FACTOR: Final = re.compile(
    r"\s*(?P<div>/|\bper\b)?\s*[*·.]?\s*(?:\\cdot|\\times)?\s*(?P<name>°\s*(?:C|F)(?![a-zA-Z])|[A-Za-z]+|%|°)"
    r"\s*(?:(?:\^|\*\*)\s*\{?\s*(?P<power>[-+]?\d+)\s*\}?|(?P<square>squared|cubed))?"
)
_PLURALS: Final = re.compile(r"^(square|sq|cubic)\.?\s+(\w+)")


def read(text: str, marked: bool) -> Unit | None:
    """The unit that a text is, or None. marked: it stood in \\text or its like, so one letter is enough."""
    plain = _plain(text)
    if not plain:
        return None
    if plain in ("°C", "° C", "degC"):
        return Unit(1, _base(K=1), "°C", offset=True)
    if plain in ("°F", "° F", "degF"):
        return Unit(5 / 9, _base(K=1), "°F", offset=True)
    shaped = _PLURALS.match(plain)
    if shaped:
        plain = shaped[2] + ("^3" if shaped[1] == "cubic" else "^2") + plain[shaped.end() :]
    factor, dimension = 1.0, list(_NONE)
    at, divided = 0, False
    while at < len(plain):
        found = _FACTOR.match(plain, at)
        if found is None:
            return None
        one = _one(found["name"].replace(" ", ""), marked)
        if one is None:
            return None
        divided = divided or bool(found["div"])
        power = int(found["power"] or {"squared": 2, "cubed": 3}.get(found["square"] or "", 1))
        power = -power if divided else power
        try:
            factor *= one[0] ** power
        except OverflowError:
            return None
        dimension = [mine + power * theirs for mine, theirs in zip(dimension, one[1], strict=True)]
        at = found.end()
    return Unit(factor, tuple(dimension), plain)


def _one(name: str, marked: bool) -> tuple[float, Dimension] | None:
    if not marked and name in _NEVER_PLAIN:
        return None
    if name in _ALONE:
        return _ALONE[name]
    if name in _PREFIXED:
        return _PREFIXED[name]
    if name[:1] == "K" and name[1:] in ("J", "W", "V", "N", "g", "Pa", "Hz"):  # KJ, as textbooks have it
        name = "k" + name[1:]
    for size in (2, 1):
        prefix, unit = name[:size], name[size:]
        if prefix in _PREFIXES and unit in _PREFIXED and unit not in ("rad", "L" if size == 2 else ""):
            factor, dimension = _PREFIXED[unit]
            return factor * _PREFIXES[prefix], dimension
    return None


def _plain(text: str) -> str:
    text = _MARKED.sub(r" \1 ", text)
    text = re.sub(r"\\hat\s*\{[^{}]*\}", "", text)
    text = re.sub(r"\\alpha\s*-\s*(?=particle)", "", text)
    text = re.sub(r"\\mu\s*", "mu", text.replace("\\Omega", "Omega").replace("\\AA", "AA"))
    text = re.sub(r"\\(?:cdot|times)\s*", "*", text).replace("ft-lb", "ft*lbf").replace("\\circ", "°")
    text = re.sub(r"/\s*\(([^()]*)\)", r"/\1", text)
    text = re.sub(r"\{\s*\}|[{}](?=\s*\^)", "", text)
    text = re.sub(r"\s*\^\s*\{?\s*([-+]?\d+)\s*\}?", r"^\1", text)
    text = re.sub(r"[{}]", "", text)
    text = re.sub(r"\b(k?J)(?=(?:K|mol)\b)", r"\1 ", text)
    return re.sub(r"\s+", " ", text).strip(" .,;")


_TAIL: Final = re.compile(
    r"(?:\\text\s*\{|\\mu(?![A-Za-z])|\\Omega(?![A-Za-z])|°|%|(?<![A-Za-z\\_{^])[A-Za-z]|(?<=\d)[A-Za-z]|[\u4e00-\u9fff])"
)
_ENDS_VALUE: Final = re.compile(r"(?:[\d)}\]!]|\\pi|\.)\s*\*?\s*$")
_NOUN: Final = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,6}")
_NOT_NOUNS: Final = frozenset(
    "halves half thirds quarters fourths fifths sixths eighths tenths dozen dozens squared cubed factorial pairs"
    " or and not if either maybe unless for where when with but both neither nor than to is are mod".split()
)


@dataclass(frozen=True, slots=True)
class Split:
    """A text split into the value before and the unit after; marked: the unit stood in \\text or its like."""

    value: str
    unit: Unit
    marked: bool


def split(text: str) -> Split | None:
    """The longest unit at the end of a cleaned text that follows a value, or None."""
    for found in _TAIL.finditer(text):
        head, tail = text[: found.start()], text[found.start() :]
        if not _ENDS_VALUE.search(head) or head.count("{") - head.count("\\{") != head.count(
            "}"
        ) - head.count("\\}"):
            continue
        if head.rstrip().endswith(("^", "_")):
            continue
        marked = tail.startswith(("\\text", "°", "%", "\\mu", "\\Omega"))
        unit = read(tail, marked)
        if unit is not None:
            return Split(head.strip(" *").removesuffix("\\cdot").strip(), unit, marked)
        noun = _noun(tail)
        if noun:
            return Split(head.strip(), Unit(1, _NONE, noun, noun), marked)
    return None


def _noun(tail: str) -> str | None:
    """Words that count things: in \\text{…}, or plain words of four letters and more, or Chinese measure words."""
    plain = " ".join(_MARKED.sub(r" \1 ", tail).split()).strip(" .")
    if not _NOUN.fullmatch(plain):
        return None
    words = plain.lower().replace("-", " ").split()
    if _NOT_NOUNS & set(words):
        return None
    if not tail.startswith("\\text") and plain.isascii() and len(words[0]) < 4:
        return None
    return plain.lower()


def convertible(one: Unit, other: Unit) -> bool:
    """Whether two units measure the same kind of thing; nouns match only the same noun."""
    if one.noun or other.noun:
        return one.noun is not None and _singular(one.noun) == _singular(other.noun or "")
    if one.offset != other.offset or (one.offset and one.text != other.text):
        return False
    return one.dimension == other.dimension


def _singular(noun: str) -> str:
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun
