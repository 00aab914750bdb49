"""Objects that come from outside: annotations say what they hold, pydantic's core checks it.

The core alone: loading the rest of pydantic, and building a hundred of its models, takes a third of
the time until the first prompt. Here a class costs next to nothing until it is used.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from copy import copy
from functools import cache, lru_cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Protocol,
    Self,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
)

from acp_tui.pydantic_engine import SchemaValidator

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

T = TypeVar("T")

Schema = dict[str, Any]
"""A schema in the core's own terms, as `pydantic_core.core_schema` makes them."""


class Constraint(Protocol):
    """What `Annotated` adds to a type."""

    def apply(self, schema: Schema) -> Schema:
        """Add the constraint to the schema of a type."""


class Where:
    """Limits in the core's words: `ge=0`, `pattern="^a"`."""

    def __init__(self, **limits: Any) -> None:
        self._limits = limits

    def apply(self, schema: Schema) -> Schema:
        return {**schema, **self._limits}


class Before:
    """What is done to a value before it is checked."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def apply(self, schema: Schema) -> Schema:
        function = {"type": "no-info", "function": self._function}
        return {"type": "function-before", "function": function, "schema": schema}


class After:
    """What is done to a value once it is known to be of its type."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def apply(self, schema: Schema) -> Schema:
        function = {"type": "no-info", "function": self._function}
        return {"type": "function-after", "function": function, "schema": schema}


class Discriminator:
    """Chooses a union's member by a field that is a literal in each: the first that has the value.

    One member may have any text there: it is for all other values. Only what is chosen is compiled.
    """

    def __init__(self, field: str) -> None:
        self._field = field

    def schema(self, members: "Sequence[type[Struct]]") -> Schema:
        """Build the schema of the union of these."""
        field, name = self._field, members[0].names_of(self._field)[0]
        choices: dict[str, Schema] = {}
        for member in members:
            function = {"type": "no-info", "function": member.model_validate}
            for value in literals(member, field) or (_OTHER,):
                choices.setdefault(value, {"type": "function-plain", "function": function})

        def choose(value: Any) -> str:
            chosen = value.get(name) if isinstance(value, dict) else getattr(value, field, None)
            return chosen if isinstance(chosen, str) and chosen in choices else _OTHER

        return {"type": "tagged-union", "choices": choices, "discriminator": choose}


_OTHER = ""
"""The tag of the member for all other values."""


class _Factory(NamedTuple):
    make: Callable[[], Any]


def field(*, default_factory: Callable[[], T]) -> T:
    """Declare a default that is made for each object."""
    return cast("T", _Factory(default_factory))


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Struct:
    """An object with the fields that its class annotates; names with an underscore are none.

    It isn't changed once it is made: the type checker sees to that. A class may have a method
    `_validated`, called with each new object; the value is wrong if it raises a ValueError.
    """

    _extra: ClassVar[Literal["allow", "forbid"]] = "forbid"
    """What becomes of fields that the class does not annotate: kept, or an error."""

    # What pydantic's core fills into an object.
    __slots__ = (
        "__dict__",
        "__pydantic_extra__",
        "__pydantic_fields_set__",
        "__pydantic_private__",
    )
    __pydantic_extra__: dict[str, Any] | None
    __pydantic_fields_set__: Set[str]

    # Made at their first use.
    _schema: ClassVar[Schema]
    _validator: ClassVar[SchemaValidator]

    def __init__(self, **values: Any) -> None:
        self.validator().validate_python(values, self_instance=self)

    @classmethod
    def model_validate(cls, value: Any) -> Self:
        """Read a value.

        Raises:
            pydantic_core.ValidationError: it isn't what the class says.
        """
        return cast("Self", cls.validator().validate_python(value))

    @property
    def model_fields_set(self) -> Set[str]:
        """The fields that were given; the others have their defaults."""
        return self.__pydantic_fields_set__

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """Copy the object with other values in some fields, which are not checked."""
        new = copy(self)
        new.__dict__.update(update)
        new.__pydantic_fields_set__ = self.__pydantic_fields_set__ | update.keys()
        return new

    def slim(self) -> None:
        """Share what many objects have in common, to save memory."""
        self.__pydantic_fields_set__ = _shared(frozenset(self.__pydantic_fields_set__))
        if self.__pydantic_extra__ == {}:
            self.__pydantic_extra__ = _NO_EXTRA

    @classmethod
    def names_of(cls, field: str) -> list[str]:
        """Return the names that a field may have outside; the first is the one we write."""
        return [field]

    @classmethod
    def schema(cls) -> Schema:
        """Build the core's schema of the class."""
        if "_schema" not in cls.__dict__:
            fields = {
                name: _field(cls, name, hint)
                for base in reversed(cls.__mro__[:-1])
                for name, hint in base.__annotations__.items()
                if not name.startswith("_")
            }
            cls._schema = {
                "type": "model",
                "cls": cls,
                "schema": {"type": "model-fields", "fields": fields},
                "config": {"extra_fields_behavior": cls._extra, "validate_by_name": True},
            }
            if hasattr(cls, "_validated"):
                cls._schema["post_init"] = "_validated"
        return cls._schema

    @classmethod
    def validator(cls) -> SchemaValidator:
        """Return the core's validator of the class."""
        if "_validator" not in cls.__dict__:
            cls._validator = SchemaValidator(cast("CoreSchema", cls.schema()))
        return cls._validator

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Struct)
            and type(self) is type(other)
            and self.__dict__ == other.__dict__
            and self.__pydantic_extra__ == other.__pydantic_extra__
        )

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        values = {**self.__dict__, **(self.__pydantic_extra__ or {})}
        fields = ", ".join(f"{name}={value!r}" for name, value in values.items())
        return f"{type(self).__name__}({fields})"


