"""Rewinds files, the conversation, or both to before a turn; only after a yes."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from anyio import to_thread

from acp_tui.formatting import counted
from acp_tui.host.agent import Agent
from acp_tui.state.commands import ForkSession
from acp_tui.state.session import Session
from acp_tui.state.subagents import descendants_of
from acp_tui.text import clean_line
from acp_tui.ui.feature import EscapeUnused, Feature
from acp_tui.ui.keys import key_name
from acp_tui.ui.lines.visible import visible_line
from acp_tui.ui.tabs.conditions import is_working
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.window import SECOND_KEY, Window

if TYPE_CHECKING:
    from acp_tui.rewind.checkpoint import RewindPlan
    from acp_tui.rewind.store import Checkpoints
    from acp_tui.ui.checkpoints import CheckpointsFeature
    from acp_tui.ui.rewind.points import Point
    from acp_tui.ui.rewind.question import RewindFiles
    from acp_tui.ui.rewind.screen import TurnsScreen

READABLE = 8.0
"""Seconds for which a note about a rewind is shown: it names the key that undoes it."""
WORKING = "a turn is running in this folder: cancel it, or wait for its end"
EDIT_PROMPT_NOTE = "Edit the prompt; Enter sends it to the new session"
NAMED = 10
"""Files that were not restored and are named in a notification."""


class RewindFeature(Feature):
    """Lists the turns, asks, and rewinds. No file is restored while a turn is running in the
    folder.
    """

    name = "rewind"
    handlers: ClassVar = {EscapeUnused: "escape"}

    def __init__(
        self,
        window: Window,
        checkpoints: "CheckpointsFeature",
        open_session: Callable[[Agent], None],
    ) -> None:
        self._window = window
        self._tabs = window.tabs
        self._checkpoints = checkpoints
        self._open_session = open_session
        self._is_opening = False
        self._escaped: tuple[Tab, float] | None = None

    def escape(self, event: EscapeUnused) -> None:
        """Open the list at a second Esc that cancels nothing, while the prompt is empty."""
        tab, prompt = event.tab, self._window.prompt
        if not self._has_turns(tab) or event.text:
            return
        now = self._window.clock()
        before, self._escaped = self._escaped, None
        if not prompt.has_focus:
            return
        if before is not None and before[0] is tab and now - before[1] <= SECOND_KEY:
            self.open()
            return
        self._escaped = (tab, now)

        def is_valid() -> bool:
            """Return whether another Esc would still open the list."""
            return self._tabs.shown is tab and not self._tabs.questions_in(tab) and not prompt.text

        self._window.show_note("Esc again lists turns to rewind to", SECOND_KEY, is_valid)

    def _has_turns(self, tab: Tab) -> bool:
        """Return whether there may be turns to rewind to."""
        from acp_tui.ui.rewind.points import has_prompts

        session = tab.session
        if session is None or self._checkpoints.place is None:
            return False
        return self._checkpoints.folder_of(tab, session) is not None or has_prompts(session)

    def open(self) -> None:
        """Show all turns, with or without a checkpoint."""
        tab = self._tabs.shown
        session = tab.session
        if session is None:
            self._window.refuse("there is no session yet")
        elif self._checkpoints.place is None:
            self._window.refuse("a replay can't be rewound")
        elif not self._is_opening:
            self._is_opening = True
            words = "reading what has changed"
            self._window.show_note(words, READABLE, is_valid=lambda: self._is_opening)
            self._window.spawn(self._open_screen(tab, session))

    async def _open_screen(self, tab: Tab, session: Session) -> None:
        from acp_tui.ui.rewind.points import find_points
        from acp_tui.ui.rewind.screen import TurnsScreen

        front = self._window.screens[-1]
        try:
            checkpoints = await self._checkpoints.read(tab, session)
        finally:
            self._is_opening = False
            self._window.refresh_view()  # drops the note about it
        if self._tabs.shown is not tab:
            return  # reading a large folder takes seconds, and the user has switched tabs
        points = find_points(
            session,
            self._checkpoints.owner_of(tab, session),
            checkpoints.turns,
            self._checkpoints.since_1970,
        )
        self._window.push(TurnsScreen(points, checkpoints, tab, session, self), over=front)

    def choose(self, screen: "TurnsScreen", point: "Point") -> None:
        """Find out what a rewind to this point would change, and ask."""
        self._window.spawn(self._ask_scope(screen, point))

    async def _ask_scope(self, screen: "TurnsScreen", point: "Point") -> None:
        from acp_tui.ui.rewind.question import RewindDialog

        files = await self._plan_files(screen, point)
        if self._window.screens[-1] is not screen:
            return  # the screen was closed, or a second key has opened the dialog
        point = self._offered(screen.tab, point)
        quoted, why_not = ("", "") if point.cursor else self._quote_before(screen.tab, point)
        dialog = RewindDialog(point, files, why_not, screen.make_room, self._window.clock)
        restart = partial(self._restart_conversation, screen.tab, point, quoted)
        self._window.push(dialog, partial(self._chosen, screen, files.plan, restart))

    async def _plan_files(self, screen: "TurnsScreen", point: "Point") -> "RewindFiles":
        """Return what a rewind would do to the files, or why they can't be restored."""
        from acp_tui.git.objects import CheckpointError
        from acp_tui.ui.rewind.question import RewindFiles

        store = screen.checkpoints.store
        if point.is_fork:
            return RewindFiles("files are saved before each turn only")
        if store is None or point.kept is None:
            return RewindFiles(screen.checkpoints.why or "those before this turn were not saved")
        try:
            session = screen.session
            subagents = list(descendants_of(screen.tab.agent.state, session.session_id))
            plan = partial(_plan_files, store, session, subagents, point)
            files = await to_thread.run_sync(plan, abandon_on_cancel=True)
        except CheckpointError as error:
            return RewindFiles(clean_line(str(error)))
        return files._replace(why=WORKING) if self._is_at_work(store) else files

    def _chosen(
        self,
        screen: "TurnsScreen",
        plan: "RewindPlan | None",
        restart: Callable[[str], None],
        scope: str | None,
    ) -> None:
        screen.restore_room()
        store = screen.checkpoints.store
        if scope in ("files", "both") and store is not None and plan is not None:
            if self._is_at_work(store):
                screen.show_message(WORKING)
            else:
                then = (
                    restart
                    if scope == "both"
                    else partial(self._window.show_note, seconds=READABLE)
                )
                self._window.spawn(self._restore_files(screen, store, plan, then))
        elif scope == "conversation":
            screen.dismiss()
            restart("")

    async def _restore_files(
        self,
        screen: "TurnsScreen",
        store: "Checkpoints",
        plan: "RewindPlan",
        then: Callable[[str], None],
    ) -> None:
        from acp_tui.git.objects import CheckpointError
        from acp_tui.rewind.checkpoint import CheckpointKind, Reason

        target = plan.target.reason
        kind = (
            CheckpointKind.UNDO if target.kind is CheckpointKind.RETURN else CheckpointKind.RETURN
        )
        owner = self._checkpoints.owner_of(screen.tab, screen.session)
        reason = Reason(kind, target.words, owner.session_id, run=owner.run)
        try:
            async with self._checkpoints.restoring:
                outcome = await to_thread.run_sync(store.restore, plan, reason)
        except CheckpointError as error:
            words = f"nothing was done: {error}"
            if screen in self._window.screens:
                screen.show_message(words)
            else:  # it was closed while the files were being restored
                self._window.refuse(clean_line(words))
            return
        screen.dismiss()
        done = counted(outcome.done, "file")
        then(f"rewound: {done}. {key_name('alt+u')}, then u undoes that")
        self._report_files(f"Rewound: {done}; left as it is", (*plan.unstored, *outcome.skipped))
        self._report_files(f"Rewound: {done}; not kept, so not restored", plan.lost)

    def _report_files(self, title: str, files: "Sequence[tuple[str, str]]") -> None:
        """Notify the user of files that were not restored, each with the reason."""
        if files:
            lines = [f"{clean_line(name)}: {clean_line(why)}" for name, why in files]
            more = [f"and {len(lines) - NAMED} more"] if len(lines) > NAMED else []
            words = "\n".join([*lines[:NAMED], *more])
            title = f"{title}: {counted(len(lines), 'file')}"
            self._window.notify(words, title=title, severity="warning")

    def _is_at_work(self, store: "Checkpoints") -> bool:
        """Return whether a turn is running in the folder, or about to begin."""
        working = any(
            is_working(session) or session.turn is not None
            for agent in self._tabs.agents
            for session in agent.state.sessions.values()
            if store.shares(agent.state.folder_here(session))
        )
        return working or any(tab.queue.preparing for tab in self._tabs.visible)

    # The conversation

    def _quote_before(self, tab: Tab, point: "Point") -> tuple[str, str]:
        """Return the conversation before a turn, as a prompt for a new session; or "" and the
        reason why there is none.
        """
        from acp_tui.ui.checkpoints import find_prompt
        from acp_tui.ui.retelling import quote_conversation

        if point.is_return:
            return "", "the session that it was in is still there"
        if point.is_fork:
            return "", "the agent doesn't offer it now"
        session, at = tab.agent.state.sessions.get(point.session_id), point.entry
        kept = point.kept
        if session is None or (
            kept is not None and not self._checkpoints.owner_of(tab, session).owns(kept.checkpoint)
        ):
            return "", "its session isn't open"
        if at is None and kept is not None:
            at = find_prompt(session, kept.checkpoint.reason)
        if at is None:
            return "", "its prompt isn't in the transcript"
        return quote_conversation(session, at, self._window.prompt.sent), ""

    def _offered(self, tab: Tab, point: "Point") -> "Point":
        """Return a point without its cursor, if the agent can't fork the session there now."""
        session = tab.agent.state.sessions.get(point.session_id)
        can_fork = session is not None and session.opened and point.cursor in session.fork_cursors
        if can_fork and tab.agent.state.peer.offers("session/fork"):
            return point
        return point._replace(cursor="")

    def _restart_conversation(self, tab: Tab, point: "Point", quoted: str, words: str) -> None:
        """Fork the session at the point's cursor; without one, open a session with the earlier
        conversation in its prompt, for the user to send.
        """
        if point.cursor:
            tab.agent.do(ForkSession(point.session_id, cursor_id=point.cursor))
            if words:
                self._window.show_note(words, READABLE)
            return
        self._open_session(tab.agent)
        self._window.prompt.prepend_text(
            quoted, f"{words}. {EDIT_PROMPT_NOTE}" if words else EDIT_PROMPT_NOTE
        )


def _plan_files(
    store: "Checkpoints", session: Session, subagents: "Sequence[Session]", point: "Point"
) -> "RewindFiles":
    """Return what a rewind would do to the files; runs in a thread. Raises CheckpointError."""
    from acp_tui.ui.rewind.file_parts import read_diffs
    from acp_tui.ui.rewind.question import RewindFiles

    assert point.kept is not None
    target = point.kept.checkpoint
    plan = store.plan(target)
    changed = read_diffs(store, plan.changes)
    which = " that is kept" if plan.lost or plan.unstored else ""
    why = "" if plan.changes else f"no file{which} differs"
    return RewindFiles(why, plan, changed, _written_outside(store, session, subagents))


def _written_outside(
    store: "Checkpoints", session: Session, subagents: "Sequence[Session]"
) -> list[str]:
    """List files that the agent is known to have written, but that no checkpoint has."""
    from acp_tui.state.changed_files import changed_files

    changed = changed_files(session, subagents=subagents)
    written = [one.path for one in changed if not one.undone]
    return [visible_line(path, 200) for path in written if not store.has(path)]
