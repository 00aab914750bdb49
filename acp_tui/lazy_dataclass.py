"""Frozen dataclasses that cost nothing until they are used."""

from dataclasses import dataclass
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def lazy_dataclass(cls: type[T]) -> type[T]:
    """Make a class a frozen dataclass, with the first of its objects.

    To compile one takes a quarter of a millisecond; of many a start needs few.
    """

    def first(self: Any, *args: Any, **values: Any) -> None:
        del cls.__init__
        dataclass(frozen=True)(cls)
        cls.__init__(self, *args, **values)

    cls.__init__ = first  # type: ignore[method-assign]
    return cls
