"""Masks secrets in recordings and logs that are handed on, and counts them.

Masked are: params of sign-in requests other than the method, the agent's accounts, environment
values, header values, values of keys that look secret, and anything in a text or a field's name
that looks like a token. A record in which nothing is masked keeps its exact bytes.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum, auto
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from acp_tui.masking.secrets import (
    MASK,
    do_nothing,
    find_in_words,
    find_secrets,
    has_secret,
    is_secret,
    may_be_secret,
)
from acp_tui.masking.split_text import Cuts, cut_out, find_split_parts, find_text_field
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.json_decoder import Malformed, decode, read_json
from acp_tui.protocol.process_events import TerminalOutput

ENVIRONMENTS = ("env", "environment", "envvars", "environmentvariables")
"""Names of objects, and of lists of pairs, with environment variables."""
_FAR = 200
"""Most characters of the path of a value, before its last step."""


class MaskWay(Enum):
    """How a value is masked.

    `LOOK`: only secrets in it. `MASK`: all of it. `PAIRS`: it is environment variables or headers
    (an object, or a list of names and values), whose values are all masked. `NAMED`: likewise, but
    only secrets among them are masked.
    """

    LOOK = auto()
    MASK = auto()
    PAIRS = auto()
    NAMED = auto()


class JsonPart(NamedTuple):
    """A value within another: under a key of an object, or at an index of an array."""

    holder: Any
    key: Any
    where: str
    way: MaskWay


def _of_pair(name: object, way: MaskWay) -> MaskWay:
    """Return how to mask the value of a variable with this name."""
    is_one = way is MaskWay.PAIRS or (isinstance(name, str) and is_secret(name))
    return MaskWay.MASK if is_one else MaskWay.LOOK


def path_inside(where: str, step: str) -> str:
    """Append a step to the path of a value, unless the path is already long."""
    return where if len(where) > _FAR else f"{where}{step[:_FAR]}"


def object_fields(
    value: dict[str, Any], where: str, way: MaskWay, maps: Mapping[str, MaskWay]
) -> Iterator[JsonPart]:
    """Yield the fields of an object; `maps` has the names of fields with variables or headers."""
    named = value.get("name", value.get("key"))
    for key, one in value.items():
        named_so = key == "value" and isinstance(named, str) and is_secret(named)
        if way in (MaskWay.MASK, MaskWay.PAIRS) or named_so:
            yield JsonPart(value, key, path_inside(where, f".{key}"), MaskWay.MASK)
            continue
        inner = path_inside(where, f".{key}").removeprefix(".")
        inner_way = maps.get(key.lower().replace("_", ""))
        if inner_way is not None:
            yield JsonPart(value, key, inner, inner_way)
        elif not may_be_secret(key, one):
            yield JsonPart(value, key, inner, MaskWay.LOOK)
        elif not (isinstance(one, int | float) and key.lower().endswith("tokens")):  # a count
            yield JsonPart(value, key, inner, MaskWay.MASK)


def variable_pairs(
    value: list[Any], where: str, way: MaskWay, text: Callable[[str, str], str]
) -> Iterator[JsonPart]:
    """Yield the variables in a list; `text` masks secrets in their names."""
    for at, one in enumerate(value):
        if isinstance(one, dict) and "value" in one:
            yield from _pair(value, at, dict(one), ("name", "value"), where, way, text)
        elif isinstance(one, list) and len(one) == 2:
            yield from _pair(value, at, list(one), (0, 1), where, way, text)
        elif isinstance(one, str) and "=" in one:
            name = one.partition("=")[0]
            told = path_inside(where, f".{text(name, where)}")
            yield JsonPart(value, at, told, _of_pair(name, way))
        else:
            yield JsonPart(value, at, path_inside(where, "[]"), MaskWay.LOOK)


def _pair(
    holder: list[Any],
    at: int,
    pair: Any,
    keys: tuple[Any, Any],
    where: str,
    way: MaskWay,
    text: Callable[[str, str], str],
) -> Iterator[JsonPart]:
    """Yield the value of a variable, and everything else in its object."""
    holder[at] = pair
    name_key, value_key = keys
    name = pair.get(name_key) if isinstance(pair, dict) else pair[name_key]
    told = text(name, where) if isinstance(name, str) else None
    for key in list(pair) if isinstance(pair, dict) else keys:
        if key == value_key:
            yield JsonPart(pair, key, path_inside(where, f".{told}"), _of_pair(name, way))
        elif key == name_key and told is not None:
            pair[key] = told
        else:
            yield JsonPart(pair, key, where, MaskWay.LOOK)


_SIGN_IN = ("authenticate", "auth/login", "providers/set")
_SIGN_IN_KEPT = ("methodId", "providerId", "apiType", "baseUrl", "_meta")
_MANY = 64
"""If an object has more fields, their names are first searched all at once: most have no secret."""
_TOLD = 50
"""Most paths that a summary names."""


class Redactor:
    """Masks secrets record by record; `masked` counts them by the path at which they were.

    Secrets split across records, such as the chunks of a message, are masked if `scan` got the
    records before. `pause` is called from time to time, and may raise an exception to end the work.
    With `environments`, all values of environment variables are masked; otherwise only those that
    are secrets by name or form, as running a command needs the others.
    """

    def __init__(
        self, pause: Callable[[], None] = do_nothing, *, environments: bool = True
    ) -> None:
        self._pause = pause
        self._maps = {"headers": MaskWay.PAIRS} | dict.fromkeys(
            ENVIRONMENTS, MaskWay.PAIRS if environments else MaskWay.NAMED
        )
        self.masked: Counter[str] = Counter()
        self._cuts: Cuts = {}

    def scan(self, records: Iterable[Record]) -> None:
        """Find the secrets that are split across several records."""
        self._cuts = find_split_parts(records, partial(find_secrets, pause=self._pause))

    def facts(self, facts: dict[str, Any]) -> dict[str, Any]:
        """Mask the secrets in the header of a recording."""
        rest: dict[str, Any] = self.value({**facts, "argv": None}, "")
        if "argv" in facts:
            argv = facts["argv"]
            is_one = isinstance(argv, list | tuple)
            rest["argv"] = self.argv(argv) if is_one else self.value(argv, "argv")
        else:
            del rest["argv"]
        return rest

    def record(self, record: Record) -> Record:
        """Mask the secrets in a record."""
        self._pause()
        if isinstance(record, Frame):
            return self._frame(record)
        if isinstance(record, TerminalOutput):
            said = record.data.decode("utf-8", "surrogateescape")
            said = self._mask_split(record, said, "terminal output")
            cleaned = self.text(said, "terminal output").encode("utf-8", "surrogateescape")
            return record._replace(data=cleaned)
        changes: dict[str, Any] = {}
        for name, value in record._asdict().items():
            if name == "argv":
                changes["argv"] = tuple(self.argv(value))
            elif isinstance(value, str):
                changes[name] = self.text(value, f"{type(record).__name__} {name}")
            elif name in ("paths", "files"):
                where = f"{type(record).__name__} {name}"
                changes[name] = type(value)(self.text(one, where) for one in value)
        return record._replace(**changes)

    def summary(self) -> str:
        """Format what was masked, and where."""
        if not self.masked:
            return "nothing was masked"
        places = [
            f"{where} ({count})" if count > 1 else where
            for where, count in islice(self.masked.items(), _TOLD)
        ]
        if len(self.masked) > _TOLD:
            places.append(f"and {len(self.masked) - _TOLD:,} other places")
        return f"masked {self.masked.total()}: {', '.join(places)}"

    def _frame(self, frame: Frame) -> Frame:
        before = self.masked.total()
        value = decode(frame.raw)
        if isinstance(value, Malformed) and value.is_over_limit:
            # A secret that only its field's name marks can't be found without parsing the line.
            self.masked["line over a limit"] += 1
            return frame._replace(raw=MASK.encode(), size=frame.size)
        if isinstance(value, Malformed):
            said = frame.raw.decode("utf-8", "surrogateescape")
            raw = self.text(said, "unreadable line").encode("utf-8", "surrogateescape")
            return frame._replace(raw=raw, size=frame.size)
        place = find_text_field(value) if frame in self._cuts else None
        if place is not None:
            place.holder[place.key] = self._mask_split(frame, place.text, place.path)
        cleaned = self._message(value)
        if self.masked.total() == before:
            return frame
        raw = json.dumps(cleaned, separators=(",", ":")).encode()
        return frame._replace(raw=raw, size=len(raw) if frame.flaw is None else frame.size)

    def _mask_split(self, record: Record, text: str, where: str) -> str:
        """Mask the parts of a text that belong to secrets split across several records."""
        spans = self._cuts.get(record, ())
        if spans:
            self.masked[where] += len(spans)
        return cut_out(text, spans, MASK)

    def _message(self, value: Any) -> Any:
        if isinstance(value, dict) and value.get("method") in _SIGN_IN:
            params = value.get("params")
            if not isinstance(params, dict):
                value = {**value, "params": self._mask(params, "params")}
            else:
                kept = {key: one for key, one in params.items() if key in _SIGN_IN_KEPT}
                rest = {
                    key: self._mask(one, f"params.{key}")
                    for key, one in params.items()
                    if key not in _SIGN_IN_KEPT
                }
                value = {**value, "params": {**kept, **rest}}
        return self.value(self._without_accounts(value), "")

    def _without_accounts(self, value: Any) -> Any:
        """Mask the agent's accounts: the user may see them, but they aren't handed on."""
        for part in ("params", "result") if isinstance(value, dict) else ():
            told = value.get(part)
            if isinstance(told, dict) and "state" in told and "accounts" in told:
                accounts = self._mask(told["accounts"], f"{part}.accounts")
                value = {**value, part: {**told, "accounts": accounts}}
        return value

    def value(self, value: Any, where: str) -> Any:
        """Mask the secrets in JSON."""
        return self._cleaned(value, where, MaskWay.LOOK)

    def _cleaned(self, value: Any, where: str, way: MaskWay) -> Any:
        holder = [value]
        parts = [JsonPart(holder, 0, where, way)]
        while parts:
            part = parts.pop()
            inner = part.holder[part.key]
            if isinstance(inner, dict | list):
                part.holder[part.key] = inner = inner.copy()
                parts += reversed(self._within(inner, part.where, part.way))
            else:
                part.holder[part.key] = self._plain(inner, part.where, part.way)
        return holder[0]

    def _within(self, value: Any, where: str, way: MaskWay) -> list[JsonPart]:
        """Return the values in an object or an array, and how to mask each."""
        if isinstance(value, dict):
            self._names(value, where)
            if way is MaskWay.LOOK:
                self._command(value)
            return list(object_fields(value, where, way, self._maps))
        if way in (MaskWay.PAIRS, MaskWay.NAMED):
            return list(variable_pairs(value, where, way, self.text))
        words = [one for one in value if isinstance(one, str)]
        if (
            way is MaskWay.LOOK
            and len(words) == len(value)
            and any(w.startswith("-") for w in words)
        ):
            value[:] = self.argv(words)  # may be a command line
            return []
        return [JsonPart(value, at, path_inside(where, "[]"), way) for at in range(len(value))]

    def _names(self, value: dict[str, Any], where: str) -> None:
        """Mask the secrets in the names of an object's fields; masked names stay distinct."""
        if len(value) > _MANY and not find_secrets("\n".join(value), self._pause):
            return
        if not any(map(has_secret, value)):
            return
        fields = list(value.items())
        value.clear()
        same: Counter[str] = Counter()
        for name, one in fields:
            unique = cleaned = self.text(name, f"a name in {where}".removesuffix(" in "))
            while unique in value:
                same[cleaned] += 1
                unique = f"{cleaned} {same[cleaned] + 1}"
            value[unique] = one

    def _command(self, value: dict[str, Any]) -> None:
        """Mask the secrets in the arguments of a command, which are next to it."""
        command, args = value.get("command"), value.get("args")
        if isinstance(args, list) and all(isinstance(one, str) for one in (command, *args)):
            value["args"] = self.argv([command, *args])[1:]

    def _plain(self, value: Any, where: str, way: MaskWay) -> Any:
        """Mask a value that contains no others."""
        if way is MaskWay.MASK:
            if value is None or isinstance(value, bool) or value in ("", MASK):
                return value
            self.masked[where] += 1
            return MASK
        if not isinstance(value, str):
            return value
        inner = _json(value)
        before = self.masked.total()
        cleaned = self.value(inner, where) if inner is not None else None
        if self.masked.total() != before:
            return json.dumps(cleaned, ensure_ascii=False)
        return self.text(value, where.removeprefix("."))

    def _mask(self, value: Any, where: str) -> Any:
        """Mask every value within, but keep the structure."""
        return self._cleaned(value, where, MaskWay.MASK)

    def text(self, text: str, where: str) -> str:
        """Mask what looks like a secret in a text."""
        spans = find_secrets(text, self._pause)
        if not spans:
            return text
        self.masked[where] += len(spans)
        ends = [0, *(end for _, end in spans)]
        kept = [text[end:start] for end, (start, _) in zip(ends, spans, strict=False)]
        return MASK.join([*kept, text[ends[-1] :]])

    def argv(self, argv: Any) -> list[str]:
        """Mask the secrets in a command line."""
        cleaned: list[str] = []
        for word in map(str, argv):
            secret = cleaned and cleaned[-1].startswith("-") and is_secret(cleaned[-1])
            if MASK in word:
                cleaned.append(word)
            elif secret and not word.startswith("-"):
                self.masked["argv"] += 1
                cleaned.append(MASK)
            elif cleaned and cleaned[-1] in ("-u", "--user"):
                cleaned.append(self.text(f"-u {word}", "argv").removeprefix("-u "))
            else:
                cleaned.append(self.text(word, "argv"))
        for index, start, end in find_in_words(cleaned):
            word = cleaned[index]
            if MASK not in word:
                self.masked["argv"] += 1
                cleaned[index] = word[:start] + MASK + word[end:]
        return cleaned


def _json(text: str) -> Any:
    """Parse a text that is a JSON object or array; return None if it is neither."""
    if text[:1] not in ("{", "["):
        return None
    try:
        return read_json(text)
    except ValueError:
        return None
