"""Dataclasses that cost little until they are used."""

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from typing import Any, TypeVar, cast, dataclass_transform

T = TypeVar("T")
SEVERAL = 5
"""The object with which it is compiled how the others are made."""


@dataclass_transform(field_specifiers=(field,))
def lazy_dataclass(
    *, frozen: bool = False, slots: bool = False, eq: bool = True
) -> Callable[[type[T]], type[T]]:
    """Make a class a dataclass: its fields are read with the first of its objects, and how they are
    made is compiled once there are several.

    To compile one takes half a millisecond; a start declares a hundred, and makes one object of a few.
    How objects are compared and shown is the same for all, and never compiled. Objects with slots may
    be changed; those that may not have none.
    """

    def declare(cls: type[T]) -> type[T]:
        names = tuple(cls.__annotations__)
        defaults = {name: vars(cls)[name] for name in names if name in vars(cls)}
        descriptors: dict[str, Any] = {}
        if slots:
            left_out = (*_OWN, *defaults)
            body = {name: value for name, value in vars(cls).items() if name not in left_out}
            cls = cast("type[T]", type(cls.__name__, cls.__bases__, {**body, "__slots__": names}))
            descriptors = {name: vars(cls)[name] for name in defaults}
        cls.__repr__ = _repr  # type: ignore[method-assign]
        if eq:
            cls.__eq__ = _eq  # type: ignore[method-assign]
            cls.__hash__ = _hash if frozen else None  # type: ignore[assignment]
        maker = _Maker(cls, defaults, descriptors, frozen=frozen)

        def make(self: Any, *args: Any, **values: Any) -> None:
            maker.make(self, args, values)

        cls.__init__ = make  # type: ignore[method-assign]
        return cls

    return declare


class _Maker:
    """Makes the first objects of a class, until it is compiled."""

    def __init__(
        self, cls: type, defaults: dict[str, Any], descriptors: dict[str, Any], *, frozen: bool
    ) -> None:
        self._cls: Any = cls
        self._defaults = defaults
        self._descriptors = descriptors
        self._frozen = frozen
        self._made = 0

    def make(self, new: Any, args: tuple[Any, ...], values: dict[str, Any]) -> None:
        """Give an object its fields."""
        self._made += 1
        if self._made == 1:
            self._read(compiled=False)
            if self._frozen:
                self._cls.__setattr__ = self._cls.__delattr__ = _refuse
        if self._made < SEVERAL and _fill(new, args, values):
            return
        self._compile()
        new.__init__(*args, **values)

    def _compile(self) -> None:
        del self._cls.__init__
        if self._frozen:
            del self._cls.__setattr__, self._cls.__delattr__
        self._read(compiled=True)

    def _read(self, *, compiled: bool) -> None:
        for name, default in self._defaults.items():
            setattr(self._cls, name, default)
        frozen = self._frozen and compiled
        dataclass(init=compiled, frozen=frozen, eq=False, repr=False)(self._cls)
        for name, descriptor in self._descriptors.items():
            setattr(self._cls, name, descriptor)


def _fill(self: Any, args: tuple[Any, ...], values: dict[str, Any]) -> bool:
    """Give an object its fields; false if these aren't the arguments that it needs."""
    declared = fields(self)
    names = [one.name for one in declared if one.init and not one.kw_only]
    given = {**dict(zip(names, args, strict=False)), **values}
    needed = {one.name for one in declared if one.init and _has_no_default(one)}
    known = {one.name for one in declared if one.init}
    twice = len(given) < len(args) + len(values)
    if twice or len(args) > len(names) or not needed <= given.keys() <= known:
        return False
    for one in declared:
        if one.name in given:
            value = given[one.name]
        elif _has_no_default(one):
            continue
        else:
            value = one.default if one.default_factory is MISSING else one.default_factory()
        object.__setattr__(self, one.name, value)
    if hasattr(self, "__post_init__"):
        self.__post_init__()
    return True


def _has_no_default(one: Field[Any]) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


def _refuse(self: Any, name: str, *_: Any) -> None:  # noqa: ARG001
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


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
