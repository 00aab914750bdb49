"""Accessors for untrusted JSON, in which any part may be missing or have an unexpected type."""

from typing import Any


def value_at(value: Any, *names: str) -> Any:
    """Follow field names into nested objects; return the value there, or None."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def object_at(value: Any, *names: str) -> dict[str, Any]:
    """Follow field names to an object; return {} if there is none."""
    found = value_at(value, *names)
    return found if isinstance(found, dict) else {}


def list_at(value: Any, *names: str) -> list[Any]:
    """Follow field names to a list; return [] if there is none."""
    found = value_at(value, *names)
    return found if isinstance(found, list) else []


def objects_at(value: Any, *names: str) -> list[dict[str, Any]]:
    """Follow field names to a list; return only the objects in it."""
    return [one for one in list_at(value, *names) if isinstance(one, dict)]


def text_at(value: Any, *names: str) -> str:
    """Follow field names to a string; return "" if there is none."""
    found = value_at(value, *names)
    return found if isinstance(found, str) else ""


def text_or_none_at(value: Any, *names: str) -> str | None:
    """Follow field names to a string; return None if there is none."""
    found = value_at(value, *names)
    return found if isinstance(found, str) else None


def number_at(value: Any, *names: str) -> float | None:
    """Follow field names to a number; return None if there is none. A boolean isn't one."""
    found = value_at(value, *names)
    return found if isinstance(found, int | float) and not isinstance(found, bool) else None


def is_supported(capabilities: Any, *path: str) -> bool:
    """Return whether a capability is supported: it is true, or an object."""
    value = value_at(capabilities, *path)
    return value is True or isinstance(value, dict)
