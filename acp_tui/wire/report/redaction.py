"""Secrets masked in what is handed on, and a count of what was masked.

Masked are: what sign-in requests carry beside the method, the accounts that an agent tells of,
environment values, header values, the values of keys that look secret, and in any text, or name of
a field, what looks like a token. A record in which
nothing is masked keeps its exact bytes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from enum import Enum, auto
from functools import partial
from typing import Any, NamedTuple

from acp_tui import deep_json
from acp_tui.protocol import json_decoder
from acp_tui.protocol.events import TerminalOutput
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.json_decoder import Malformed, Upper
from acp_tui.protocol.long_lines import LONG
from acp_tui.wire.recording import Record
from acp_tui.wire.report.command_secrets import in_words
from acp_tui.wire.report.secrets import MASK, has_secret, is_secret, may_be_secret, nothing, secrets
from acp_tui.wire.report.split_text import Cuts, cut, cuts, find_text_field

_SIGN_IN = ("authenticate", "auth/login", "providers/set")
_SIGN_IN_KEPT = ("methodId", "providerId", "apiType", "baseUrl", "_meta")
_MAPS = ("env", "headers", "environment", "envvars", "environmentvariables")


class _Way(Enum):
    """What is done with a value: secrets in it are looked for, or all of it is masked; `PAIRS` are
    environment variables and headers, an object or a list of name and value.
    """

    LOOK = auto()
    MASK = auto()
    PAIRS = auto()


class _Part(NamedTuple):
    """A value within another: under a key of an object, or at a place of an array."""

    holder: Any
    key: Any
    where: str
    way: _Way


class Redactor:
    """Masks secrets record by record; `masked` counts them by where they stood.

    What comes in pieces, a message chunk by chunk, is masked where the records were looked at
    before. `pause` is called now and then; it may raise what ends the work.
    """

    def __init__(self, pause: Callable[[], None] = nothing) -> None:
        self._pause = pause
        self.masked: Counter[str] = Counter()
        self._cuts: Cuts = {}

    def look_at(self, records: Iterable[Record]) -> None:
        """Find the secrets that are spread over several records."""
        self._cuts = cuts(records, partial(secrets, pause=self._pause))

    def facts(self, facts: dict[str, Any]) -> dict[str, Any]:
        """Mask the secrets in the header of a recording."""
        cleaned = dict(facts)
        if isinstance(facts.get("argv"), list | tuple):
            cleaned["argv"] = self.argv(facts["argv"])
        return cleaned

    def record(self, record: Record) -> Record:
        """Mask the secrets in a record."""
        self._pause()
        if isinstance(record, Frame):
            return self._frame(record)
        if isinstance(record, TerminalOutput):
            said = record.data.decode("utf-8", "surrogateescape")
            said = self._cut(record, said, "terminal output")
            cleaned = self.text(said, "terminal output").encode("utf-8", "surrogateescape")
            return record._replace(data=cleaned)
        changes: dict[str, Any] = {}
        for name, value in record._asdict().items():
            if name == "argv":
                changes["argv"] = tuple(self.argv(value))
            elif isinstance(value, str):
                changes[name] = self.text(value, f"{type(record).__name__} {name}")
            elif name == "paths":
                changes[name] = [self.text(one, f"{type(record).__name__} {name}") for one in value]
        return record._replace(**changes)

    def summary(self) -> str:
        """Say what was masked."""
        if not self.masked:
            return "nothing was masked"
        places = ", ".join(
            f"{where} ({count})" if count > 1 else where for where, count in self.masked.items()
        )
        return f"masked {self.masked.total()}: {places}"

    def _frame(self, frame: Frame) -> Frame:
        before = self.masked.total()
        value = _json_of(frame.raw)
        if isinstance(value, Malformed):
            said = frame.raw.decode("utf-8", "surrogateescape")
            raw = self.text(said, "unreadable line").encode("utf-8", "surrogateescape")
            return frame._replace(raw=raw, size=frame.size)
        place = find_text_field(value) if frame in self._cuts else None
        if place is not None:
            place.holder[place.key] = self._cut(frame, place.text, place.path)
        cleaned = self._message(value)
        if self.masked.total() == before:
            return frame
        raw = deep_json.dumps(cleaned, separators=(",", ":")).encode()
        return frame._replace(raw=raw, size=len(raw) if frame.flaw is None else frame.size)

    def _cut(self, record: Record, text: str, where: str) -> str:
        """A text without its part of what is spread over several records."""
        spans = self._cuts.get(record, ())
        if spans:
            self.masked[where] += len(spans)
        return cut(text, spans, MASK)

    def _message(self, value: Any) -> Any:
        if isinstance(value, dict) and value.get("method") in _SIGN_IN:
            params = value.get("params")
            if isinstance(params, dict):
                kept = {key: one for key, one in params.items() if key in _SIGN_IN_KEPT}
                rest = {
                    key: self._mask(one, f"params.{key}")
                    for key, one in params.items()
                    if key not in _SIGN_IN_KEPT
                }
                value = {**value, "params": {**kept, **rest}}
        return self.value(self._without_accounts(value), "")

    def _without_accounts(self, value: Any) -> Any:
        """Whose accounts an agent has is shown to a person, and not handed on."""
        for part in ("params", "result") if isinstance(value, dict) else ():
            told = value.get(part)
            if isinstance(told, dict) and "state" in told and "accounts" in told:
                accounts = self._mask(told["accounts"], f"{part}.accounts")
                value = {**value, part: {**told, "accounts": accounts}}
        return value

    def value(self, value: Any, where: str) -> Any:
        """Mask the secrets in JSON."""
        return self._cleaned(value, where, _Way.LOOK)

    def _cleaned(self, value: Any, where: str, way: _Way) -> Any:
        holder = [value]
        parts = [_Part(holder, 0, where, way)]
        while parts:  # no recursion: it may be nested deeper than Python's stack allows
            part = parts.pop()
            inner = part.holder[part.key]
            if isinstance(inner, dict | list):
                part.holder[part.key] = inner = inner.copy()
                parts += reversed(self._within(inner, part.where, part.way))
            else:
                part.holder[part.key] = self._plain(inner, part.where, part.way)
        return holder[0]

    def _within(self, value: Any, where: str, way: _Way) -> list[_Part]:
        """What an object or an array holds, and what is to be done with each."""
        if isinstance(value, dict):
            self._names(value, where)
            if way is _Way.LOOK:
                self._command(value)
            return list(_fields(value, where, way))
        if way is _Way.PAIRS:
            return list(_pairs(value, where))
        words = [one for one in value if isinstance(one, str)]
        if way is _Way.LOOK and len(words) == len(value) and any(w.startswith("-") for w in words):
            value[:] = self.argv(words)  # it may be a command line
            return []
        return [_Part(value, at, f"{where}[]", way) for at in range(len(value))]

    def _names(self, value: dict[str, Any], where: str) -> None:
        """Mask the secrets in the names of an object's fields; each field stays one of its own."""
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
        """Mask the arguments of a command that stands beside them."""
        command, args = value.get("command"), value.get("args")
        if isinstance(args, list) and all(isinstance(one, str) for one in (command, *args)):
            value["args"] = self.argv([command, *args])[1:]

    def _plain(self, value: Any, where: str, way: _Way) -> Any:
        """A value in which no other stands, without its secrets."""
        if way is _Way.MASK:
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
            return deep_json.dumps(cleaned, ensure_ascii=False)
        return self.text(value, where.removeprefix("."))

    def _mask(self, value: Any, where: str) -> Any:
        """Mask every value within, but keep the form."""
        return self._cleaned(value, where, _Way.MASK)

    def text(self, text: str, where: str) -> str:
        """Mask what looks like a secret in a text."""
        spans = secrets(text, self._pause)
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
        for index, start, end in in_words(cleaned):
            word = cleaned[index]
            if MASK not in word:
                self.masked["argv"] += 1
                cleaned[index] = word[:start] + MASK + word[end:]
        return cleaned


