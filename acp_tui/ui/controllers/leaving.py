"""How one leaves."""

from acp_tui.ui.controllers.controller import Controller
from acp_tui.ui.controllers.inspector import InspectorController
from acp_tui.ui.controllers.turns import SECOND_KEY
from acp_tui.ui.window import Window


class LeaveController(Controller):
    """Nothing is lost by one key."""

    name = "leaving"

    def __init__(self, window: Window, inspector: InspectorController) -> None:
        self._window = window
        self._inspector = inspector
        self._asked_at = float("-inf")

    def copy_or_leave(self) -> None:
        """Copy the selection; without one leave, at the second key if something would be lost."""
        selected = self._window.selected_text()
        if selected:
            self._window.copy_to_clipboard(selected)
            self._window.say("copied")
            return
        if self._inspector.stays_open():
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
