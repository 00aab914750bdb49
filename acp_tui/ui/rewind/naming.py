"""Names some files, and says how many more there are."""

from collections.abc import Sequence

from acp_tui.ui.lines.visible import visible

NAMED = 5
"""How many are named."""


def named(names: Sequence[str]) -> str:
    """Name the first of them."""
    rest = len(names) - NAMED
    return ", ".join(map(visible, names[:NAMED])) + (f" and {rest} more" if rest > 0 else "")


def named_with_why(names: Sequence[tuple[str, str]]) -> str:
    """Name the first of them, each with why it isn't kept."""
    return named([f"{name} ({why})" for name, why in names])
