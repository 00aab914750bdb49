"""Finds config options by what a person types: an id or a category."""

from collections.abc import Iterable

from acp_tui.protocol.setup import BooleanConfigOption, SelectConfigOption, SessionConfigOption

SettableOption = SelectConfigOption | BooleanConfigOption


def settable_options(options: Iterable[SessionConfigOption] | None) -> list[SettableOption]:
    """Return the options whose types are known."""
    return [one for one in options or () if isinstance(one, SettableOption)]


def find_option(options: Iterable[SessionConfigOption] | None, name: str) -> SettableOption | None:
    """Return the option with this id; otherwise the only one of this category, or None."""
    known = settable_options(options)
    of_id = [one for one in known if one.id == name]
    alike = of_id or [one for one in known if one.category == name]
    return alike[0] if len(alike) == 1 or of_id else None


def read_value(option: SettableOption, text: str) -> bool | str:
    """Parse a typed value of an option: for a boolean option, "true" and "false" become bools."""
    if isinstance(option, BooleanConfigOption):
        return {"true": True, "false": False}.get(text, text)
    return text
