"""The agent's modes: the step to the next one, and what the agent says of them."""

import re
from collections.abc import Sequence

from acp_tui.lazy_pattern import LazyPattern
from acp_tui.session.commands import Command, SetConfigOption, SetMode
from acp_tui.session.state import Session

_UNASKED = LazyPattern(
    r"\bwithout (?:asking|(?:any |your )?(?:approval|permission|confirmation|prompt)\w*)"
    r"|\b(?:(?:do|does|will) not|won['’]t|don['’]t|doesn['’]t|never) (?:ask|prompt)\w*"
    r"|\basks? nothing\b"
    r"|\bauto(?:matically)?[ -](?:accept|approve|allow)\w*"
    r"|\b(?:bypass|skip)\w* (?:all )?permission\w*",
    re.IGNORECASE,
)
"""How agents say of a mode that it doesn't ask."""
_DENIES = LazyPattern(r"\b(?:no|not|none|nothing|never|cannot)\b|n['’]t\b", re.IGNORECASE)
_SENTENCE = LazyPattern(r"[.;:\n]")


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


def mode_chosen_by(command: Command, session: Session) -> tuple[str, str] | None:
    """Return the mode that a command chooses, by its name for people, and what the agent says of it;
    None if it chooses none.
    """
    if isinstance(command, SetMode) and session.modes is not None:
        for mode in session.modes.available_modes:
            if mode.id == command.mode_id:
                return mode.name, mode.description or ""
    option = session.option("mode")
    if isinstance(command, SetConfigOption) and option is not None:
        for choice in option.choices:
            if command.config_id == option.id and choice.value == str(command.value):
                return choice.name, choice.description or ""
    return None


def said_of(session: Session) -> str:
    """Return what the agent's list says of the mode that is set."""
    option = session.option("mode")
    if option is not None:
        said = {choice.value: choice.description for choice in option.choices}
        return said.get(option.current_value) or ""
    if session.modes is None:
        return ""
    said = {mode.id: mode.description for mode in session.modes.available_modes}
    return said.get(session.modes.current_mode_id) or ""


def unasked(description: str) -> str:
    """Return the words in which a mode's description says that it doesn't ask; nothing where it
    says no such thing, or denies it.
    """
    for sentence in _SENTENCE.compiled.split(description):
        found = _UNASKED.compiled.search(sentence)
        if found is not None and not _DENIES.compiled.search(sentence[: found.start()]):
            return found.group()
    return ""


def _after(current: str, ids: Sequence[str]) -> str | None:
    if not set(ids) - {current}:
        return None
    at = ids.index(current) if current in ids else -1
    return ids[(at + 1) % len(ids)]
