"""The filter language: `method:session/* and not (size>10k or latency>2s)`.

    expression   terms joined by `and`, `or`, `not` and parentheses; `and` may be omitted
    field:value  method kind dir by id session status finding: the whole value; `*` matches anything
                 text: a part of the frame or event, ignoring case
    field:/re/   a regular expression, matched anywhere in the value; `/re/i` ignores case
    field>number size (k, M, G) and latency, time, delta (ms, s, m) with > >= < <= =
    path:value   a field of the message by its path, such as params.update.status:failed; a list
                 means any of its items, and `0` its first; also with a number: params.update.used>1000
    #12          the frame with this number
    word         the same as text:word; "quotes" for spaces and for and, or, not

`finding:` matches the severity or the id of a rule. `time` is seconds since the start. A value in
quotes is a string: id:"4" doesn't match the number 4.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from pydantic_core import SchemaError, SchemaValidator
from pydantic_core.core_schema import StringSchema

from acp_tui.debug.filters.vocabulary import (
    NUMBER_FIELDS,
    PATH_ROOTS,
    WORD_FIELDS,
    foreign_sign,
    is_path,
    recognize_foreign_syntax,
    units_of,
    value_problem,
)


@dataclass(frozen=True, slots=True)
class FieldMatch:
    """`field:value`; with `regex`, `flags` is "i" or "". `quoted` if the value was in quotes."""

    field: str
    value: str
    regex: bool = False
    flags: str = ""
    quoted: bool = False

    def __str__(self) -> str:
        if self.regex:
            return f"{self.field}:/{self.value}/{self.flags}"
        if not self.quoted:
            return f"{self.field}:{self.value}"
        escaped = self.value.replace("\\", "\\\\").replace('"', '\\"')
        return f'{self.field}:"{escaped}"'


@dataclass(frozen=True, slots=True)
class Compare:
    """`field>number`, with the `unit` as written."""

    field: str
    comparison: str
    number: float
    unit: str = ""

    def __str__(self) -> str:
        number = f"{Decimal(repr(self.number)):f}"
        return f"{self.field}{self.comparison}{number}{self.unit}"


@dataclass(frozen=True, slots=True)
class Numbered:
    """`#12`: the frame with this number."""

    number: int

    def __str__(self) -> str:
        return f"#{self.number}"


@dataclass(frozen=True, slots=True)
class Not:
    inner: "Expression"

    def __str__(self) -> str:
        return f"not {_grouped(self.inner)}"


@dataclass(frozen=True, slots=True)
class And:
    left: "Expression"
    right: "Expression"

    def __str__(self) -> str:
        return f"{_grouped(self.left)} and {_grouped(self.right)}"


@dataclass(frozen=True, slots=True)
class Or:
    left: "Expression"
    right: "Expression"

    def __str__(self) -> str:
        return f"{_grouped(self.left)} or {_grouped(self.right)}"


Expression = FieldMatch | Compare | Numbered | Not | And | Or


def _grouped(expression: Expression) -> str:
    return f"({expression})" if isinstance(expression, And | Or) else str(expression)


COMPARISONS = (">=", "<=", ">", "<", "=")
_KEYWORDS = ("and", "or", "not")
_PLAIN = re.compile(r"[^\s()\"]+")
_NAME = re.compile(r"[A-Za-z]+(?:\.[\w$-]+)*")
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?|\.\d+)([A-Za-z]*)")
_FRAME = re.compile(r"#([0-9]{1,10})(?![^\s()])")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_REGEX = re.compile(r"/((?:[^/\\]|\\.)*)/(i?)", re.DOTALL)
_AFTER = ' \t\n\r\f\v()"'
"""Characters that may follow a word or a regular expression directly."""
_DEPTH = 100
"""How deep parentheses and `not` may nest: parsing and compiling recurse."""


class FilterError(Exception):
    """The filter can't be parsed; `start` and `end` are the invalid part of it."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = max(end, start + 1)

    def pointed(self, text: str) -> str:
        """Format the message below the filter, with carets under the invalid part."""
        marks = " " * self.start + "^" * (self.end - self.start)
        return f"{text}\n{marks}\n{self.message}"


