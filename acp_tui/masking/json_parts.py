"""The values within a value of JSON, and what is to be done with each so that no secret stays."""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum, auto
from typing import Any, NamedTuple

from acp_tui.masking.secrets import is_secret, may_be_secret

ENVIRONMENTS = ("env", "environment", "envvars", "environmentvariables")
"""Names of objects, and of lists of pairs, that are environments."""
_FAR = 200
"""Characters that tell where a value is, some more for its last step."""


class MaskWay(Enum):
    """How a value is masked: only secrets in it, or all of it; `PAIRS` are environment variables
    and headers, an object or a list of name and value; `NAMED` are those of which only secrets are
    masked.
    """

    LOOK = auto()
    MASK = auto()
    PAIRS = auto()
    NAMED = auto()


class JsonPart(NamedTuple):
    """A value within another: under a key of an object, or at a place of an array."""

    holder: Any
    key: Any
    where: str
    way: MaskWay


def _of_pair(name: object, way: MaskWay) -> MaskWay:
    """What is done with the value of a variable."""
    is_one = way is MaskWay.PAIRS or (isinstance(name, str) and is_secret(name))
    return MaskWay.MASK if is_one else MaskWay.LOOK


def inside(where: str, step: str) -> str:
    """Return where a value within another is; only the beginning of a way that is long."""
    return where if len(where) > _FAR else f"{where}{step[:_FAR]}"


def fields(
    value: dict[str, Any], where: str, way: MaskWay, maps: Mapping[str, MaskWay]
) -> Iterator[JsonPart]:
    """Yield the fields of an object; `maps` are names of those that hold variables or headers."""
    named = value.get("name", value.get("key"))
    for key, one in value.items():
        named_so = key == "value" and isinstance(named, str) and is_secret(named)
        if way in (MaskWay.MASK, MaskWay.PAIRS) or named_so:
            yield JsonPart(value, key, inside(where, f".{key}"), MaskWay.MASK)
            continue
        inner = inside(where, f".{key}").removeprefix(".")
        inner_way = maps.get(key.lower().replace("_", ""))
        if inner_way is not None:
            yield JsonPart(value, key, inner, inner_way)
        elif not may_be_secret(key, one):
            yield JsonPart(value, key, inner, MaskWay.LOOK)
        elif not (isinstance(one, int | float) and key.lower().endswith("tokens")):  # a count
            yield JsonPart(value, key, inner, MaskWay.MASK)


def pairs(
    value: list[Any], where: str, way: MaskWay, text: Callable[[str, str], str]
) -> Iterator[JsonPart]:
    """Yield the variables of a list, whose names are masked by `text` where they are secrets."""
    for at, one in enumerate(value):
        if isinstance(one, dict) and "value" in one:
            yield from _pair(value, at, dict(one), ("name", "value"), where, way, text)
        elif isinstance(one, list) and len(one) == 2:
            yield from _pair(value, at, list(one), (0, 1), where, way, text)
        elif isinstance(one, str) and "=" in one:
            name = one.partition("=")[0]
            told = inside(where, f".{text(name, where)}")
            yield JsonPart(value, at, told, _of_pair(name, way))
        else:
            yield JsonPart(value, at, inside(where, "[]"), MaskWay.LOOK)


def _pair(
    holder: list[Any],
    at: int,
    pair: Any,
    keys: tuple[Any, Any],
    where: str,
    way: MaskWay,
    text: Callable[[str, str], str],
) -> Iterator[JsonPart]:
    """Yield the value of a variable, and all else that is told of it."""
    holder[at] = pair
    name_key, value_key = keys
    name = pair.get(name_key) if isinstance(pair, dict) else pair[name_key]
    told = text(name, where) if isinstance(name, str) else None
    for key in list(pair) if isinstance(pair, dict) else keys:
        if key == value_key:
            yield JsonPart(pair, key, inside(where, f".{told}"), _of_pair(name, way))
        elif key == name_key and told is not None:
            pair[key] = told
        else:
            yield JsonPart(pair, key, where, MaskWay.LOOK)
