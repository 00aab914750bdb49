"""Modes, config options and models: what is sent to choose one (ACP: Session Config Options)."""

from acp_tui.protocol.model import Model
from acp_tui.protocol.sessions import SetModelParams
from acp_tui.protocol.setup import (
    BooleanConfigOption,
    SelectConfigOption,
    SetConfigOptionParams,
    SetModeParams,
)
from acp_tui.session.commands import OptionCommand, SetConfigOption, SetMode, SetModel
from acp_tui.session.state import Session


class NotOffered(Exception):  # noqa: N818 - it is an answer to a person
    """The agent offers no such choice; the text says what it offers."""


def request(command: OptionCommand, session: Session) -> tuple[str, Model]:
    """The method and params of a choice. Raises NotOffered."""
    session_id = session.session_id
    match command:
        case SetMode(mode_id=mode_id):
            modes = session.modes.available_modes if session.modes is not None else []
            _check("mode", mode_id, [mode.id for mode in modes])
            return "session/set_mode", SetModeParams(session_id=session_id, mode_id=mode_id)
        case SetModel(model_id=model_id):
            models = session.models.available_models if session.models is not None else []
            _check("model", model_id, [model.model_id for model in models])
            return "session/set_model", SetModelParams(session_id=session_id, model_id=model_id)
        case SetConfigOption():
            return "session/set_config_option", _config_option(command, session)


def _config_option(command: SetConfigOption, session: Session) -> SetConfigOptionParams:
    known = {
        option.id: option
        for option in session.config_options or []
        if isinstance(option, SelectConfigOption | BooleanConfigOption)
    }
    _check("option", command.config_id, list(known))
    option, value = known[command.config_id], command.value
    kind = None
    if isinstance(option, BooleanConfigOption):
        kind = "boolean"
        if not isinstance(value, bool):
            raise NotOffered(f"{option.id} is either true or false.")
    else:
        _check(f"value of {option.id}", value, [choice.value for choice in option.choices])
    return SetConfigOptionParams.model_validate(
        {
            "session_id": command.session_id,
            "config_id": command.config_id,
            "type": kind,
            "value": value,
        }
    )


def _check(what: str, value: object, offered: list[str]) -> None:
    if value not in offered:
        raise NotOffered(f"There is no {what} {value!r}; offered: {', '.join(offered) or 'none'}.")
