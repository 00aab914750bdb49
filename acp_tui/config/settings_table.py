"""The table of all settings: name, kind, default, and where each can be set."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from acp_tui.config.settings import Settings
from acp_tui.config.toml_files import ConfigModel

PREFIX = "ACP_TUI_"
"""The prefix of environment variables that set a setting."""
_LATE = ("agents.", "places.", "quirks.", "check.", "permissions")
"""Prefixes of the names of settings that are only read at start."""


@cache
def _facts() -> Mapping[str, Mapping[str, Any]]:
    """Read the settings' descriptions from `settings_table.toml`."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


class Setting(NamedTuple):
    """A setting: its keys, its type annotation, and its default."""

    keys: tuple[str, ...]
    hint: Any
    default: Any

    @property
    def name(self) -> str:
        """The keys, joined with dots."""
        return ".".join(self.keys)

    def _fact(self, name: str, default: Any = "") -> Any:
        return _facts().get(self.name, {}).get(name, default)

    @property
    def words(self) -> str:
        """A phrase that describes its effect."""
        if words := self._fact("words"):
            return str(words)
        method = self.keys[-1]
        if method not in ("initialize", "authenticate", "logout"):
            method = f"session/{method}"
        return f"seconds that an agent may take to answer `{method}`"

    @property
    def unit(self) -> str:
        """The unit of a number; "" if the name includes it."""
        return "s" if self.keys[0] == "limits" else str(self._fact("unit"))

    def formatted(self, value: Any) -> str:
        """Format a value for display: numbers with the unit, an unset value in words."""
        if value is None or value == []:
            return str(self._fact("unset", "none"))
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int | float):
            return f"{value:g} {self.unit}".rstrip()
        return ", ".join(value) if isinstance(value, list) else str(value)

    @property
    def variable(self) -> str:
        """The environment variable that sets it; "" for settings without one, such as those of
        named tables.
        """
        plain = "NAME" not in self.keys and self.name not in (
            "permissions",
            "check.prompts",
            "keys",
        )
        return PREFIX + "_".join(self.keys).upper() if plain else ""

    @property
    def flag(self) -> str:
        """The command-line options that set it for one run, or ""."""
        return str(self._fact("flag"))

    @property
    def in_projects(self) -> bool:
        """Whether a trusted project may set it: it runs nothing and allows nothing."""
        return bool(self._fact("in_projects"))

    @property
    def is_deferred(self) -> bool:
        """Whether a change takes effect later instead of immediately."""
        return self.name.startswith(_LATE) or bool(self._fact("effect"))

    @property
    def takes_effect(self) -> str:
        """When a change takes effect, made on the screen or in the file."""
        late = self._fact("effect", "from the next start on")
        return str(late) if self.is_deferred else "from now on"

    @property
    def kind(self) -> str:
        """The kind of value, for display."""
        return _kind(self.hint)

    @property
    def expected(self) -> str:
        """The kind of value with its unit, such as `number of seconds`."""
        unit = {"s": " of seconds", "": ""}.get(self.unit, f" of {self.unit}")
        return "a theme" if self.name == "theme" else f"{self.kind}{unit}"

    @property
    def sentence(self) -> str:
        """Its effect, as a sentence."""
        words = self.words.replace("`", "")
        return f"{words[:1].upper()}{words[1:]}."

    def of(self, settings: Settings) -> Any:
        """Return the setting's value in these settings."""
        value: Any = settings
        for key in self.keys:
            value = getattr(value, key)
        return value

    def is_in(self, settings: Settings) -> bool:
        """Return whether these settings set it, instead of using its default."""
        value: Any = settings
        for key in self.keys:
            if key not in value.model_fields_set:
                return False
            value = getattr(value, key)
        return True


@cache
def all_settings() -> tuple[Setting, ...]:
    """Return every setting, in the order of the model."""
    return tuple(_walk_fields(Settings, ()))


def settings_by_name() -> dict[str, Setting]:
    """Return the settings that a variable can set, by name; those of named tables aren't included."""
    return {one.name: one for one in all_settings() if one.variable}


def nest_in_tables(keys: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Wrap a value in the nested tables of its keys."""
    first, *rest = keys
    return {first: nest_in_tables(tuple(rest), value) if rest else value}


def _walk_fields(model: type[ConfigModel], above: tuple[str, ...]) -> Iterator[Setting]:
    for key, field in model.model_fields.items():
        hint: Any = field.annotation
        keys, inner = (*above, key), hint
        entries: Any = get_origin(hint)
        if entries is dict and isinstance(get_args(hint)[1], type):
            keys, inner = (*keys, "NAME"), get_args(hint)[1]
        if isinstance(inner, type) and issubclass(inner, ConfigModel):
            yield from _walk_fields(inner, keys)
        else:
            required = field.is_required()
            default = None if required else field.get_default(call_default_factory=True)
            yield Setting((*above, key), hint, default)


def _kind(hint: Any) -> str:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _kind(args[0])
    if origin in (Union, UnionType):
        return " or ".join(_kind(one) for one in args if one is not NoneType)
    if origin is Literal:
        return ", ".join(map(str, args))
    if origin is list:
        return f"list of {_kind(args[0])}"
    if origin is dict:
        return "table"
    return {bool: "true, false", int: "whole number", float: "number", str: "text"}[hint]
