"""Parts of JSON that somebody else wrote: each may be missing, or of another type than the protocol says."""

from typing import Any


def value_at(value: Any, *names: str) -> Any:
    """Return the value at a path of fields; None if there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def object_at(value: Any, *names: str) -> dict[str, Any]:
    """Return the object at a path of fields, or {}."""
    found = value_at(value, *names)
    return found if isinstance(found, dict) else {}


def list_at(value: Any, *names: str) -> list[Any]:
    """Return the list at a path of fields, or []."""
    found = value_at(value, *names)
    return found if isinstance(found, list) else []


def objects_at(value: Any, *names: str) -> list[dict[str, Any]]:
    """Return the objects in the list at a path of fields, without its other items."""
    return [one for one in list_at(value, *names) if isinstance(one, dict)]


def text_at(value: Any, *names: str) -> str:
    """Return the text at a path of fields, or ""."""
    found = value_at(value, *names)
    return found if isinstance(found, str) else ""


def text_or_none_at(value: Any, *names: str) -> str | None:
    """Return the text at a path of fields; None if there is none."""
    found = value_at(value, *names)
    return found if isinstance(found, str) else None


def number_at(value: Any, *names: str) -> float | None:
    """Return the number at a path of fields; None if there is none. Neither true nor false is one."""
    found = value_at(value, *names)
    return found if isinstance(found, int | float) and not isinstance(found, bool) else None


def is_supported(capabilities: Any, *path: str) -> bool:
    """Return whether a capability is supported: true, or an object; absent and null are not."""
    value = value_at(capabilities, *path)
    return value is True or isinstance(value, dict)
