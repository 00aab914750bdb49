"""A mode or config option by the name that a person gave on the command line, or in a talk."""

import re

from acp_tui.protocol.setup import BooleanConfigOption, SelectConfigOption
from acp_tui.state.commands import OptionCommand, SetConfigOption, SetMode, SetModel
from acp_tui.state.state import Session
from acp_tui.text import clean_line

LONGEST_CHOICE_NAME = 60
"""Characters of what an agent calls something."""
MODE = "mode"
MODEL = "model"


def offered(session: Session) -> list[str]:
    """Return what can be set, a line for each: its name, its values, and which of them holds."""
    found = {name: ids for name, (ids, _) in _plain(session).items()}
    for option in _options(session):
        if isinstance(option, BooleanConfigOption):
            found[option.id] = ["true", "false"]
        else:
            found[option.id] = [one.value for one in option.choices]
    return [
        f"{quoted(name)} is {quoted(set_to(session, name))}; offered: {', '.join(map(quoted, values))}"
        for name, values in found.items()
    ]


def quoted(word: str) -> str:
    """Return a word of the agent's so that it doesn't pass for more than one word."""
    return word if re.fullmatch(r"[\w.:/-]{1,60}", word) else repr(cropped_line(word))


def cropped_line(text: str) -> str:
    """Return the beginning of a text, on one line."""
    line = clean_line(text)
    return line if len(line) <= LONGEST_CHOICE_NAME else f"{line[:LONGEST_CHOICE_NAME]}…"


def set_to(session: Session, name: str) -> str:
    """Return what an option is set to; empty if there is none of that name."""
    option = _option(session, name)
    if option is not None:
        value = option.current_value
        return str(value).lower() if isinstance(value, bool) else value
    return _plain(session).get(name, ([], ""))[1]


def is_unconfirmed(session: Session, name: str) -> bool:
    """Return whether an option was set and the agent hasn't confirmed its value yet."""
    option = _option(session, name)
    return option is not None and option.id in session.unconfirmed


def _options(session: Session) -> list[SelectConfigOption | BooleanConfigOption]:
    return [
        option
        for option in session.config_options or []
        if isinstance(option, SelectConfigOption | BooleanConfigOption)
    ]


def _option(session: Session, name: str) -> SelectConfigOption | BooleanConfigOption | None:
    """Return the option of an id; else that of a category, if it is the only one."""
    options = _options(session)
    of_id = [one for one in options if one.id == name]
    alike = of_id or [one for one in options if one.category == name]
    return alike[0] if len(alike) == 1 or of_id else None


def _plain(session: Session) -> dict[str, tuple[list[str], str]]:
    """The modes and models that stand beside the options: their ids, and which holds."""
    found = {}
    if session.modes is not None:
        ids = [one.id for one in session.modes.available_modes]
        found[MODE] = (ids, session.modes.current_mode_id)
    if session.models is not None:
        ids = [one.model_id for one in session.models.available_models]
        found[MODEL] = (ids, session.models.current_model_id)
    return found


def option_command(session: Session, name: str, value: str) -> OptionCommand:
    """Return the command that sets an option; "mode" and "model" also name a category."""
    option = _option(session, name)
    if option is not None:
        flag = {"true": True, "false": False}.get(value, value)
        boolean = isinstance(option, BooleanConfigOption)
        return SetConfigOption(session.session_id, option.id, flag if boolean else value)
    if name == MODE and session.modes is not None:
        return SetMode(session.session_id, value)
    if name == MODEL and session.models is not None:
        return SetModel(session.session_id, value)
    return SetConfigOption(session.session_id, name, value)
