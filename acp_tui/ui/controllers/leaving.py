"""How one leaves."""

from typing import Protocol

from acp_tui.ui.clipboard import too_long
from acp_tui.ui.controllers.controller import Controller
from acp_tui.ui.controllers.inspector import InspectorController
from acp_tui.ui.controllers.turns import SECOND_KEY
from acp_tui.ui.sessions.agent import Agent
from acp_tui.ui.sessions.tabs import is_gone
from acp_tui.ui.window import Window


class KeptRun(Protocol):
    """What goes on in the background when the screen is left."""

    name: str
    """What it is found by."""

    def stop(self) -> None:
        """End it."""


class LeaveController(Controller):
    """Nothing is lost by one key."""

    name = "leaving"
    kept: KeptRun | None = None
    """The run, if it can go on without this screen."""

    def __init__(self, window: Window, inspector: InspectorController) -> None:
        self._window = window
        self._inspector = inspector
        self._asked_at = float("-inf")

    def leave(self) -> None:
        """Leave; where the run is kept, ask whether it goes on. The key again leaves it running."""
        if self.kept is None or not any(map(_lives, self._window.tabs.agents)):
            self._window.exit()
            return
        from acp_tui.ui.dialogs.leave import LeaveDialog

        if isinstance(self._window.screens[-1], LeaveDialog):
            self._window.exit()
        else:
            dialog = LeaveDialog(self.kept.name, self._window.clock)
            self._window.push(dialog, self._decided)

    def _decided(self, ends: bool | None) -> None:
        if ends is None or self.kept is None:
            return
        if ends:
            self.kept.stop()
        else:
            self._window.exit()

    def copy_or_leave(self) -> None:
        """Copy the selection; without one leave, at the second key if something would be lost."""
        selected = self._window.selected_text()
        if selected:
            self._window.copy_to_clipboard(selected)
            self._window.say(too_long(len(selected)) or "copied")
            return
        if self._inspector.stays_open():
            return
        if self.kept is not None:
            self.leave()
            return
        now, lost = self._window.clock(), self._lost()
        if lost and now - self._asked_at > SECOND_KEY:
            self._asked_at = now
            self._window.say(f"{lost}; Ctrl+C again leaves", SECOND_KEY)
        else:
            self._window.exit()

    def _lost(self) -> str:
        """What would be lost, in words."""
        tabs = self._window.tabs
        sessions = [one for agent in tabs.agents for one in agent.state.sessions.values()]
        shown = tabs.shown.session
        if shown is not None and shown.turn is not None:
            return "a turn is running: Esc cancels it"
        if any(session.turn is not None for session in sessions):
            return "a turn is running in another tab"
        return "the prompt is not sent" if self._window.conversation.prompt.text else ""


def _lives(agent: Agent) -> bool:
    """Whether an agent runs, or will again by itself."""
    return not is_gone(agent.state.peer) or agent.state.peer.restart is not None
