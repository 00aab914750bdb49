"""Breakpoints: which frames are held until a person decides about them."""

from acp_tui.debug.filters.language import FieldMatch
from acp_tui.debug.filters.predicates import Predicate, compile_filter
from acp_tui.debug.rows import LogRow


class Breakpoints:
    """Filters, each on or off: the first that is on and passes a frame holds it."""

    def __init__(self) -> None:
        self._filters: dict[str, Predicate] = {}
        self._on: dict[str, bool] = {}

    def __bool__(self) -> bool:
        """Return whether any breakpoint is enabled."""
        return any(self._on.values())

    @property
    def filters(self) -> list[str]:
        """Return all filters, enabled or not."""
        return list(self._filters)

    def set(self, text: str, *, on: bool = True) -> None:
        """Add a filter, or switch it on or off. Raises FilterError."""
        if text not in self._filters:
            self._filters[text] = compile_filter(text)
        self._on[text] = on

    def remove(self, text: str) -> None:
        """Remove a filter."""
        self._filters.pop(text, None)
        self._on.pop(text, None)

    def matching(self, row: LogRow) -> str | None:
        """Return the filter that holds a frame; None if it passes."""
        on = (text for text, is_on in self._on.items() if is_on)
        return next((text for text in on if self._filters[text](row)), None)


def filter_for(row: LogRow) -> str:
    """Return a filter for all frames of the same kind as a record; "" if it isn't a frame."""
    if not row.direction:
        return ""
    name = _condition("kind", row.kind) or _condition("method", row.method)
    return f"dir:{row.direction} {name}".rstrip()


def _condition(field: str, value: str) -> str:
    """Return a field with its value, in quotes if that has anything of the language of filters."""
    if not value:
        return ""
    is_plain = value[0] != "/" and all(char.isalnum() or char in "_/$.-" for char in value)
    return str(FieldMatch(field, value, quoted=not is_plain))
