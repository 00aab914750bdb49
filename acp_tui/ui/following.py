"""Updates the screen and the terminal's title when agents change: growth at once, everything else
from a queue.

Updates run in the app's own context, not in that of the active widget.
"""

from collections.abc import Callable, Coroutine, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from acp_tui.host.agent import Agent
from acp_tui.state.changes import Change, EntryChanged, TerminalChanged
from acp_tui.state.peer import Phase
from acp_tui.ui.feature import AgentChanged, LogGrown, ViewRefreshed
from acp_tui.ui.sessions.tab_row import waiting_words
from acp_tui.ui.tabs.tabs import Tabs, is_gone
from acp_tui.ui.toolkit.screens import OverlayScreen

if TYPE_CHECKING:
    from acp_tui.ui.app import AcpApp


class OwnContext:
    """The app's context, in which no widget is active. `run_worker` is the app's method."""

    def __init__(self, run_worker: Callable[..., object]) -> None:
        self._run_worker = run_worker
        self._context = copy_context()

    def save(self) -> None:
        """Save the current context."""
        self._context = copy_context()

    def run(self, do: Callable[..., object], *args: object) -> None:
        """Call a function in the app's context."""
        self._context.copy().run(do, *args)

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run a coroutine until it ends, or the app does."""
        self.run(self._run_worker, work, name)


LONGEST_AGENT_NAME = 40
"""Most characters of the agent's name in the terminal's title."""


class TerminalTitle:
    """Sets the terminal's title to the agent's name and to what waits for the user."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self.shown = ""

    def show(self, tabs: Tabs) -> None:
        """Update the title; the first time, save the terminal's own title."""
        words = terminal_title(tabs)
        if words != self.shown:
            save_title = "" if self.shown else "\x1b[22;2t"
            self.shown = words
            self._write(f"{save_title}\x1b]2;{words}\x07")

    def restore(self) -> None:
        """Restore the title that the terminal had before."""
        self._write("\x1b[23;2t")


def terminal_title(tabs: Tabs) -> str:
    """Return the terminal's title: the number of waiting questions, the agent's name and its activity."""
    count = _count_questions(tabs)
    prefix = f"({count}) " if count else ""
    words = " — waiting for you" if count else _describe_agent(tabs)
    return f"{prefix}acp-tui — {tabs.agent.name[:LONGEST_AGENT_NAME]}{words}"


def _count_questions(tabs: Tabs) -> int:
    """Return how many questions wait for the user, including those that other windows show."""
    if tabs.refusal:
        return 0
    states = [agent.state for agent in tabs.agents]
    others = sum((one.peer.phase is Phase.SIGN_IN) + (one.trust is not None) for one in states)
    return others + len(tabs.questions())


def _describe_agent(tabs: Tabs) -> str:
    if is_gone(tabs.agent.state.peer):
        return " — not running"
    if tabs.agent.state.peer.phase is Phase.NO_SESSION:
        return " — no session"
    session = tabs.shown.session
    return " — working" if session is not None and session.is_working else ""


GROWN = (EntryChanged, TerminalChanged)
"""Changes that affect only the transcript and the frames."""


class Following:
    """Updates the UI when an agent changes: the conversation, overlays, terminal title and features."""

    def __init__(self, app: "AcpApp", own_context: OwnContext) -> None:
        self._app = app
        self._own_context = own_context
        self._moved: dict[Agent, list[Change]] = {}
        self._title = TerminalTitle(app.write_sequence)

    def changed(self, agent: Agent, changes: Sequence[Change]) -> None:
        """Queue the changes of an agent's state; show growth at once."""
        app = self._app
        if not app.conversation.is_mounted or agent not in app.tabs.agents:
            return
        if not self._moved and all(isinstance(one, GROWN) for one in changes):
            # At once, as a message for each would cost as much as drawing it.
            self._own_context.run(self._follow_growth, agent, changes)
            return
        if not self._moved:
            app.call_later(self._follow_changes)
        self._moved.setdefault(agent, []).extend(changes)

    def _follow_growth(self, agent: Agent, changes: Sequence[Change]) -> None:
        self._app.conversation.changed(agent, changes)
        self._app.emit(LogGrown(agent, changes))

    def _follow_changes(self) -> None:
        moved, self._moved = self._moved, {}
        for agent, changes in moved.items():
            self._follow_growth(agent, changes)
        if all(isinstance(one, GROWN) for changes in moved.values() for one in changes):
            return
        for agent, changes in moved.items():
            self._app.emit(AgentChanged(agent, changes))
        self.show()

    def show(self) -> None:
        """Update everything on screen except the transcripts, which update themselves."""
        app = self._app
        app.feature.prompts.follow_tabs()
        app.conversation.show()
        for screen in list(app.screens):
            if isinstance(screen, OverlayScreen) and screen.is_mounted:
                screen.show()
        app.emit(ViewRefreshed())
        front = app.screens[-1] if app.screens else None  # none is left while the app closes
        if isinstance(front, OverlayScreen) and front.is_mounted:
            waiting = waiting_words(app.tabs, app.tabs.asking(), shows_key=not front.is_modal)
            front.show_waiting(waiting)
        self._title.show(app.tabs)

    def close(self) -> None:
        """Restore the terminal's title."""
        self._title.restore()
