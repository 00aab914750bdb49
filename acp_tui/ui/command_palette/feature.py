"""The command palette: searches all available actions, and runs the chosen one."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.widget import Widget

from acp_tui.ui.feature import Feature
from acp_tui.ui.toolkit.hints import ListsMoreKeys
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.command_palette.dialog import PaletteAction


MOST_RECENT = 5
"""Number of recently used actions that are listed first."""
_METHOD = re.compile(r"app\.do\(\(?'(?P<feature>\w+)\.(?P<method>\w+)'")
"""The feature and the method in the action of a binding."""


class CommandPaletteFeature(Feature):
    """Lists the actions of the screen in front, the five most recently used ones first.

    An unavailable action is found by searching, with the reason.
    """

    name = "palette"

    def __init__(self, window: Window, asked: Sequence[Feature]) -> None:
        """`asked` are the features that know why an action of theirs is unavailable."""
        self._window = window
        self._asked = asked
        self._recent: list[str] = []
        """The last used actions, newest first."""

    def open(self) -> None:
        """Open the palette."""
        from acp_tui.ui.command_palette.dialog import PaletteDialog, find_actions

        found = [*find_actions(self._widgets(), self._commands())]
        refused = {one.action: words for one in found if (words := self._refusal(one.action))}
        self._window.push(PaletteDialog(found, refused, self._recent, self._run_chosen))

    def _refusal(self, action: str) -> str:
        """Return why an action isn't available now; "" if it is."""
        found = _METHOD.search(action)
        if found is None:
            return ""
        asked = (one for one in self._asked if one.name == found["feature"])
        return next((words for one in asked if (words := one.refusal(found["method"]))), "")

    def _widgets(self) -> "Iterator[App[Any] | Widget]":
        """Yield the app, and each widget that gets keys now or after Tab."""
        front = self._window.screens[-1]
        focused = front.focused
        for one in reversed((focused or front).ancestors_with_self):
            if isinstance(one, Widget) or (isinstance(one, App) and not front.is_modal):
                yield one
        if isinstance(front, ListsMoreKeys):
            yield from (one for one in front.focused_by_tab if one is not focused)

    def _commands(self) -> list[tuple[str, str]]:
        """Return the agent's slash commands with their descriptions."""
        session = self._window.tabs.shown.session
        if session is None or not self._window.is_conversation_in_front:
            return []
        return [(f"/{one.name}", one.description) for one in session.commands]

    def _run_chosen(self, chosen: "PaletteAction") -> None:
        """Run an action on its widget, or show why it isn't available.

        A slash command is only put into the prompt, for the user to send.
        """
        if refusal := self._refusal(chosen.action):
            self._window.refuse(refusal)
            return
        others = (one for one in self._recent if one != chosen.action)
        self._recent = [chosen.action, *islice(others, MOST_RECENT - 1)]
        if chosen.node is None:
            self._window.prompt.write_command(chosen.action)
            return
        if isinstance(chosen.node, Widget) and chosen.node.focusable:
            chosen.node.focus()
        node, action = chosen.node, chosen.action
        self._window.call_after_refresh(lambda: self._window.spawn(_run(node, action)))


async def _run(node: "App[Any] | Widget", action: str) -> None:
    await node.run_action(action)
