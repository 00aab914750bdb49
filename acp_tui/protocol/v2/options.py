"""Config options and slash commands of version 2: those of version 1 under other names."""

from typing import Annotated, Literal

from acp_tui.protocol import setup, updates
from acp_tui.protocol.model import BY_TYPE, Items, Salvaged, renamed


class SelectGroupV2(setup.SelectGroup):
    """A group of values, named by `groupId`."""

    model_config = renamed(group="groupId")


class SelectConfigOptionV2(setup.SelectConfigOption):
    """A choice of one value, named by `configId`; the options come flat or in groups."""

    model_config = renamed(id="configId")

    type: Literal["select"] = "select"
    options: Items[SelectGroupV2 | setup.SelectOption]  # type: ignore[assignment]  # only read


class BooleanConfigOptionV2(setup.BooleanConfigOption):
    """A choice of yes or no, named by `configId`."""

    model_config = renamed(id="configId")

    type: Literal["boolean"] = "boolean"


SessionConfigOption = Annotated[
    SelectConfigOptionV2 | BooleanConfigOptionV2 | setup.UnknownConfigOption,
    BY_TYPE,
]


class TextCommandInput(updates.CommandInput):
    """Everything behind the command's name."""

    type: Literal["text"] = "text"


class UnknownCommandInput(updates.CommandInput):
    """Input of a kind that this client does not know: kept, and the command shown without it."""

    type: str
    hint: str = ""


class AvailableCommandV2(updates.AvailableCommand):
    """A slash command; one of an unknown type is shown as a plain one."""

    type: str
    description: str
    input: Salvaged[Annotated[TextCommandInput | UnknownCommandInput, BY_TYPE]] = None
