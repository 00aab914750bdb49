"""Modes, models and other options of a session (ACP: Session Modes, Session Config Options)."""

from typing import Annotated, Literal

from acp_tui.protocol.model import BY_TYPE, Items, Listed, Model, Salvaged


class SessionMode(Model):
    id: str
    name: str
    description: Salvaged[str] = None


class SessionModeState(Model):
    current_mode_id: str
    available_modes: Listed[SessionMode]


class SelectOption(Model):
    value: str
    name: str
    description: Salvaged[str] = None


class SelectGroup(Model):
    group: str
    name: str
    options: Listed[SelectOption]


class SelectConfigOption(Model):
    """A choice of one value; the options are a flat list, or in groups."""

    type: Literal["select"] = "select"
    id: str
    name: str
    description: Salvaged[str] = None
    category: Salvaged[str] = None
    current_value: str
    options: Items[SelectGroup | SelectOption]

    @property
    def choices(self) -> list[SelectOption]:
        """All options in the agent's order, without the groups."""
        return [
            option
            for entry in self.options
            for option in (entry.options if isinstance(entry, SelectGroup) else [entry])
        ]


class BooleanConfigOption(Model):
    type: Literal["boolean"] = "boolean"
    id: str
    name: str
    description: Salvaged[str] = None
    category: Salvaged[str] = None
    current_value: bool


class UnknownConfigOption(Model):
    """An option of a type that this client doesn't know: kept, but not shown as a control."""

    type: str = ""


SessionConfigOption = Annotated[
    SelectConfigOption | BooleanConfigOption | UnknownConfigOption,
    BY_TYPE,
]


class InitialValue(Model):
    """The initial value of a config option (unstable); `type` as in `SetConfigOptionParams`."""

    config_id: str
    type: Salvaged[Literal["boolean"]] = None
    value: bool | str


class SessionModel(Model):
    model_id: str
    name: str
    description: Salvaged[str] = None


class SessionModelState(Model):
    """The session's models, which older agents send instead of a config option."""

    current_model_id: str
    available_models: Listed[SessionModel]


class SetModeParams(Model):
    session_id: str
    mode_id: str


class SetConfigOptionParams(Model):
    """`type` is "boolean" for a boolean; omitted for a selected value."""

    session_id: str
    config_id: str
    type: Literal["boolean"] | None = None
    value: bool | str


class ConfigOptionsResult(Model):
    """The options after one was set. Some agents omit them, and send an update instead."""

    config_options: Listed[SessionConfigOption] = []


class SetModelParams(Model):
    """The params of `session/set_model`, which only older agents support."""

    session_id: str
    model_id: str
