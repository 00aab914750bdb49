"""The list of themes: marking a theme previews it, and Enter chooses it."""

from collections.abc import Callable, Mapping, Sequence

from textual.content import Content

from acp_tui.text import clean_line
from acp_tui.ui.toolkit.boxes import ASIDE
from acp_tui.ui.toolkit.dialogs.picker import Item, Picker

NAME = 18
"""Cells for a theme's name."""


class ThemePicker(Picker[str]):
    """Lists themes.

    `preview` switches to a theme, and returns why it can't be used, or None; `choose` stores the
    choice. Closing without a choice restores the theme `before`.
    """

    DEFAULT_CLASSES = ASIDE

    def __init__(
        self,
        themes: Mapping[str, str],
        before: str,
        preview: Callable[[str], str | None],
        choose: Callable[[str], None],
    ) -> None:
        """Create a list of `themes`, which maps names to descriptions."""
        super().__init__("Search the themes")
        self._themes = themes
        self._before = before
        self._drawn = before
        self._preview = preview
        self._choose_theme = choose

    def on_mount(self) -> None:
        """Begin at the current theme."""
        self.show()
        self.mark(self._before)

    def heading(self) -> Content:
        return Content.styled("Theme", "bold")

    def items(self) -> Sequence[Item[str]]:
        return [self._item(*one) for one in self._themes.items()]

    def _item(self, name: str, description: str) -> Item[str]:
        is_used = name == self._before
        row = Content.assemble(
            ("● " if is_used else "○ ", "$success" if is_used else "$text-muted"),
            (f"{clean_line(name):{NAME}}", "bold" if is_used else "$foreground"),
            (clean_line(description), "$text-muted"),
        )
        return Item(row, name, f"{name} {description}")

    def keys(self) -> list[tuple[str, str]]:
        return [("enter", "keep"), ("escape", "cancel")]

    def follow_mark(self) -> None:
        name = self.marked
        if name is not None and name != self._drawn:
            self._draw_in(name)

    def _draw_in(self, name: str) -> None:
        self._drawn = name
        wrong = self._preview(name)
        if wrong is not None:
            self._frame.show_message(wrong)

    def chosen(self, value: str) -> None:
        self._before = value
        self.dismiss()
        self._choose_theme(value)

    def on_unmount(self) -> None:
        """Restore the earlier theme, unless another one was chosen."""
        if self._drawn != self._before:
            self._draw_in(self._before)
