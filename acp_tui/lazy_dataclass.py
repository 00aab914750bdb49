"""Dataclasses that cost little until they are used."""

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from threading import RLock
from typing import Any, TypeVar, cast, dataclass_transform

T = TypeVar("T")
SEVERAL = 5
"""The object with which it is compiled how the others are made."""
_MAKING = RLock()
"""Held while it is read how objects of a class are made: to make one may make one of another class."""
_FACTS = ("__dataclass_fields__", "__dataclass_params__", "__match_args__", "__replace__")
"""What a dataclass says of itself."""


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
        if slots:
            left_out = (*_OWN, *defaults)
            body = {name: value for name, value in vars(cls).items() if name not in left_out}
            cls = cast("type[T]", type(cls.__name__, cls.__bases__, {**body, "__slots__": names}))
        else:
            _leave_values(cls, defaults)
        cls.__repr__ = _repr  # type: ignore[method-assign]
        if eq:
            cls.__eq__ = _eq  # type: ignore[method-assign]
            cls.__hash__ = _hash if frozen else None  # type: ignore[assignment]
        if frozen:
            cls.__setattr__ = _refuse  # type: ignore[method-assign]
            cls.__delattr__ = _refuse  # type: ignore[method-assign]
        maker = _Maker(cls, names, defaults, frozen=frozen)

        def make(self: Any, *args: Any, **values: Any) -> None:
            maker.make(self, args, values)

        cls.__init__ = make  # type: ignore[method-assign]
        return cls

    return declare


def _leave_values(cls: type, defaults: dict[str, Any]) -> None:
    """Leave a class the values of its defaults, and no other words about fields."""
    for name, default in defaults.items():
        if isinstance(default, Field) and default.default is MISSING:
            delattr(cls, name)
        elif isinstance(default, Field):
            setattr(cls, name, default.default)


class _Maker:
    """Makes the first objects of a class, until it is compiled: then the class makes them without it.

    Several threads may make objects: what is read or compiled is made beside the class, and put into it
    when it is whole.
    """

    def __init__(
        self, cls: type, names: tuple[str, ...], defaults: dict[str, Any], *, frozen: bool
    ) -> None:
        self._cls: Any = cls
        self._names = names
        self._defaults = defaults
        self._frozen = frozen
        self._made = 0

    def make(self, new: Any, args: tuple[Any, ...], values: dict[str, Any]) -> None:
        """Give an object its fields."""
        with _MAKING:
            self._made += 1
            if self._made == 1:
                self._read()
            is_early = self._made < SEVERAL
        if is_early and _fill(new, args, values):
            return
        with _MAKING:
            self._cls.__init__ = self._compiled()
        self._cls.__init__(new, *args, **values)

    def _read(self) -> None:
        made = self._beside(compiled=False)
        for name in _FACTS:
            if name in vars(made):
                setattr(self._cls, name, vars(made)[name])

    def _compiled(self) -> Any:
        """Compile how objects are made."""
        return vars(self._beside(compiled=True))["__init__"]

    def _beside(self, *, compiled: bool) -> type:
        """Make a dataclass beside the class, of what the class declares."""
        cls = self._cls
        body = {
            **self._defaults,
            **{name: getattr(cls, name) for name in ("__module__", "__qualname__")},
            "__doc__": cls.__doc__ or cls.__name__,
            "__annotations__": {name: cls.__annotations__[name] for name in self._names},
        }
        if hasattr(cls, "__post_init__"):
            body["__post_init__"] = cls.__post_init__
        made = type(cls.__name__, cls.__bases__, body)
        return dataclass(init=compiled, frozen=self._frozen, eq=False, repr=False)(made)


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
