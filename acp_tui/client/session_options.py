"""Sets the modes, models and options of sessions (ACP: Session Config Options)."""

from collections.abc import Sequence
from typing import Literal

import anyio

from acp_tui.client.core import Core
from acp_tui.protocol.config_options import (
    BooleanConfigOption,
    InitialValue,
    SelectConfigOption,
    SetConfigOptionParams,
    SetModelParams,
    SetModeParams,
)
from acp_tui.protocol.setup import SessionSetup
from acp_tui.protocol.wire_events import Responded
from acp_tui.state.commands import SetConfigOption, SetMode, SetModel
from acp_tui.state.modes import find_option, read_value

OPTIONS_UPDATE_DELAY = 1.0
"""Seconds after a response without options in which the agent may send them as an update."""
UNCONFIRMED = (
    "It answered without its options, and sent no update, so the current value isn't known."
)


def initial_values(
    offered: SessionSetup, choices: Sequence[tuple[str, str]]
) -> tuple[list[InitialValue], str]:
    """Return the values with which to open a session, and the reason why the choices are refused,
    or "".

    Modes and models that aren't config options are left out: they are set once the session is open.
    """
    values = []
    modes = [one.id for one in offered.modes.available_modes] if offered.modes is not None else []
    for name, text in choices:
        option = find_option(offered.config_options, name)
        if option is None:
            if name == "mode" and modes and text not in modes:
                return [], f"The agent offers no mode {text!r}, but {', '.join(modes)}."
            if name not in ("mode", "model"):
                return [], f"The agent offers no option {name!r}."
            continue
        value = read_value(option, text)
        if isinstance(option, BooleanConfigOption):
            if not isinstance(value, bool):
                return [], f"{name} is either true or false."
            values.append(make_initial_value(option.id, value))
            continue
        known = [one.value for one in option.choices]
        if value not in known:
            return [], f"The agent offers no value {text!r} of {name}, but {', '.join(known)}."
        values.append(make_initial_value(option.id, value))
    return values, ""


def make_initial_value(config_id: str, value: bool | str) -> InitialValue:
    """Return the initial value of a config option."""
    kind: Literal["boolean"] | None = "boolean" if isinstance(value, bool) else None
    return InitialValue(config_id=config_id, type=kind, value=value)


class SessionOptions:
    """Sends the user's choices of modes, models and options, if the agent offers them."""

    def __init__(self, core: Core) -> None:
        self._core = core
        core.register(
            {
                SetMode: self._set_mode,
                SetModel: self._set_model,
                SetConfigOption: self._set_config_option,
            },
            {"session/set_config_option": self._expect_options},
        )

    def _set_mode(self, command: SetMode) -> None:
        session_id, mode_id = command.session_id, command.mode_id
        modes = self._core.state.session(session_id).config.modes
        offered = [mode.id for mode in modes.available_modes] if modes is not None else []
        if self._is_offered(session_id, "mode", mode_id, offered):
            params = SetModeParams(session_id=session_id, mode_id=mode_id)
            self._core.request("session/set_mode", params)

    def _set_model(self, command: SetModel) -> None:
        session_id, model_id = command.session_id, command.model_id
        models = self._core.state.session(session_id).config.models
        offered = [one.model_id for one in models.available_models] if models is not None else []
        if self._is_offered(session_id, "model", model_id, offered):
            params = SetModelParams(session_id=session_id, model_id=model_id)
            self._core.request("session/set_model", params)

    def _set_config_option(self, command: SetConfigOption) -> None:
        session_id, value = command.session_id, command.value
        known = {
            option.id: option
            for option in self._core.state.session(session_id).config.options or []
            if isinstance(option, SelectConfigOption | BooleanConfigOption)
        }
        if not self._is_offered(session_id, "option", command.config_id, list(known)):
            return
        option, kind = known[command.config_id], None
        if isinstance(option, BooleanConfigOption):
            kind = "boolean"
            if not isinstance(value, bool):
                self._refuse_choice(session_id, f"{option.id} is either true or false.")
                return
        else:
            offered = [choice.value for choice in option.choices]
            if not self._is_offered(session_id, f"value of {option.id}", value, offered):
                return
        params = SetConfigOptionParams.model_validate(
            {"session_id": session_id, "config_id": option.id, "type": kind, "value": value}
        )
        self._core.request("session/set_config_option", params)

    def _expect_options(self, event: Responded) -> None:
        """Wait for an update with the options if the response has none."""
        params = event.request.params
        if isinstance(params, SetConfigOptionParams) and self._is_unconfirmed(params):
            self._core.spawn(self._report_unconfirmed, params)

    async def _report_unconfirmed(self, params: SetConfigOptionParams) -> None:
        """Notify the user of an option that is still unconfirmed: the value shown may be stale."""
        await anyio.sleep(OPTIONS_UPDATE_DELAY)
        if self._is_unconfirmed(params):
            value = str(params.value).lower() if isinstance(params.value, bool) else params.value
            title = f"The agent didn't confirm {params.config_id} {value}"
            self._core.notify(params.session_id, "warning", title, UNCONFIRMED)

    def _is_unconfirmed(self, params: SetConfigOptionParams) -> bool:
        session = self._core.state.session(params.session_id)
        return session.config.unconfirmed.get(params.config_id) == params.value

    def _is_offered(self, session_id: str, what: str, value: object, offered: list[str]) -> bool:
        """Return whether the agent offers a choice; if not, notify the user of those that it
        offers.
        """
        if value in offered:
            return True
        known = ", ".join(offered) or "none"
        self._refuse_choice(session_id, f"There is no {what} {value!r}; offered: {known}.")
        return False

    def _refuse_choice(self, session_id: str, why: str) -> None:
        self._core.notify(session_id, "error", "Not possible", why)
