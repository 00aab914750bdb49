"""Rebinds keys by a preset and the `[keys]` of the settings.

Changes the key tables in place, at the start before any widget is imported, so that hints and help
show the keys that work. Mounted widgets need `ui/textual_fixes/key_bindings.py` to bind theirs
again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from textual.binding import Binding

from acp_tui.config.settings import Settings
from acp_tui.config.toml_files import ConfigError, place_of_setting
from acp_tui.ui.bindings import PLACES
from acp_tui.ui.keys import MOVED, NO_KEY, SIGNS, printed_key

Moves = Mapping[str, Mapping[str, str]]
"""For each place, the key that replaces a key of its table."""

PRESETS: Mapping[str, Moves] = {
    "default": {},
    "emacs": {
        "sessions": {"ctrl+s": "alt+q", "alt+w": "alt+k"},
        "conversation": {"alt+slash": "alt+slash,ctrl+s"},
        "prompt": {"pageup": "pageup,alt+v", "alt+v": "alt+i"},
        "transcript": {
            "up": "up,ctrl+p",
            "down": "down,ctrl+n",
            "pageup": "pageup,alt+v",
            "pagedown": "pagedown,ctrl+v",
            "home": "home,alt+less_than_sign",
            "end": "end,alt+greater_than_sign",
            "y": "y,alt+w",
        },
        "lists": {"up": "up,ctrl+p", "down": "down,ctrl+n"},
    },
    "vim": {
        "transcript": {
            "pageup": "pageup,ctrl+b",
            "pagedown": "pagedown,ctrl+f",
            "ctrl+up": "ctrl+up,ctrl+y",
            "ctrl+down": "ctrl+down,ctrl+e",
        },
        "lists": {"up": "up,ctrl+k", "down": "down,ctrl+j"},
        "changed-files": {"pageup": "pageup,ctrl+b", "pagedown": "pagedown,ctrl+f"},
        "frames": {"pageup": "pageup,ctrl+b", "pagedown": "pagedown,ctrl+f"},
        "frame": {"pageup": "pageup,ctrl+b", "pagedown": "pagedown,ctrl+f"},
    },
}
_SIGNS = {words: name for name, words in SIGNS.items()}
_NAMED = {
    *("enter", "escape", "tab", "space", "backspace", "delete", "insert"),
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
    *(f"f{number}" for number in range(1, 25)),
}
_OTHER_NAMES = {
    "esc": "escape",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "del": "delete",
    "ins": "insert",
}
_MODIFIERS = ("ctrl", "alt", "shift")
_SAME = {
    "ctrl+i": "Tab",
    "ctrl+m": "Enter",
    "ctrl+h": "Backspace",
    "ctrl+left_square_bracket": "Esc",
}
"""Keys that most terminals can't distinguish from others."""
_FROM_PROMPT = ("everywhere", "sessions", "conversation", "prompt")
"""Places whose keys work while the user types: a letter alone is text there."""
_WRITTEN_IN = (
    "lists",
    "settings",
    "recall",
    "find",
    "launcher",
    "matrix",
    "session-list",
    "search",
    "composer",
)
_MAIN = (*_FROM_PROMPT, "queue", "transcript")


BEFORE: dict[str, list[Binding]] = {}
"""The original tables; empty until they are first changed."""


class WrongKeyError(Exception):
    """A key that can't be rebound; the message explains why."""


def move_keys(settings: Settings, path: Path) -> None:
    """Rebind the keys in all tables as a settings file asks.

    Raises ConfigError, with the places in the file, and changes nothing.
    """
    tables, moves = _planned(settings, path)
    if not BEFORE:
        BEFORE.update({place: list(table) for place, table in PLACES.items()})
    for place, new_table in tables.items():
        PLACES[place][:] = new_table
    MOVED.clear()
    MOVED.update(
        {
            place: {old: new.split(",")[0] for old, new in keys.items()}
            for place, keys in moves.items()
        }
    )


def check_keys(settings: Settings, path: Path) -> None:
    """Check that the keys of a settings file can be bound.

    Raises ConfigError, with the places in the file.
    """
    _planned(settings, path)


def _planned(settings: Settings, path: Path) -> tuple[dict[str, list[Binding]], Moves]:
    """Return all tables with the settings applied, and the rebound keys. Raises ConfigError."""
    wrong: list[str] = []
    moves: dict[str, dict[str, str]] = {
        place: dict(keys) for place, keys in PRESETS[settings.key_preset].items()
    }
    for place, keys in settings.keys.items():
        try:
            table = movable_keys(place)
        except WrongKeyError as error:
            wrong.append(_describe_error(path, [place], error))
            continue
        for key, pressed in keys.items():
            try:
                old = parse_key(key)
                if old not in table:
                    names = ", ".join(sorted(map(printed_key, table)))
                    raise WrongKeyError(f"{place} has no such key; it has: {names}")
                new = ",".join(map(parse_key, _split_keys(pressed))) or NO_KEY
            except WrongKeyError as error:
                wrong.append(_describe_error(path, [place, key], error))
            else:
                moves.setdefault(place, {})[old] = new
    tables = keys_after_moves(moves)
    wrong += (
        _describe_error(path, where, error)
        for where, error in find_conflicts(tables, moves, settings.keys)
    )
    if wrong:
        raise ConfigError("\n".join(dict.fromkeys(wrong)))
    return tables, moves


