"""Filters as they are understood: conditions, and how they are joined."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class FieldMatch:
    """`field:value`; with `regex`, `flags` is "i" or nothing. `quoted` if it stood in quotes."""

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
    """`field>number`; `unit` as it was written."""

    field: str
    comparison: str
    number: float
    unit: str = ""

    def __str__(self) -> str:
        number = f"{Decimal(repr(self.number)):f}"
        return f"{self.field}{self.comparison}{number}{self.unit}"


@dataclass(frozen=True, slots=True)
class Numbered:
    """`#12`: one frame."""

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
