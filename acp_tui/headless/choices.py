"""A mode or config option by the name that a person gave on the command line."""

from acp_tui.protocol.setup import BooleanConfigOption, SelectConfigOption
from acp_tui.session.commands import OptionCommand, SetConfigOption, SetMode, SetModel
from acp_tui.session.state import Session

MODE = "mode"


def option_command(session: Session, name: str, value: str) -> OptionCommand:
    """Return the command that sets an option; "mode" and "model" also name a category."""
    options = [
        option
        for option in session.config_options or []
        if isinstance(option, SelectConfigOption | BooleanConfigOption)
    ]
    for option in options:
        if option.id == name or option.category == name:
            flag = {"true": True, "false": False}.get(value, value)
            boolean = isinstance(option, BooleanConfigOption)
            return SetConfigOption(session.session_id, option.id, flag if boolean else value)
    if name == MODE and session.modes is not None:
        return SetMode(session.session_id, value)
    if name == "model" and session.models is not None:
        return SetModel(session.session_id, value)
    return SetConfigOption(session.session_id, name, value)
