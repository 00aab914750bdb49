"""Config options by the names that a person gives them."""

from collections.abc import Iterable

from acp_tui.protocol.setup import BooleanConfigOption, SelectConfigOption, SessionConfigOption

SettableOption = SelectConfigOption | BooleanConfigOption


def settable_options(options: Iterable[SessionConfigOption] | None) -> list[SettableOption]:
    """Return the options whose types are known."""
    return [one for one in options or () if isinstance(one, SettableOption)]


def find_option(options: Iterable[SessionConfigOption] | None, name: str) -> SettableOption | None:
    """Return the option of an id; else that of a category, if it is the only one."""
    known = settable_options(options)
    of_id = [one for one in known if one.id == name]
    alike = of_id or [one for one in known if one.category == name]
    return alike[0] if len(alike) == 1 or of_id else None


def read_value(option: SettableOption, text: str) -> bool | str:
    """Return the value that a text means for an option; what isn't true or false stays a text."""
    if isinstance(option, BooleanConfigOption):
        return {"true": True, "false": False}.get(text, text)
    return text
