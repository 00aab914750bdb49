"""Named tuples that cost little until they are used."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

SEVERAL = 5
"""The object with which it is compiled how the others are made."""

if TYPE_CHECKING or sys.version_info >= (3, 14):  # there, the fields can't be read so early
    from typing import NamedTuple
else:
    from _collections import _tuplegetter
    from collections import namedtuple

    class _Declare(type):
        """Gives a class of named tuples the fields that its body declares."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> "_Declare":
            if bases != (tuple,):
                fields = tuple(body.get("__annotations__", ()))
                defaults = {one: body.pop(one) for one in fields if one in body}
                body |= {one: _tuplegetter(at, one) for at, one in enumerate(fields)}
                body |= {"_fields": fields, "_defaults": defaults, "__match_args__": fields}
            return super().__new__(cls, name, bases, {**body, "__slots__": ()})

    class NamedTuple(tuple, metaclass=_Declare):
        """A base like `typing.NamedTuple`. How objects are made is compiled once there are several.

        To compile it takes 70 microseconds; a start declares a hundred classes, and makes few objects.
        """

        _fields: ClassVar[tuple[str, ...]] = ()
        _defaults: ClassVar[Mapping[str, Any]] = {}
        _made: ClassVar[int] = 0

        def __new__(cls, *args: Any, **values: Any) -> Any:
            """Make an object; compile how that is done if it is not one of the first."""
            cls._made += 1
            rest = cls._fields[len(args) :]
            given = {**cls._defaults, **values}
            if cls._made < SEVERAL and values.keys() <= set(rest) <= given.keys():
                made = tuple.__new__(cls, (*args, *(given[one] for one in rest)))
                if len(made) == len(cls._fields):
                    return made
            defaults = list(cls._defaults.values())
            cls.__new__ = namedtuple(cls.__name__, cls._fields, defaults=defaults).__new__
            return cls.__new__(cls, *args, **values)

        def _replace(self, /, **values: Any) -> Any:
            made = tuple.__new__(type(self), map(values.pop, self._fields, self))
            if values:
                raise ValueError(f"{type(self).__name__} has no fields {list(values)}")
            return made

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            fields = ", ".join(f"{one}={value!r}" for one, value in self._asdict().items())
            return f"{type(self).__name__}({fields})"

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)


__all__ = ["NamedTuple"]
