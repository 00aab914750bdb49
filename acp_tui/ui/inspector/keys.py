"""The keys of the inspector in its last row."""

from acp_tui.ui.inspector.detail import NOT_FOUND
from acp_tui.ui.toolkit.hints import WIDE, Hint

TABLE: list[Hint] = [
    ("f12", "back"),
    ("slash", "filter"),
    ("n", "finding"),
    ("p", "pair"),
    ("v", "raw"),
    ("w", "time"),
    ("S", "stats"),
    ("f1", "keys"),
    ("b", "break"),
    ("B", "report"),
    ("enter", "open"),
]
FRAME: list[Hint] = [
    ("f12", "back"),
    ("slash", "search"),
    ("tab", "table"),
    ("y", "copy"),
    ("v", "raw"),
    ("enter", "fold"),
    ("f1", "keys"),
    ("Y", "copy as"),
    ("p", "pair"),
]
WIDE_TABLE: list[Hint] = [
    *TABLE[:2],
    ("tab", "frame"),
    *TABLE[2:8],
    ("enter", "open"),
    ("y", "copy"),
    ("b", "break"),
    ("i", "entry"),
    ("full_stop", "step"),
    ("e", "save"),
    ("s", "split"),
    ("B", "report"),
]
IN_FRAME = {"slash": "search", "tab": "table", "enter": "fold"}
"""What does something else there; in words as long as those of the table, so that the others keep
their places: Tab writes only these.
"""
WIDE_FRAME: list[Hint] = [(key, IN_FRAME.get(key, words)) for key, words in WIDE_TABLE]


STEPS: list[Hint] = [
    ("comma", "back"),
    ("full_stop", "on"),
    ("g", "go to"),
    ("escape", "to now"),
]
"""While the session is shown as it was."""


def keys_of_table(width: int, *, past: bool, replay: bool = False) -> list[Hint]:
    """The keys while the table has the focus, beside the session as it is or was; in a replay, F12
    leads to the keys that play on.
    """
    (leave, back), *keys = WIDE_TABLE if width >= WIDE else TABLE
    leaves = (leave, "replay" if replay else back)
    if not past:
        return [leaves, *keys]
    others = [one for one in keys if one[0] not in ("full_stop", "f1")]
    return [*STEPS, (leave, "leave"), ("f1", "keys"), *others]


def keys_of_frame(width: int, *, found: str) -> list[Hint]:
    """The keys while the frame in full has the focus; `found` tells what a search has led to."""
    keys = WIDE_FRAME if width >= WIDE else FRAME
    if not found:
        return keys
    others = [one for one in keys if one[0] not in ("n", "slash")]
    steps: list[Hint] = [] if found == NOT_FOUND else [("n", "next"), ("N", "before")]
    return [*steps, ("escape", f"end the search ({found})"), *others]