def _json_of(raw: bytes) -> Any:
    """The JSON of a line, `Malformed` if it is none; a long one is read step by step."""
    if len(raw) > LONG and not isinstance(value := json_decoder.decode(raw), Upper):
        return value
    try:
        return deep_json.loads(raw)
    except ValueError:
        return Malformed("not JSON")


def _json(text: str) -> Any:
    """The object or list that a text is; None where it is none."""
    if text[:1] not in ("{", "["):
        return None
    try:
        return deep_json.loads(text)
    except ValueError:
        return None


def _fields(value: dict[str, Any], where: str, way: _Way) -> Iterator[_Part]:
    named = value.get("name", value.get("key"))
    for key, one in value.items():
        named_so = key == "value" and isinstance(named, str) and is_secret(named)
        if way is not _Way.LOOK or named_so:
            yield _Part(value, key, f"{where}.{key}", _Way.MASK)
            continue
        inner = f"{where}.{key}".removeprefix(".")
        if key.lower().replace("_", "") in _MAPS:
            yield _Part(value, key, inner, _Way.PAIRS)
        elif not may_be_secret(key, one):
            yield _Part(value, key, inner, _Way.LOOK)
        elif not (isinstance(one, int | float) and key.lower().endswith("tokens")):  # a count
            yield _Part(value, key, inner, _Way.MASK)


def _pairs(value: list[Any], where: str) -> Iterator[_Part]:
    for at, one in enumerate(value):
        if isinstance(one, dict) and "value" in one:
            value[at] = pair = dict(one)
            yield _Part(pair, "value", f"{where}.{one.get('name')}", _Way.MASK)
        elif isinstance(one, list) and len(one) == 2:
            value[at] = copied = list(one)
            yield _Part(copied, 1, f"{where}.{one[0]}", _Way.MASK)
        elif isinstance(one, str) and "=" in one:
            yield _Part(value, at, f"{where}.{one.partition('=')[0]}", _Way.MASK)
        else:
            yield _Part(value, at, f"{where}[]", _Way.LOOK)