def _places() -> Mapping[str, list[Binding]]:
    """Return the original tables."""
    return BEFORE or PLACES


def movable_keys(place: str) -> set[str]:
    """Return the keys of a place that can be rebound. Raises WrongKeyError if there is no such
    place.
    """
    if place not in _places():
        near = get_close_matches(place, _places(), 1, 0.5)
        meant = f"; did you mean {near[0]}?" if near else ";"
        raise WrongKeyError(f"there is no such place{meant} there are: {', '.join(_places())}")
    return {key for binding in _places()[place] if binding.action for key in binding.key.split(",")}


def parse_key(text: str) -> str:
    """Return a key as the tables spell it: `Ctrl+G` is `ctrl+g`. Raises WrongKeyError."""
    *modifiers, name = (
        text.strip().split("+") if not text.endswith("+") else [*text[:-2].split("+"), "+"]
    )
    modifiers = [one.strip().lower() for one in modifiers if one.strip()]
    name = name.strip()
    if len(name) == 1:
        name = _SIGNS.get(name, name.lower() if modifiers else name)
    else:
        name = name.lower()
        name = _OTHER_NAMES.get(name, name)
        if name not in _NAMED and name not in _SIGNS.values():
            raise WrongKeyError(
                f"there is no key {text!r}; keys are written as in docs/keys.md: Ctrl+G"
            )
    if set(modifiers) - set(_MODIFIERS):
        raise WrongKeyError(f"{text!r}: keys are held with {', '.join(_MODIFIERS)}")
    key = "+".join([*(one for one in _MODIFIERS if one in modifiers), name])
    if key in _SAME:
        raise WrongKeyError(f"terminals send {_SAME[key]} for {printed_key(key)}")
    return key


def keys_after_moves(moves: Moves) -> dict[str, list[Binding]]:
    """Return all tables with these keys rebound. A binding that several tables share changes in all
    of them.
    """
    new: dict[int, Binding] = {}
    for place, keys in moves.items():
        for binding in _places()[place]:
            parts = [keys.get(key, key) for key in binding.key.split(",")]
            keys_left = [key for part in parts for key in part.split(",") if key != NO_KEY]
            pressed = ",".join(dict.fromkeys(keys_left)) or NO_KEY
            if pressed != binding.key and binding.action:
                new[id(binding)] = replace(binding, key=pressed)
    return {
        place: [new.get(id(binding), binding) for binding in table]
        for place, table in _places().items()
    }


def find_conflicts(
    tables: Mapping[str, list[Binding]], moves: Moves, given: Moves
) -> Iterator[tuple[list[str], WrongKeyError]]:
    """Find keys that would have two actions, or that would also insert text; each with its place in
    the settings.
    """
    for place, keys in moves.items():
        for old, new in keys.items():
            where = next(
                ([place, key] for key in given.get(place, ()) if parse_key(key) == old), [place]
            )
            for key in filter(lambda one: one != NO_KEY, new.split(",")):
                if _is_text(place, key):
                    words = f"{printed_key(key)} alone is text there; take it with Ctrl or Alt"
                    yield where, WrongKeyError(words)
                for other, binding in _doing(tables, place, key, old):
                    description = binding.description or binding.action
                    words = f'{printed_key(key)} is taken; give that another key, or "" for none'
                    yield where, WrongKeyError(f"{words}. In {other} it is: {description}")


def _is_text(place: str, key: str) -> bool:
    is_sign = len(key) == 1 or key in _SIGNS.values() or key == "space"
    return is_sign and (place in _FROM_PROMPT or place in _WRITTEN_IN)


def _doing(
    tables: Mapping[str, list[Binding]], place: str, key: str, old: str
) -> Iterator[tuple[str, Binding]]:
    """Find the other bindings of a key that are active at the same time."""
    own = {one.action for one in _places()[place] if old in one.key.split(",")}
    for other, table in tables.items():
        for binding in table:
            if key not in binding.key.split(",") or binding.action in own:
                continue
            together = place in _MAIN and other in _MAIN and _has_priority(place, binding, own)
            if other == place or together:
                yield other, binding


def _has_priority(place: str, binding: Binding, own: set[str]) -> bool:
    """Return whether one of two bindings has priority, so that the other is never reached."""
    return binding.priority or any(one.priority for one in _places()[place] if one.action in own)


def _split_keys(keys: str) -> list[str]:
    """Split keys at commas; the comma itself is written `comma`."""
    return [one for one in (part.strip() for part in keys.split(",")) if one]


def _describe_error(path: Path, where: list[str], error: WrongKeyError) -> str:
    try:
        line, column = place_of_setting(path.read_text("utf-8"), ["keys", *where])
    except (OSError, UnicodeDecodeError):
        line = column = 0
    place = f"{path}:{line}:{column}" if line else str(path)
    return f"{place}: keys.{'.'.join(where)}: {error}"