def parse_filter(text: str) -> Expression:
    """Parse a filter. Raises FilterError."""
    parser = _Parser(text)
    expression = parser.parse_or()
    parser.expect_end()
    return expression


_CARET = re.compile(r"\n    ( *)\^")


class PatternError(Exception):
    """The text isn't a valid regular expression; `at` is the position of the error, if known."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Compile a regular expression to a function that searches a text for it. Raises PatternError.

    The engine is Rust's, which pydantic's core has: its time is linear in the text, whatever the
    pattern. It has no lookaround and no backreferences.
    """
    try:
        schema: StringSchema = {"type": "str", "pattern": pattern, "regex_engine": "rust-regex"}
        matches = SchemaValidator(schema).isinstance_python
    except SchemaError as error:
        message = str(error)
        caret = _CARET.search(message)
        why = message.splitlines()[-1].strip().removeprefix("SchemaError: ").removeprefix("error: ")
        raise PatternError(why, len(caret[1]) if caret is not None else 0) from None
    # Rust strings can't have lone surrogates.
    return lambda text: matches(
        text if text.isascii() else text.encode("utf-8", "replace").decode()
    )


class _Parser:
    """Parses a filter from left to right; `at` is the current position."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._depth = 0

    def parse_or(self) -> Expression:
        left = self._parse_and()
        while self._consume_keyword("or"):
            left = Or(left, self._parse_and())
        return left

    def expect_end(self) -> None:
        self._skip_blanks()
        if self.at < len(self.text):
            raise FilterError("there is no ( for this )", self.at, self.at + 1)

    def _parse_and(self) -> Expression:
        left = self._parse_not()
        while self._consume_keyword("and") or self._more_terms():
            left = And(left, self._parse_not())
        return left

    def _parse_not(self) -> Expression:
        self._skip_blanks()
        start = self.at
        if self._depth >= _DEPTH:
            raise FilterError("the filter is nested too deeply", start, start + 1)
        self._depth += 1
        try:
            if self._consume_keyword("not"):
                return Not(self._parse_not())
            if self._consume_sign("("):
                inner = self.parse_or()
                self._skip_blanks()
                if not self._consume_sign(")"):
                    raise FilterError("this ( has no )", start, start + 1)
                return inner
            return self._parse_term()
        finally:
            self._depth -= 1

    def _parse_term(self) -> Expression:
        start = self.at
        if self.text.startswith("#", start):
            return self._parse_number(start)
        self._refuse_foreign(recognize_foreign_syntax(self.text, start), start)
        name = _NAME.match(self.text, start)
        if name is not None:
            self._refuse_foreign(foreign_sign(self.text, name.end()), name.end())
            sign = self.text[name.end() : name.end() + 2]
            if sign[:1] == ":":
                self.at = name.end() + 1
                return self._parse_match(name[0], start)
            if sign[:1] in ("<", ">", "="):
                self.at = name.end()
                return self._parse_comparison(name[0], start)
        for keyword in _KEYWORDS:
            if self._consume_keyword(keyword):
                raise FilterError(f"{keyword!r} needs something before it", start, self.at)
        return self._parse_value("text")

    def _parse_number(self, start: int) -> Expression:
        found = self._consume_pattern(_FRAME)
        if found is None:
            raise FilterError("write # and the number of a frame: #12", start, start + 1)
        return Numbered(int(found[1]))

    def _refuse_foreign(self, found: tuple[str, int] | None, start: int) -> None:
        if found is not None:
            raise FilterError(found[0], start, found[1])

    def _parse_match(self, field: str, start: int) -> Expression:
        if field in NUMBER_FIELDS:
            raise FilterError(f"{field} is a number: write {field}>1", start, self.at)
        if field not in WORD_FIELDS and not is_path(field):
            known = ", ".join((*WORD_FIELDS, *NUMBER_FIELDS))
            paths = ", or a path from " + ", ".join(PATH_ROOTS) + " on"
            message = f"there is no field {field!r}; there are: {known}{paths}"
            raise FilterError(message, start, self.at)
        return self._parse_value(field)

    def _parse_value(self, field: str) -> Expression:
        start = self.at
        rest = self.text[start : start + 1]
        if rest == '"':
            quoted = self._consume_pattern(_QUOTED)
            if quoted is None:
                raise FilterError('this " is not closed', start, start + 1)
            value = re.sub(r"\\(.)", r"\1", quoted[1], flags=re.DOTALL)
            return self._check_match(FieldMatch(field, value, quoted=True), start)
        if rest == "/":
            return self._parse_regex(field, start)
        word = self._consume_pattern(_PLAIN)
        if word is None:
            missing = f"a value after {field}:" if start and field != "text" else "a condition"
            raise FilterError(f"{missing} is missing", start, start + 1)
        if field == "text" and "|" in word[0]:
            message = "write a or b; in quotes it is looked for as it is"
            raise FilterError(message, start, self.at)
        return self._check_match(FieldMatch(field, word[0]), start)

    def _check_match(self, match: FieldMatch, start: int) -> FieldMatch:
        problem = None
        if "*" not in match.value:
            problem = value_problem(match.field, match.value, quoted=match.quoted)
        if problem is not None:
            raise FilterError(problem, start, self.at)
        return match

    def _parse_regex(self, field: str, start: int) -> Expression:
        found = self._consume_pattern(_REGEX)
        after = self.text[self.at : self.at + 1]
        if found is None or (after and after not in _AFTER):
            hint = "starts a regular expression: put a path in quotes"
            raise FilterError(f"this / {hint}, or end it with another /", start, start + 1)
        try:
            compile_pattern(found[1])
        except PatternError as error:
            at = start + 1 + error.at
            raise FilterError(f"not a regular expression: {error}", at, at + 1) from None
        return FieldMatch(field, found[1], True, found[2])

    def _parse_comparison(self, field: str, start: int) -> Expression:
        if field not in NUMBER_FIELDS and not is_path(field):
            known = ", ".join(NUMBER_FIELDS)
            words = f"only {known} and paths can be compared"
            if field in WORD_FIELDS:
                words += f"; write {field}:value"
            raise FilterError(words, start, self.at)
        comparison = next(one for one in COMPARISONS if self.text.startswith(one, self.at))
        self.at += len(comparison)
        at = self.at
        number = self._consume_pattern(_NUMBER)
        if number is None:
            raise FilterError(f"a number after {field}{comparison} is missing", at, at + 1)
        if number[2] not in units_of(field):
            known = ", ".join(unit for unit in units_of(field) if unit)
            there = f"there are: {known}" if known else "a path has none"
            unit = f"there is no unit {number[2]!r}; {there}"
            raise FilterError(unit, number.start(2), number.end(2))
        return Compare(field, comparison, float(number[1]), number[2])

    def _consume_keyword(self, word: str) -> bool:
        self._skip_blanks()
        end = self.at + len(word)
        after = self.text[end : end + 1]
        if self.text[self.at : end] != word or (after and after not in _AFTER):
            return False
        self.at = end
        return True

    def _more_terms(self) -> bool:
        """Return whether another term follows after a space alone, which means `and`."""
        self._skip_blanks()
        if self.at >= len(self.text) or self.text[self.at] == ")":
            return False
        at = self.at
        alternative = self._consume_keyword("or")
        self.at = at
        return not alternative

    def _consume_sign(self, sign: str) -> bool:
        if not self.text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        return True

    def _consume_pattern(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def _skip_blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
