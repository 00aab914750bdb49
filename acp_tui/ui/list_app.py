"""The base of programs that show one list: the launcher, the search and the matrix of agents."""

from pathlib import Path
from traceback import extract_tb
from typing import ClassVar

from textual import events
from textual.app import ReturnType
from textual.screen import Screen

from acp_tui.ui.bindings import PLACES
from acp_tui.ui.colors import theme
from acp_tui.ui.help.screen import HelpScreen
from acp_tui.ui.textual_fixes.faults import BROKE, SurvivesFaults
from acp_tui.ui.textual_fixes.input_driver import plain_driver_class
from acp_tui.ui.toolkit.dialogs.listing import Listing
from acp_tui.ui.toolkit.hints import GroundScreen, KeyHints, press_clicked


class ListApp(SurvivesFaults[ReturnType]):
    """An app with one list and a row of keys; F1 shows all keys.

    Without a session or a recording, it shows its faults on its own screen. A fault before the
    first screen ends the app with a clear message.
    """

    ENABLE_COMMAND_PALETTE = False
    TOPIC: ClassVar = ""
    """The help section that has its keys."""
    last_words = BROKE

    def __init__(self, place: str, theme_name: str) -> None:
        """Make an app with the keys of a `place`."""
        super().__init__(driver_class=plain_driver_class())
        self._own_actions = {one.action.partition("(")[0] for one in PLACES[place]}
        # Background reads may finish after the screen is gone; the widgets must still exist then.
        self._listing = Listing()
        self._keys = KeyHints(place)
        theme.use_theme(self, theme_name)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theme.DEFAULTS

    def get_default_screen(self) -> Screen[None]:
        """Return the only screen that isn't a dialog."""
        return GroundScreen()

    def show_marked(self) -> None:
        """Show the details of the marked row; called whenever the mark moves."""
        raise NotImplementedError

    def show_fault(self, words: str) -> None:
        """Show a fault until something else replaces it."""
        raise NotImplementedError

    def pass_on_fault(self, doing: str, error: BaseException) -> None:
        """Show a fault with its file and line, which are recorded nowhere else."""
        frames = extract_tb(error.__traceback__)
        place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
        self.show_fault(f"A bug in acp-tui, in {doing}: {error!r}{place}. Please report it.")

    def on_click(self, event: events.Click) -> None:
        """Press the key whose hint was clicked."""
        press_clicked(self, event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Disable the app's own keys under a dialog: they have priority, and would act on the list
        behind it.
        """
        return len(self.screen_stack) == 1 or action not in self._own_actions

    def action_help(self) -> None:
        """Show all keys."""
        self.push_screen(HelpScreen(self.TOPIC, is_alone=True))

    def action_move(self, step: int) -> None:
        """Move the mark."""
        self._listing.move(step)
        self.show_marked()

    def action_page(self, pages: int) -> None:
        """Move the mark by pages."""
        self._listing.page(pages)
        self.show_marked()

    def action_close(self) -> None:
        """Quit."""
        self.exit()