_NO_EXTRA: dict[str, Any] = {}


@lru_cache(1024)
def _shared(names: frozenset[str]) -> frozenset[str]:
    """Return one set for all objects with these fields."""
    return names


def _field(struct: type[Struct], name: str, hint: Any) -> Schema:
    schema = _schema_of(hint)
    declared = next(one for one in struct.__mro__ if name in getattr(one, "__annotations__", ()))
    if name in vars(declared):  # a field that is declared again doesn't keep its old default
        default = getattr(struct, name)
        if isinstance(default, _Factory):
            schema = with_default(schema, default_factory=default.make)
        else:
            schema = with_default(schema, default=default)
    names = struct.names_of(name)
    return {
        "type": "model-field",
        "schema": schema,
        "validation_alias": [[name] for name in names],
        "serialization_alias": names[0],
    }


def with_default(schema: Schema, **default: Any) -> Schema:
    """What stands for a value that is missing or, if `on_error` says so, wrong."""
    return {"type": "default", "schema": schema, **default}


_PLAIN = {Any: "any", bool: "bool", float: "float", int: "int", str: "str"}


def literals(struct: "type[Struct]", field: str) -> tuple[str, ...]:
    """Return the values that a field may have; none if it may have any."""
    hint: Any = struct.__annotations__[field]
    return get_args(hint) if get_origin(hint) is Literal else ()


@cache
def _schema_of(hint: Any) -> Schema:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _ruled(*args)
    if origin is Literal:
        return {"type": "literal", "expected": list(args)}
    if origin is list:
        return {"type": "list", "items_schema": _schema_of(args[0])}
    if origin is dict:
        keys, values = map(_schema_of, args)
        return {"type": "dict", "keys_schema": keys, "values_schema": values}
    if origin in (Union, UnionType):
        return _union(args)
    return hint.schema() if issubclass(hint, Struct) else {"type": _PLAIN[hint]}


def _ruled(hint: Any, first: Constraint | Discriminator, *rules: Constraint) -> Schema:
    if isinstance(first, Discriminator):
        schema = first.schema(get_args(hint))
    else:
        schema = first.apply(_schema_of(hint))
    for rule in rules:
        schema = rule.apply(schema)
    return schema


def _union(members: tuple[Any, ...]) -> Schema:
    some = [_schema_of(member) for member in members if member is not NoneType]
    schema = some[0] if len(some) == 1 else {"type": "union", "choices": some}
    return {"type": "nullable", "schema": schema} if NoneType in members else schema
