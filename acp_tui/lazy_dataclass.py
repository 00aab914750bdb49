"""Dataclasses that cost little until they are used."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast, dataclass_transform

T = TypeVar("T")


@dataclass_transform(field_specifiers=(field,))
def lazy_dataclass(
    *, frozen: bool = False, slots: bool = False, eq: bool = True
) -> Callable[[type[T]], type[T]]:
    """Make a class a dataclass, with the first of its objects.

    To compile one takes half a millisecond; of many a start needs few. Objects with slots may be
    changed; those that may not have none.
    """

    def declare(cls: type[T]) -> type[T]:
        defaults: dict[str, Any] = {}
        if slots:
            body = {name: value for name, value in vars(cls).items() if name not in _OWN}
            names = tuple(cls.__annotations__)
            defaults = {name: body.pop(name) for name in names if name in body}
            cls = cast("type[T]", type(cls.__name__, cls.__bases__, {**body, "__slots__": names}))
        descriptors = {name: vars(cls)[name] for name in defaults}

        def first(self: Any, *args: Any, **values: Any) -> None:
            del cls.__init__
            for name, default in defaults.items():
                setattr(cls, name, default)
            dataclass(frozen=frozen, eq=eq)(cls)
            for name, descriptor in descriptors.items():
                setattr(cls, name, descriptor)
            cls.__init__(self, *args, **values)

        cls.__init__ = first  # type: ignore[method-assign]
        return cls

    return declare


_OWN = ("__dict__", "__weakref__")
"""What a class without slots has for its objects."""
