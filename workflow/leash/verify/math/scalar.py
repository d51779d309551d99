"""One expression -> a tree: LaTeX as models write it, and plain notation (x**2/2, sqrt(3), 2.6e-10)."""

from fractions import Fraction
from typing import Final

from leash.verify.math.lexer import FUNCTIONS, Token, tokens
from leash.verify.math.tree import (
    CONSTANTS,
    Call,
    Num,
    Op,
    Sym,
    Tree,
    UnreadableError,
    number,
    recurring,
    repeated,
)

_DEEPEST: Final = 60
_INVERSE: Final = {
    name: "a" + name for name in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh")
}
_DECORATIONS: Final = frozenset(
    "bar hat vec dot ddot tilde overline widehat widetilde overrightarrow check breve mathbb mathfrak".split()
)
_CALLED: Final = frozenset("fghFGH")


def parse(text: str) -> Tree:
    """The tree of one cleaned expression. Raises UnreadableError."""
    parser = _Parser(tokens(text))
    tree = parser.sum()
    if parser.here.kind != "end":
        raise UnreadableError(f"{parser.here.text!r} is left over")
    return tree


_ENDS: Final = frozenset("end over ldots text rfloor rceil rangle cup cap in to setminus pm mp".split())
_STARTS: Final = frozenset(("num", "name", "command"))
_BRACKETS: Final = {"(": ")", "[": "]", "{": "}", "\\{": "\\}"}


