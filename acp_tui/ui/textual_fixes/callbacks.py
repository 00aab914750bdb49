"""Caches how many parameters a callback has. Textual inspects the signature at each call of a partial,
which is what `call_later` and `call_after_refresh` make: a twentieth of the app's work.
"""

from collections.abc import Callable
from inspect import signature
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from textual import _callback

_counts: WeakKeyDictionary[FunctionType, int] = WeakKeyDictionary()


def count_parameters_once() -> None:
    """Make Textual count the parameters of each function only once."""
    _callback._count_parameters = count_parameters


def count_parameters(func: Callable[..., Any]) -> int:
    """Return the number of a callback's parameters, not counting the `self` of a bound method."""
    function = getattr(func, "__func__", func)
    if not isinstance(function, FunctionType):
        return len(signature(func).parameters)
    count = _counts.get(function)
    if count is None:
        count = _counts[function] = len(signature(function).parameters)
    return count - (function is not func)
