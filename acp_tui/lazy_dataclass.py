"""Dataclasses that cost little until they are used."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, cast, dataclass_transform

T = TypeVar("T")


@dataclass_transform(field_specifiers=(field,))
def lazy_dataclass(
    *, frozen: bool = False, slots: bool = False, eq: bool = True
) -> Callable[[type[T]], type[T]]:
    """Make a class a dataclass, with the first of its objects.

    To compile one takes half a millisecond; of many a start needs few. How objects are compared and
    shown is the same for all, and never compiled. Objects with slots may be changed; those that may
    not have none.
    """

    def declare(cls: type[T]) -> type[T]:
        defaults: dict[str, Any] = {}
        if slots:
            body = {name: value for name, value in vars(cls).items() if name not in _OWN}
            names = tuple(cls.__annotations__)
            defaults = {name: body.pop(name) for name in names if name in body}
            cls = cast("type[T]", type(cls.__name__, cls.__bases__, {**body, "__slots__": names}))
        descriptors = {name: vars(cls)[name] for name in defaults}
        cls.__repr__ = _repr  # type: ignore[method-assign]
        if eq:
            cls.__eq__ = _eq  # type: ignore[method-assign]
            cls.__hash__ = _hash if frozen else None  # type: ignore[assignment]

        def first(self: Any, *args: Any, **values: Any) -> None:
            del cls.__init__
            for name, default in defaults.items():
                setattr(cls, name, default)
            dataclass(frozen=frozen, eq=False, repr=False)(cls)
            for name, descriptor in descriptors.items():
                setattr(cls, name, descriptor)
            cls.__init__(self, *args, **values)

        cls.__init__ = first  # type: ignore[method-assign]
        return cls

    return declare


def _repr(self: Any) -> str:
    shown = [f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: Any, other: object) -> Any:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _values(one: Any) -> tuple[Any, ...]:
    return tuple(getattr(one, field.name) for field in fields(one) if field.compare)


_OWN = ("__dict__", "__weakref__")
"""What a class without slots has for its objects."""
