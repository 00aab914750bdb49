"""All that can be done where one is, found by its words."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.widget import Widget

from acp_tui.ui.feature import Feature
from acp_tui.ui.toolkit.hints import HearsMore
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.command_palette.dialog import PaletteAction


MOST_RECENT = 5
"""How many of the actions chosen last come first."""
_METHOD = re.compile(r"app\.do\(\(?'(?P<feature>\w+)\.(?P<method>\w+)'")
"""What bindings name of a feature."""


class CommandPaletteFeature(Feature):
    """Offers what keys do in the screen in front, and does what is chosen there."""

    name = "palette"

    def __init__(self, window: Window, asked: Sequence[Feature]) -> None:
        """Those that are `asked` know what does nothing now."""
        self._window = window
        self._asked = asked
        self._recent: list[str] = []
        """The actions chosen last, the newest first."""

    def open(self) -> None:
        """Show all of it."""
        from acp_tui.ui.command_palette.dialog import PaletteDialog, deeds

        found = [one for one in deeds(self._heard(), self._commands()) if self._does(one)]
        self._window.push(PaletteDialog(found, self._recent, self._do))

    def _does(self, deed: "PaletteAction") -> bool:
        """Whether it does something now."""
        found = _METHOD.search(deed.action)
        return found is None or not any(
            one.name == found["feature"] and one.does_nothing(found["method"])
            for one in self._asked
        )

    def _heard(self) -> "Iterator[App[Any] | Widget]":
        """Each that hears keys, or would after a Tab; the app first."""
        front = self._window.screens[-1]
        focused = front.focused
        for one in reversed((focused or front).ancestors_with_self):
            if isinstance(one, Widget) or (isinstance(one, App) and not front.is_modal):
                yield one
        if isinstance(front, HearsMore):
            yield from (one for one in front.hears_after_tab if one is not focused)

    def _commands(self) -> list[tuple[str, str]]:
        """Return the agent's own commands, and what each is for."""
        session = self._window.tabs.shown.session
        if session is None or not self._window.is_conversation_in_front:
            return []
        return [(f"/{one.name}", one.description) for one in session.commands]

    def _do(self, deed: "PaletteAction") -> None:
        """Do it where it belongs. A command is only written: the person sends it."""
        others = (one for one in self._recent if one != deed.action)
        self._recent = [deed.action, *islice(others, MOST_RECENT - 1)]
        if deed.node is None:
            self._window.prompt.write_command(deed.action)
            return
        if isinstance(deed.node, Widget) and deed.node.focusable:
            deed.node.focus()
        node, action = deed.node, deed.action
        self._window.call_after_refresh(lambda: self._window.spawn(_run(node, action)))


async def _run(node: "App[Any] | Widget", action: str) -> None:
    await node.run_action(action)
