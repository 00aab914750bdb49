"""Config options and slash commands of version 2: those of version 1 under other names."""

from typing import Annotated, Literal

from acp_tui.protocol import setup, updates
from acp_tui.protocol.model import BY_TYPE, Items, Model, Salvaged


class SelectGroupV2(setup.SelectGroup):
    """A group of values, named by `groupId`."""

    @classmethod
    def names_of(cls, field: str) -> list[str]:
        return ["groupId"] if field == "group" else super().names_of(field)


class _Option(Model):
    """What names an option: `configId`."""

    @classmethod
    def names_of(cls, field: str) -> list[str]:
        return ["configId"] if field == "id" else super().names_of(field)


class SelectConfigOptionV2(_Option, setup.SelectConfigOption):
    """A choice of one value; the options come flat or in groups."""

    type: Literal["select"] = "select"
    options: Items[SelectGroupV2 | setup.SelectOption]  # type: ignore[assignment]  # only read


class BooleanConfigOptionV2(_Option, setup.BooleanConfigOption):
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
