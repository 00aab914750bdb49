"""A session's modes, those that skip approval, and config options looked up by name."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from acp_tui.protocol.config_options import (
    BooleanConfigOption,
    SelectConfigOption,
    SessionConfigOption,
)
from acp_tui.state.approval_phrases import described_phrase, is_asking_switch, naming_phrase
from acp_tui.state.session import Session


class Mode(NamedTuple):
    """A mode as the agent describes it."""

    id: str
    name: str
    description: str = ""

    @property
    def no_approval_phrase(self) -> str:
        """The phrase by which the mode says that it skips approval, or ""."""
        return described_phrase(self.description) or naming_phrase(
            self.id, self.name, self.description
        )


_NOT_ABOUT_APPROVAL = ("model", "thought_level", "speed")
"""Categories of options whose values may have any name, so they aren't searched."""


def current_mode(session: Session) -> Mode | None:
    """Return the session's current mode.

    A config option for modes takes precedence over `modes`, but the description in `modes` is used
    if the option has none.
    """
    modes = available_modes(session)
    option = session.config.option("mode")
    if option is not None:
        current = option.current_value
    elif session.config.modes is not None:
        current = session.config.modes.current_mode_id
    else:
        return None
    return next((mode for mode in modes if mode.id == current), Mode(current, current))


def available_modes(session: Session) -> list[Mode]:
    """Return the modes to choose from, in the agent's order."""
    listed = session.config.modes.available_modes if session.config.modes is not None else []
    modes = [Mode(mode.id, mode.name, mode.description or "") for mode in listed]
    option = session.config.option("mode")
    if option is None:
        return modes
    said = {mode.id: mode.description for mode in modes}
    return [
        Mode(one.value, one.name, one.description or said.get(one.value, ""))
        for one in option.choices
    ]


def unasked_choice(session: Session) -> Mode | None:
    """Return the mode, or another option's value, that skips approval in the agent's words."""
    mode = current_mode(session)
    chosen = [*([mode] if mode is not None else []), *_other_choices(session)]
    return next((one for one in chosen if one.no_approval_phrase), None) or _switched_off(session)


def no_approval_words(session: Session, unasked: Mode) -> str:
    """Format the warning about a mode or option from `unasked_choice` that skips approval."""
    what = "Mode" if unasked == current_mode(session) else "Option"
    return f"{what} {unasked.name}: the agent doesn't ask before it acts"


def _switched_off(session: Session) -> Mode | None:
    """Return a switch that is off, and would make the agent ask if it were on."""
    switches = (one for one in session.config.options or [] if isinstance(one, BooleanConfigOption))
    for one in switches:
        if not one.current_value and is_asking_switch(one.id, one.name):
            return Mode(one.id, f"{one.name} off")
    return None


def _other_choices(session: Session) -> Iterator[Mode]:
    """Yield other options' values with the option's name: "never" alone could be about anything."""
    for option in session.config.options or []:
        if isinstance(option, BooleanConfigOption) and option.current_value:
            yield Mode(option.id, option.name, option.description or "")
        elif isinstance(option, SelectConfigOption) and option.category not in _NOT_ABOUT_APPROVAL:
            for one in option.choices:
                if one.value == option.current_value and option != session.config.option("mode"):
                    name = f"{option.name} {one.name}"
                    yield Mode(f"{option.id} {one.value}", name, one.description or "")


SettableOption = SelectConfigOption | BooleanConfigOption


def settable_options(options: Iterable[SessionConfigOption] | None) -> list[SettableOption]:
    """Return the options of known types."""
    return [one for one in options or () if isinstance(one, SettableOption)]


def find_option(options: Iterable[SessionConfigOption] | None, name: str) -> SettableOption | None:
    """Return the option with this id, else the only option of this category, or None."""
    known = settable_options(options)
    of_id = [one for one in known if one.id == name]
    alike = of_id or [one for one in known if one.category == name]
    return alike[0] if len(alike) == 1 or of_id else None


def read_value(option: SettableOption, text: str) -> bool | str:
    """Parse a typed value of an option: for a boolean option, "true" and "false" become bools."""
    if isinstance(option, BooleanConfigOption):
        return {"true": True, "false": False}.get(text, text)
    return text
