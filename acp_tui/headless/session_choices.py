"""A session's modes, models and other options, by the names and values that the user types."""

import re

from acp_tui.protocol.config_options import BooleanConfigOption
from acp_tui.state.commands import OptionCommand, SetConfigOption, SetMode, SetModel
from acp_tui.state.modes import find_option, read_value, settable_options
from acp_tui.state.session import Session
from acp_tui.text import clean_line

MODE = "mode"
MODEL = "model"
_LONGEST_WORD = 60
"""Longest part of an agent's name or value that is shown, in characters."""


def list_settable(session: Session) -> list[str]:
    """Return a line for each settable option: its name, its current value, and the offered values."""
    found = {name: ids for name, (ids, _) in _plain(session).items()}
    for option in settable_options(session.config.options):
        if isinstance(option, BooleanConfigOption):
            found[option.id] = ["true", "false"]
        else:
            found[option.id] = [one.value for one in option.choices]
    return [
        f"{quote_word(name)} is {quote_word(current_value(session, name))}; offered: {', '.join(map(quote_word, values))}"
        for name, values in found.items()
    ]


def quote_word(word: str) -> str:
    """Quote a word of the agent's if it could pass for more than one word."""
    line = clean_line(word)
    if len(line) > _LONGEST_WORD:
        return repr(f"{line[:_LONGEST_WORD]}…")
    return word if re.fullmatch(r"[\w.:/-]+", word) else repr(line)


def current_value(session: Session, name: str) -> str:
    """Return the current value of an option; "" if there is no option of that name."""
    option = find_option(session.config.options, name)
    if option is not None:
        value = option.current_value
        return str(value).lower() if isinstance(value, bool) else value
    return _plain(session).get(name, ([], ""))[1]


def is_unconfirmed(session: Session, name: str) -> bool:
    """Return whether an option was set, and the agent hasn't confirmed the value yet."""
    option = find_option(session.config.options, name)
    return option is not None and option.id in session.config.unconfirmed


def _plain(session: Session) -> dict[str, tuple[list[str], str]]:
    """Return the modes and models that aren't config options: their ids, and the current one."""
    found = {}
    if session.config.modes is not None:
        ids = [one.id for one in session.config.modes.available_modes]
        found[MODE] = (ids, session.config.modes.current_mode_id)
    if session.config.models is not None:
        ids = [one.model_id for one in session.config.models.available_models]
        found[MODEL] = (ids, session.config.models.current_model_id)
    return found


def option_command(session: Session, name: str, value: str) -> OptionCommand:
    """Return the command that sets an option; "mode" and "model" may stand for the option of that
    category.
    """
    option = find_option(session.config.options, name)
    if option is not None:
        return SetConfigOption(session.session_id, option.id, read_value(option, value))
    if name == MODE and session.config.modes is not None:
        return SetMode(session.session_id, value)
    if name == MODEL and session.config.models is not None:
        return SetModel(session.session_id, value)
    return SetConfigOption(session.session_id, name, value)
