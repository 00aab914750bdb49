"""The quitting feature: Ctrl+C copies, clears or quits; a run may continue in the background."""

from collections.abc import Callable
from typing import Protocol

from acp_tui.errors import AcpTuiError
from acp_tui.formatting import running_duration
from acp_tui.host.agent import Agent
from acp_tui.text import clean_line
from acp_tui.ui.feature import Feature
from acp_tui.ui.keys import key_name
from acp_tui.ui.tabs.conditions import is_working
from acp_tui.ui.tabs.tabs import is_gone
from acp_tui.ui.toolkit.clipboard import too_long
from acp_tui.ui.window import SECOND_KEY, Window


class BackgroundRun(Protocol):
    """A run that continues in the background after the app quits, or can."""

    @property
    def name(self) -> str:
        """The name under which the run can be attached."""

    @property
    def kept_by_default(self) -> bool:
        """Whether the run continues unless the user ends it."""

    def keep(self) -> None:
        """Keep the run going in the background. Raises AcpTuiError."""

    def stop(self) -> None:
        """End the run."""


class SelectableWindow(Window, Protocol):
    """A window whose text can be selected."""

    def selected_text(self) -> str:
        """Return the selected text, in whichever widget it is."""


class LeavingFeature(Feature):
    """Quits, at the second press if something would be lost; asks whether a kept run continues."""

    name = "leaving"
    run: BackgroundRun | None = None
    """The run, if it can continue without this screen."""

    def __init__(self, window: SelectableWindow, stays_open: Callable[[], bool]) -> None:
        self._window = window
        self._stays_open = stays_open
        self._warned_at = float("-inf")

    def leave(self, key: str = "ctrl+q") -> None:
        """Quit; ask whether the run continues, if that matters.

        Pressing the key again quits without a choice: a kept run continues, any other ends.
        """
        run, living = self.run, list(filter(_is_living, self._window.tabs.agents))
        if run is None or not living or not (run.kept_by_default or any(map(_was_used, living))):
            self._window.exit()
            return
        from acp_tui.ui.leaving.dialog import LeaveDialog

        if isinstance(self._window.screens[-1], LeaveDialog):
            self._window.exit()
        else:
            clock = self._window.clock
            dialog = LeaveDialog(
                run.name,
                len(living),
                self._working,
                clock,
                kept_by_default=run.kept_by_default,
                opened_by=key,
            )
            self._window.push(dialog, self._end_or_keep)

    def _working(self) -> str:
        """Return which agents are working, and the duration of the longest turn; "" if none is."""
        working = [
            (agent, session)
            for agent in self._window.tabs.agents
            for session in agent.state.sessions.values()
            if is_working(session)
        ]
        if not working:
            return ""
        count = len({agent for agent, _ in working})
        words = "The agent is working" if count == 1 else f"{count} agents are working"
        starts = [session.turn.started for _, session in working if session.turn is not None]
        if not starts:
            return words
        return f"{words} ({running_duration(self._window.clock() - min(starts))})"

    def _end_or_keep(self, ends: bool | None) -> None:
        run = self.run
        if ends is None or run is None:
            return
        if ends:
            run.stop()
            if not run.kept_by_default:
                self._window.exit()
            return
        try:
            run.keep()
        except AcpTuiError as error:
            words = clean_line(str(error))
            self._window.notify(words, title="Not kept", severity="error")
        else:
            self._window.exit()

    def copy_or_leave(self) -> None:
        """Copy the selection, else clear the prompt, else quit: at the second press if any agent
        was used, or something would be lost.
        """
        selected = self._window.selected_text()
        if selected:
            self._window.copy_to_clipboard(selected)
            self._window.show_note(too_long(len(selected)) or "copied")
            return
        if self._stays_open():
            return
        if self._window.is_conversation_in_front and self._window.prompt.clear_by_key():
            self._warned_at = float("-inf")
            self._show_prompt_note(f"cleared: {key_name('ctrl+z')} brings it back")
            return
        self._quit_by_key("ctrl+c")

    def leave_empty_prompt(self) -> None:
        """Quit as at EOF: at the second press if any agent was used, or something would be lost."""
        if not self._stays_open():
            self._quit_by_key("ctrl+d")

    def _quit_by_key(self, key: str) -> None:
        if self.run is not None and self.run.kept_by_default:
            self.leave(key)
            return
        now, lost = self._window.clock(), self._describe_loss()
        matters = lost or any(map(_was_used, self._window.tabs.agents))
        if matters and now - self._warned_at > SECOND_KEY:
            self._warned_at = now
            again = f"{key_name(key)} again quits"
            self._show_prompt_note(f"{lost}; {again}" if lost else again)
        else:
            self._window.exit()

    def _show_prompt_note(self, words: str) -> None:
        """Show a note for as long as the prompt's text doesn't change."""
        prompt = self._window.prompt
        text = prompt.text
        self._window.show_note(words, SECOND_KEY, lambda: prompt.text == text)

    def _describe_loss(self) -> str:
        """Return what would be lost by quitting, in words; "" if nothing."""
        tabs = self._window.tabs
        sessions = [one for agent in tabs.agents for one in agent.state.sessions.values()]
        shown = tabs.shown.session
        if shown is not None and shown.turn is not None:
            return "a turn is running: Esc cancels it"
        if any(session.turn is not None for session in sessions):
            return "a turn is running in another tab"
        return "the prompt is not sent" if self._window.prompt.text else ""


def _is_living(agent: Agent) -> bool:
    """Return whether an agent runs, or will be restarted."""
    return not is_gone(agent.state.peer) or agent.state.peer.restart.planned is not None


def _was_used(agent: Agent) -> bool:
    """Return whether any session of an agent has entries."""
    return any(session.entries for session in agent.state.sessions.values())