class _Parser:
    """Recursive descent; each method reads one level and leaves the position after it."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = [*tokens, Token("end", "the end")]
        self._at = 0
        self._depth = 0
        self._bars = 0

    @property
    def here(self) -> Token:
        return self._next(0)

    def _next(self, ahead: int = 1) -> Token:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def _is(self, *texts: str) -> bool:
        return self.here.kind == "op" and self.here.text in texts

    def _take(self, text: str) -> None:
        if not self._is(text):
            raise UnreadableError(f"{self.here.text!r} where {text!r} is due")
        self._at += 1

    def sum(self) -> Tree:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnreadableError("nested too deeply")
        negative = False
        while self._is("+", "-"):
            negative ^= self._is("-")
            self._at += 1
        terms = [self._signed(self.product(), negative)]
        while self._is("+", "-"):
            negative = False
            while self._is("+", "-"):
                negative ^= self._is("-")
                self._at += 1
            terms.append(self._signed(self.product(), negative))
        self._depth -= 1
        return terms[0] if len(terms) == 1 else Op("add", tuple(terms))

    @staticmethod
    def _signed(tree: Tree, negative: bool) -> Tree:
        if not negative:
            return tree
        if isinstance(tree, Num):
            return Num(-tree.value, tree.decimals, tree.digits)
        return Op("neg", (tree,))

    def product(self) -> Tree:
        factors = [self.power()]
        while True:
            if self._is("*"):
                self._at += 1
                factors.append(self._factor())
            elif self._is("/"):
                self._at += 1
                factors = [Op("div", (_product(factors), self._denominator()))]
            elif self._starts_factor():
                factors.append(self._implicit(factors[-1]))
            else:
                return _product(factors)

    def _factor(self) -> Tree:
        if self._is("-", "+"):
            negative = self._is("-")
            self._at += 1
            return self._signed(self.power(), negative)
        return self.power()

    def _denominator(self) -> Tree:
        """t/RC is t/(RC), 1/2x is (1/2)x: after a name, what stands beside it belongs to the denominator."""
        first_is_number = self.here.kind == "num"
        factors = [self._factor()]
        while not first_is_number and self.here.kind in ("name", "command") and self._starts_factor():
            if self.here.text in FUNCTIONS and self.here.kind == "command":
                break
            factors.append(self.power())
        return _product(factors)

    def _starts_factor(self) -> bool:
        here = self.here
        if here.kind in _STARTS:
            return not (here.kind == "command" and here.text in _ENDS)
        return here.kind == "op" and (here.text in ("(", "{", "[") or (here.text == "|" and not self._bars))

    def _implicit(self, before: Tree) -> Tree:
        """What stands beside a factor: a mixed number's fraction is told from a product here."""
        whole = isinstance(before, Num) and before.decimals is None and before.value.denominator == 1
        if self.here.kind == "num":
            if whole and self._next().text == "/" and self._next(2).kind == "num":
                above, below = number(self.here.text).value, number(self._next(2).text).value
                if above < below:
                    self._at += 3
                    return _mixed(above / below)
            power_of_ten = self.here.text == "10" and self._next().text in ("^", "**")
            if isinstance(before, Num) and not power_of_ten:
                raise UnreadableError("two numbers side by side")
        factor = self.power()
        if whole and isinstance(factor, Op) and factor.name == "div" and isinstance(before, Num):
            top, bottom = factor.args
            plain = all(isinstance(part, Num) and part.decimals is None for part in (top, bottom))
            if plain and isinstance(top, Num) and isinstance(bottom, Num) and 0 < top.value < bottom.value:
                return _mixed(top.value / bottom.value)
        return factor

    def power(self) -> Tree:
        base = self._postfix(self.atom())
        if self._is("^", "**"):
            self._at += 1
            base = Op("pow", (base, self._exponent()))
            base = self._postfix(base)
        return base

    def _postfix(self, tree: Tree) -> Tree:
        while True:
            if self._is("!"):
                self._at += 1
                if self._is("!"):
                    self._at += 1
                    tree = Op("factorial2", (tree,))
                else:
                    tree = Op("factorial", (tree,))
            elif self._is("°"):
                self._at += 1
                tree = Op("mul", (tree, Op("div", (CONSTANTS["pi"], Num(Fraction(180))))))
            elif self._is("%"):
                self._at += 1
                tree = Op("div", (tree, Num(Fraction(100))))
            else:
                return tree

    def _exponent(self) -> Tree:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnreadableError("nested too deeply")
        exponent = self._bare_exponent()
        self._depth -= 1
        return exponent

    def _bare_exponent(self) -> Tree:
        if self._is("{"):
            return self._group("{")
        if self._is("-", "+"):
            negative = self._is("-")
            self._at += 1
            return self._signed(self._exponent(), negative)
        exponent = self._postfix(self.atom())
        if self._is("^", "**"):
            self._at += 1
            exponent = Op("pow", (exponent, self._exponent()))
        return exponent

    def _group(self, opening: str) -> Tree:
        self._take(opening)
        bars, self._bars = self._bars, 0
        inside = self.sum()
        self._bars = bars
        self._take(_BRACKETS[opening])
        return inside

    def atom(self) -> Tree:
        token = self.here
        if token.kind == "num":
            self._at += 1
            return self._number(token.text)
        if token.kind == "name":
            self._at += 1
            return self._named(token.text)
        if token.kind == "command":
            self._at += 1
            return self._command(token.text)
        if token.text in _BRACKETS:
            return self._group(token.text)
        if token.text == "|":
            self._at += 1
            self._bars += 1
            inside = self.sum()
            self._bars -= 1
            self._take("|")
            return Op("abs", (inside,))
        raise UnreadableError(f"{token.text!r} where a value is due")

    def _number(self, text: str) -> Tree:
        if self._is("_"):
            return self._based(text)
        if self.here.kind == "command" and self.here.text in ("overline", "dot", "bar"):
            return self._repeating(text)
        if self.here.kind == "command" and self.here.text == "ldots" and "." in text:
            self._at += 1
            return recurring(text)
        return number(text)

    def _based(self, digits: str) -> Tree:
        self._at += 1
        base = self._subscript()
        if not base.isdigit() or not 2 <= int(base) <= 36 or not digits.isdigit():
            raise UnreadableError(f"a number with the subscript {base!r}")
        return Op("based", (Num(Fraction(int(digits))), Num(Fraction(int(base)))))

    def _repeating(self, text: str) -> Tree:
        block = ""
        while self.here.kind == "command" and self.here.text in ("overline", "dot", "bar"):
            self._at += 1
            if self._is("{"):
                self._at += 1
                block += self.here.text
                self._at += 1
                self._take("}")
            else:
                block += self.here.text
                self._at += 1
            if self.here.kind == "num":
                raise UnreadableError("digits after a repeating block")
        if not block.isdigit() or "." not in text:
            raise UnreadableError("a repeating block without decimals")
        return repeated(text, block)

    def _named(self, letter: str) -> Tree:
        name = letter + self._decorations()
        if name in CONSTANTS:
            return CONSTANTS[name]
        called = self._is("(") and (letter in _CALLED or self._constant_in_brackets())
        if called:
            return Call(name, self._arguments())
        return Sym(name)

    def _constant_in_brackets(self) -> bool:
        return self._next().kind == "num" and self._next(2).kind == "op" and self._next(2).text == ")"

    def _decorations(self) -> str:
        """Subscripts and primes, in one spelling."""
        name = ""
        while True:
            if self._is("_"):
                self._at += 1
                name += "_" + self._subscript()
            elif self._is("'"):
                self._at += 1
                name += "'"
            elif self._is("^") and self._next().text == "{" and self._next(2).text == "'":
                self._at += 2
                while self._is("'"):
                    self._at += 1
                    name += "'"
                self._take("}")
            elif self._is("^") and self._next().text in ("'", "*") and self._next().kind == "op":
                name += self._next().text
                self._at += 2
            else:
                return name

    def _subscript(self) -> str:
        if not self._is("{"):
            token = self.here
            if token.kind == "end" or (token.kind == "op" and token.text != "*"):
                raise UnreadableError("an empty subscript")
            self._at += 1
            return token.text
        depth = 0
        parts: list[str] = []
        while True:
            token = self.here
            if token.kind == "end":
                raise UnreadableError("an open subscript")
            self._at += 1
            if token.text == "{" and token.kind == "op":
                depth += 1
            elif token.text == "}" and token.kind == "op":
                depth -= 1
                if depth == 0:
                    return "".join(parts)
            else:
                parts.append(token.text)

    def _arguments(self) -> tuple[Tree, ...]:
        self._take("(")
        found = [self.sum()]
        while self._is(","):
            self._at += 1
            found.append(self.sum())
        self._take(")")
        return tuple(found)

    def _command(self, name: str) -> Tree:
        if name in FUNCTIONS:
            return self._function(name)
        if name == "frac":
            return Op("div", (self._tex_argument(), self._tex_argument()))
        if name == "binom":
            return Op("binom", (self._tex_argument(), self._tex_argument()))
        if name in ("lfloor", "lceil"):
            inside = self.sum()
            if self.here.text != "r" + name[1:]:
                raise UnreadableError(f"\\{name} that is not closed")
            self._at += 1
            return Op("floor" if name == "lfloor" else "ceil", (inside,))
        if name in _DECORATIONS:
            return self._decorated(name)
        if name in ("pi", "infty"):
            return CONSTANTS[name]
        if name == "Delta" and self.here.kind == "name":
            self._at += 1
            return self._named(f"Delta {self._tokens[self._at - 1].text}")
        if name in ("text", "ldots", "end", "begin", "pm", "mp", "cup", "cap", "in", "to", "circ"):
            raise UnreadableError(f"\\{name} in an expression")
        return self._named(name)

    def _decorated(self, name: str) -> Tree:
        if self._is("{"):
            depth = 0
            parts: list[str] = []
            while True:
                token = self.here
                if token.kind == "end":
                    raise UnreadableError(f"\\{name} that is not closed")
                self._at += 1
                depth += (token.text == "{") - (token.text == "}")
                if depth == 0:
                    break
                parts.append(token.text)
            inside = "".join(parts[1:])
        else:
            inside = self.here.text
            if self.here.kind == "end":
                raise UnreadableError(f"\\{name} of nothing")
            self._at += 1
        return Sym(f"{name}({inside})" + self._decorations())

    def _function(self, name: str) -> Tree:
        known = FUNCTIONS[name]
        if known == "sqrt" and self._is("["):
            index = self._group("[")
            return Op("root", (self._root_argument(), index))
        if known == "sqrt":
            return Op("sqrt", (self._root_argument(),))
        base: Tree | None = None
        power: Tree | None = None
        while self._is("_", "^"):
            if self._is("_"):
                self._at += 1
                base = self._group("{") if self._is("{") else self._one()
            else:
                self._at += 1
                power = self._group("{") if self._is("{") else self._exponent()
        if known == "log10":
            known, base = "ln", Num(Fraction(10))
        arguments = self._applied()
        if isinstance(power, Num) and power.value == -1 and known in _INVERSE:
            known, power = _INVERSE[known], None
        if base is not None and known == "ln":
            result: Tree = Op("div", (Op("ln", arguments), Op("ln", (base,))))
        elif base is not None:
            raise UnreadableError(f"a subscript on {name}")
        else:
            result = Op(known, arguments)
        return result if power is None else Op("pow", (result, power))

    def _root_argument(self) -> Tree:
        return self._group("(") if self._is("(") else self._tex_argument()

    def _applied(self) -> tuple[Tree, ...]:
        """A function's arguments: what is in brackets, or else the product beside it ("sin 2x cos y" is two)."""
        if self._is("("):
            return self._arguments()
        if self._is("{"):
            return (self._group("{"),)
        if self._is("|"):
            return (self.atom(),)
        negative = self._is("-")
        if negative:
            self._at += 1
        factors = [self.power()]
        while self._starts_factor() and not (self.here.kind == "command" and self.here.text in FUNCTIONS):
            if self._is("(", "[", "{", "|"):
                break
            factors.append(self._implicit(factors[-1]))
        argument = _product(factors)
        if self._is("/") and (self._next().kind == "num"):
            self._at += 1
            argument = Op("div", (argument, self.power()))
        return (self._signed(argument, negative),)

    def _one(self) -> Tree:
        """What a bare subscript holds: one digit (and the 10 of log_10), or one name."""
        token = self.here
        if token.kind == "num" and len(token.text) > 1 and token.text != "10":
            self._tokens[self._at] = Token("num", token.text[1:])
            return number(token.text[0])
        return self.atom()

    def _tex_argument(self) -> Tree:
        """A group, or as TeX has it one digit or letter: \\frac12, \\sqrt2x."""
        if self._is("{"):
            return self._group("{")
        token = self.here
        if token.kind == "num":
            self._tokens[self._at] = Token("num", token.text[1:])
            if len(token.text) == 1:
                self._at += 1
            return number(token.text[0])
        if token.kind in ("name", "command"):
            return self.atom()
        if token.text in ("(", "|"):
            return self.atom()
        raise UnreadableError("an argument is missing")


def _mixed(fraction: Fraction) -> Op:
    """Marks a factor that is added to the whole number before it."""
    return Op("mixed", (Num(fraction),))


def _product(factors: list[Tree]) -> Tree:
    joined: list[Tree] = []
    for factor in factors:
        if isinstance(factor, Op) and factor.name == "mixed":
            whole, part = joined.pop(), factor.args[0]
            assert isinstance(whole, Num)
            assert isinstance(part, Num)
            joined.append(Num(whole.value + (part.value if whole.value >= 0 else -part.value)))
        else:
            joined.append(factor)
    return joined[0] if len(joined) == 1 else Op("mul", tuple(joined))
