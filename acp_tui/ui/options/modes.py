"""The agent's modes: the step to the next one."""

from collections.abc import Sequence

from acp_tui.state.commands import Command, SetConfigOption, SetMode
from acp_tui.state.modes import Mode, available_modes
from acp_tui.state.state import Session


def next_mode(session: Session) -> Command | None:
    """Return the command for the mode after the current one; None if there is no other.

    If an agent has a config option for its modes, that option is used: its `modes` are out of date.
    """
    option = session.option("mode")
    if option is not None:
        value = _after(option.current_value, [choice.value for choice in option.choices])
        return SetConfigOption(session.session_id, option.id, value) if value else None
    if session.modes is None:
        return None
    ids = [mode.id for mode in session.modes.available_modes]
    mode_id = _after(session.modes.current_mode_id, ids)
    return SetMode(session.session_id, mode_id) if mode_id else None


def mode_chosen_by(command: Command, session: Session) -> Mode | None:
    """Return the mode that a command chooses; None if it chooses none."""
    option = session.option("mode")
    if isinstance(command, SetMode):
        chosen = command.mode_id
    elif isinstance(command, SetConfigOption) and option and option.id == command.config_id:
        chosen = str(command.value)
    else:
        return None
    return next((mode for mode in available_modes(session) if mode.id == chosen), None)


def _after(current: str, ids: Sequence[str]) -> str | None:
    if not set(ids) - {current}:
        return None
    at = ids.index(current) if current in ids else -1
    return ids[(at + 1) % len(ids)]
