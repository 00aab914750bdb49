"""Lines of a diff that are chosen: each as a whole on one ground, which still tells what it is."""

from functools import lru_cache

from rich.style import Style

from acp_tui.ui.colors.palette import Palette

_KINDS = ("diff.added", "diff.removed")


@lru_cache(maxsize=8)
def chosen(palette: Palette) -> Palette:
    """Return the styles of chosen lines. No token has a color of its own there: all of them can be
    read, and a line takes few bytes.
    """
    row = palette["row.shown"]
    styles = {name: row for name in palette.styles if not name.startswith("token")}
    styles["list.marker"] = row + palette["list.marker"]
    for kind in _KINDS:
        styles[kind] = styles[f"{kind}.word"] = palette[f"{kind}.shown"]
        styles[f"{kind}.word"] += Style(bold=True)
    return Palette(styles, palette.dark, palette.ansi)
