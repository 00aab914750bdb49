"""The dialog for the client's capabilities: a switch for each, or another client's at once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Region, Spacing
from textual.widgets import Static

from acp_tui.config.client_profiles import PROFILES, SWITCHES, offers_capability, switch_capability
from acp_tui.text import clean_line, clean_text
from acp_tui.ui.keys import CLIENT_PROFILE, hint_rows
from acp_tui.ui.toolkit.boxes import QUESTION, QuestionBox
from acp_tui.ui.toolkit.dialogs.option_list import Option, Options
from acp_tui.ui.toolkit.screens import OverlayScreen

AS_NOW = "This is what the agent was offered when it was started."
KEYS = [("space", "switch"), ("r", "restart the agent so"), ("escape", "cancel")]
CLIENTS = [(str(number), name) for number, name in enumerate(PROFILES, 1)]


class ClientProfileDialog(OverlayScreen[Mapping[str, Any] | None]):
    """Dismissed with the `initialize` params for restarting the agent; None to leave it alone."""

    DEFAULT_CLASSES = QUESTION
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = CLIENT_PROFILE  # type: ignore[assignment]

    def __init__(self, params: Mapping[str, Any]) -> None:
        super().__init__()
        self._params = params
        self._known = AS_NOW
        self._box = QuestionBox()
        switches = [Option(name, name) for name in SWITCHES]
        self._switches = Options(switches, self._offered(), several=True)
        self._about = Static(markup=False, id="about")

    def _offered(self) -> list[str]:
        return [name for name, path in SWITCHES.items() if offers_capability(self._params, path)]

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._switches
            yield self._about

    def on_mount(self) -> None:
        self._box.ask("Be another client", "  what the agent is offered after a restart")
        self._box.offer(KEYS)
        self._switches.focus()
        self._show_client()

    def _show_client(self) -> None:
        info = self._params.get("clientInfo")
        name = info.get("name") if isinstance(info, Mapping) else None
        who = f"It calls itself {clean_line(str(name))}." if name else "It does not say who it is."
        keys = hint_rows(CLIENTS, max(20, self._box.content_size.width))
        self._about.update(
            Content.assemble(f"{who} ", (clean_text(self._known), "$text-muted"), "\n\n", keys)
        )

    def on_resize(self) -> None:
        """Lay out the keys."""
        self._show_client()

    def on_options_option_marked(self, event: Options.OptionMarked) -> None:
        """Scroll to the marked switch, above the text that is docked at the bottom."""
        at = event.options.marked.y - event.options.region.y
        row = Region(0, at, 1, 1).translate(event.options.virtual_region.offset)
        below = Spacing(bottom=self._about.outer_size.height)
        self._box.scroll_to_region(row, spacing=below, animate=False, force=True)

    def action_choose(self, number: int) -> None:
        """Set all switches to the capabilities of a known client."""
        profile = list(PROFILES.values())[number - 1]
        self._params, self._known = profile.params, profile.known
        self._switches.chosen = [*self._offered()]
        self._switches.refresh()
        self._show_client()

    def action_restart(self) -> None:
        """Dismiss with the chosen params, to restart the agent."""
        chosen, params = self._switches.chosen, self._params
        for name, path in SWITCHES.items():
            if (name in chosen) is not offers_capability(params, path):
                params = switch_capability(params, path, on=name in chosen)
        self.dismiss(params)
