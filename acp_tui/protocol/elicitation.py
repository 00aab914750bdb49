"""Elicitation: forms and links that the agent asks the user with (ACP: Elicitation)."""

from typing import Annotated, Any, Literal, Self

from pydantic import model_validator

from acp_tui.protocol.model import BY_TYPE, DefaultOnError, Items, Model, Salvaged

Value = str | bool | int | float | list[str]
"""The value of a form's field."""


class EnumOption(Model):
    """One choice: its value, and its title for people."""

    const: str
    title: str
    description: Salvaged[str] = None


class Property(Model):
    """The properties shared by all fields of a form."""

    title: Salvaged[str] = None
    description: Salvaged[str] = None


def _choices(enum: list[str] | None, titled: list[EnumOption] | None) -> list[EnumOption]:
    return titled or [EnumOption(const=value, title=value) for value in enum or []]


class StringProperty(Property):
    """A text, or one of `choices`; `format` is email, uri, date or date-time."""

    type: Literal["string"] = "string"
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    format: str | None = None
    default: Salvaged[str] = None
    enum: list[str] | None = None
    one_of: list[EnumOption] | None = None

    @property
    def choices(self) -> list[EnumOption]:
        """The choices; empty for free text."""
        return _choices(self.enum, self.one_of)


class NumberProperty(Property):
    type: Literal["number"] = "number"
    minimum: float | None = None
    maximum: float | None = None
    default: Salvaged[float] = None


class IntegerProperty(Property):
    type: Literal["integer"] = "integer"
    minimum: int | None = None
    maximum: int | None = None
    default: Salvaged[int] = None


class BooleanProperty(Property):
    type: Literal["boolean"] = "boolean"
    default: Salvaged[bool] = None


class MultiSelectItems(Model):
    """The choices of a field with several values. Only the `type` "string" is known."""

    type: str | None = None
    enum: list[str] | None = None
    any_of: list[EnumOption] | None = None


class MultiSelectProperty(Property):
    """Any number of `choices`."""

    type: Literal["array"] = "array"
    items: MultiSelectItems
    min_items: int | None = None
    max_items: int | None = None
    default: Salvaged[Items[str]] = None

    @property
    def choices(self) -> list[EnumOption]:
        """The choices; empty if the type of the items is unknown."""
        return _choices(self.items.enum, self.items.any_of)


class UnknownProperty(Property):
    """A field of a type that this client doesn't know: never shown as an input."""

    type: str = ""


FormProperty = Annotated[
    StringProperty
    | NumberProperty
    | IntegerProperty
    | BooleanProperty
    | MultiSelectProperty
    | UnknownProperty,
    BY_TYPE,
]


class Form(Model):
    """The fields of a form, in the agent's order."""

    type: Annotated[Literal["object"], DefaultOnError("object")] = "object"
    title: Salvaged[str] = None
    description: Salvaged[str] = None
    properties: dict[str, FormProperty] = {}
    required: list[str] | None = None


class ElicitationParams(Model):
    """A question: `mode` "form" has a schema, "url" a link; other modes are unknown.

    Its scope is a session (and a tool call), or a pending request of ours.
    """

    message: str
    mode: str
    session_id: str | None = None
    tool_call_id: Salvaged[str] = None
    request_id: Any = None
    requested_schema: Form | None = None
    elicitation_id: str | None = None
    url: str | None = None

    @model_validator(mode="after")
    def _check_mode(self) -> Self:
        needed = {"form": ["requested_schema"], "url": ["elicitation_id", "url"]}
        for name in needed.get(self.mode, []):
            if getattr(self, name) is None:
                raise ValueError(f"{self.wire_name(name)} is missing")
        return self


class ElicitationResult(Model):
    """`content` is set if a form was accepted: a value for each field that was filled in."""

    action: Literal["accept", "decline", "cancel"] | str
    content: dict[str, Value] | None = None


class ElicitationCompleteParams(Model):
    elicitation_id: str
