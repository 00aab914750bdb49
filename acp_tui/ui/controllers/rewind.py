"""Goes back to before a turn: the files, the conversation, or both; nothing is done before a yes."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from anyio import to_thread

from acp_tui.formatting import counted
from acp_tui.session.changes import Change, TurnChanged
from acp_tui.session.state import Session
from acp_tui.text import clean, clean_line
from acp_tui.ui.bindings import key_name
from acp_tui.ui.controllers.controller import Controller
from acp_tui.ui.controllers.turns import SECOND_KEY
from acp_tui.ui.lines.visible import visible
from acp_tui.ui.sessions.agent import Agent
from acp_tui.ui.sessions.conditions import is_working
from acp_tui.ui.sessions.tabs import Tab
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.checkpoints.checkpoint import Checkpoint, Outcome, Plan
    from acp_tui.ui.controllers.agents import AgentController
    from acp_tui.ui.controllers.checkpoints import CheckpointController
    from acp_tui.ui.controllers.prompts import PromptController
    from acp_tui.ui.dialogs.turns import TurnsScreen

TOLD = 8.0
"""Seconds in which one can read how to take it back."""
NAMED = 10
"""How many files are named that were left as they are."""


class RewindController(Controller):
    """While a turn runs in the folder nothing is brought back."""

    name = "rewind"

    def __init__(
        self,
        window: Window,
        checkpoints: "CheckpointController",
        prompts: "PromptController",
        agents: "AgentController",
    ) -> None:
        self._window = window
        self._tabs = window.tabs
        self._checkpoints = checkpoints
        self._prompts = prompts
        self._agents = agents
        self._is_opening = False
        self._escaped: tuple[Tab, float] | None = None
        self._is_known = False

    def follow(self, agent: Agent, changes: Sequence[Change]) -> None:
        """Tell of the key once, after the first turn that one can go back to."""
        if self._is_known or not self._checkpoints.kept or agent is not self._tabs.agent:
            return
        session = self._tabs.shown.session
        ended = any(isinstance(change, TurnChanged) for change in changes)
        if ended and session is not None and session.turn is None:
            self._is_known = True
            self._window.say(
                f"{key_name('alt+u')} goes back to before a turn: files, conversation, or both",
                TOLD,
            )

    def escape(self, tab: Tab) -> None:
        """Take an Esc that cancels nothing: where nothing is written, the second one opens the list."""
        prompt = self._window.conversation.prompt
        if self._checkpoints.folder_of(tab, tab.session) is None or prompt.text:
            return
        now = self._window.clock()
        before, self._escaped = self._escaped, None
        if not prompt.has_focus:
            return
        if before is not None and before[0] is tab and now - before[1] <= SECOND_KEY:
            self.open()
            return
        self._escaped = (tab, now)

        def holds() -> bool:
            """Whether the next Esc still does that, and cancels nothing."""
            return self._tabs.shown is tab and not self._tabs.questions_in(tab) and not prompt.text

        self._window.say("Esc again lists the turns to go back to", SECOND_KEY, holds)

    def open(self) -> None:
        """Show the turns before which the files were kept."""
        self._is_known = True
        tab = self._tabs.shown
        session, folder = tab.session, self._checkpoints.folder_of(tab, tab.session)
        if session is None:
            self._window.say("there is no session yet")
        elif folder is None:
            elsewhere = tab.agent.state.folder_here(session) is None
            why = (
                "the agent's files aren't here"
                if elsewhere
                else f"{key_name('f10')} says where: checkpoints"
            )
            self._window.say(f"no files are kept before turns: {why}")
        elif not self._is_opening:
            self._is_opening = True
            words = "looking at what has changed"
            self._window.say(words, TOLD, holds=lambda: self._is_opening)
            self._window.spawn(self._open(tab, session, folder))

    async def _open(self, tab: Tab, session: Session, folder: str) -> None:
        from acp_tui.checkpoints.git import GitError
        from acp_tui.checkpoints.turns import read_turns
        from acp_tui.ui.dialogs.turns import TurnsScreen

        try:
            store = await self._checkpoints.find(folder)
            if store is None:
                self._window.say(
                    "there is nothing to go back to: files are kept in git repositories only"
                    f" ({key_name('f10')}, checkpoints)"
                )
                return
            turns = await to_thread.run_sync(read_turns, store, abandon_on_cancel=True)
            self._window.push(TurnsScreen(turns, store, tab, session, self))
        except GitError as error:
            words = clean(str(error))
            self._window.notify(
                words, title="No turns to go back to", severity="error", markup=False
            )
        finally:
            self._is_opening = False

    def choose(self, screen: "TurnsScreen", target: "Checkpoint") -> None:
        """Look what going back would do, and ask."""
        if not self._refuses(screen):
            self._window.spawn(self._choose(screen, target))

    async def _choose(self, screen: "TurnsScreen", target: "Checkpoint") -> None:
        from acp_tui.checkpoints.git import GitError
        from acp_tui.ui.dialogs.go_back import GoBackDialog

        try:
            plan = await to_thread.run_sync(screen.store.plan, target, abandon_on_cancel=True)
            outside = await to_thread.run_sync(_written_outside, screen, abandon_on_cancel=True)
        except GitError as error:
            screen.tell(str(error))
            return
        told = self._told_before(screen, target)
        dialog = GoBackDialog(plan, told, outside, self._window.clock)
        self._window.push(dialog, partial(self._chosen, screen, plan, told))

    def _chosen(
        self, screen: "TurnsScreen", plan: "Plan", told: str | None, what: str | None
    ) -> None:
        if what in ("files", "both") and not self._refuses(screen):
            self._window.spawn(self._go_back(screen, plan, told if what == "both" else None))
        elif what == "conversation" and told is not None:
            screen.dismiss()
            self._begin_again(screen.tab, told)

    async def _go_back(self, screen: "TurnsScreen", plan: "Plan", told: str | None) -> None:
        from acp_tui.checkpoints.checkpoint import Kind, Reason
        from acp_tui.checkpoints.git import GitError

        reason = Reason(Kind.RETURN, plan.target.reason.words)
        try:
            async with self._checkpoints.going_back:
                outcome = await to_thread.run_sync(screen.store.restore, plan, reason)
        except GitError as error:
            screen.tell(f"nothing was done: {error}")
            return
        screen.dismiss()
        self._tell(outcome)
        if told is not None:
            self._begin_again(screen.tab, told)

    def _tell(self, outcome: "Outcome") -> None:
        words = f"went back: {counted(outcome.done, 'file')}. {key_name('alt+u')}, then u takes that back"
        self._window.say(words, TOLD)
        if outcome.skipped:
            lines = [f"{clean_line(name)}: {clean_line(why)}" for name, why in outcome.skipped]
            more = [f"and {len(lines) - NAMED} more"] if len(lines) > NAMED else []
            title = f"Left as it is: {counted(len(lines), 'file')}"
            words = "\n".join([*lines[:NAMED], *more])
            self._window.notify(words, title=title, severity="warning", markup=False)

    def _refuses(self, screen: "TurnsScreen") -> bool:
        """Whether somebody works in the folder just now, which is said."""
        working = any(
            is_working(session) or session.turn is not None
            for agent in self._tabs.agents
            for session in agent.state.sessions.values()
            if screen.store.shares(agent.state.folder_here(session))
        )
        if working or any(tab.queue.preparing for tab in self._tabs.visible):
            screen.tell("a turn is running in this folder: cancel it, or wait for its end")
            return True
        return False

    # The conversation

    def _told_before(self, screen: "TurnsScreen", target: "Checkpoint") -> str | None:
        """Return what a new session is told of what was said before a turn; None if that isn't known."""
        from acp_tui.ui.retelling import retell

        session = screen.tab.agent.state.sessions.get(target.reason.session_id)
        sent = self._window.conversation.prompt.sent
        return None if session is None else retell(session, target.reason, sent)

    def _begin_again(self, tab: Tab, told: str) -> None:
        """Open a session, with what it is to be told in its prompt: a person sends it, or not."""
        self._agents.open_session(tab.agent)
        self._prompts.begin_with(told)


def _written_outside(screen: "TurnsScreen") -> list[str]:
    """List the files that the agent wrote, as far as it is known, and that are in no checkpoint."""
    from acp_tui.session.changed_files import changed_files

    written = [one.path for one in changed_files(screen.session) if not one.undone]
    return [visible(path, 200) for path in written if not screen.store.has(path)]
