"""Send prompts: checkpoint the folder first, then read the mentioned files."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from acp_tui.protocol.content import TextContent
from acp_tui.state import commands
from acp_tui.state.commands import Command
from acp_tui.state.peer import Phase
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.text import clean_line
from acp_tui.ui.keys import key_name
from acp_tui.ui.prompt.editor import EditorWindow
from acp_tui.ui.tabs.conditions import is_left_lost
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.tabs.tabs import is_gone

if TYPE_CHECKING:
    from acp_tui.ui.checkpoints import CheckpointsFeature


class Sending:
    """Sends the prompts of each tab in order; those that can't be sent return to their drafts."""

    def __init__(
        self,
        window: EditorWindow,
        checkpoints: "CheckpointsFeature",
        restore_draft: Callable[[Tab, str], None],
        send_next: Callable[[], None],
    ) -> None:
        """`restore_draft` puts a text into its tab's draft; `send_next` sends the next queued
        prompt.
        """
        self._window = window
        self._checkpoints = checkpoints
        self._restore_draft = restore_draft
        self._send_next = send_next
        self._preparing: dict[Tab, anyio.CancelScope] = {}

    def stop(self, tab: Tab) -> None:
        """Cancel the prompt that is being prepared; its text returns to the draft."""
        if tab in self._preparing:
            self._preparing[tab].cancel()

    def send(self, tab: Tab, session: Session, text: str, command: Callable[..., Command]) -> None:
        """Send a text, after a checkpoint of the folder and reading the files that it mentions."""
        tab.sent = text
        folder = self._checkpoints.folder_of(tab, session)
        if folder is not None and command is not commands.SendPrompt:
            if not tab.agent.state.peer.offers("_session/steering"):
                self._checkpoints.save_late(tab, folder, session, text)
            folder = None
        if folder is None and "@" not in text:
            self._send_command(
                tab, session, text, command(session.session_id, (TextContent(text=text),))
            )
            return
        tab.queue.preparing = text
        self._window.spawn(self._prepare_and_send(tab, session, text, command, folder))

    async def _prepare_and_send(
        self,
        tab: Tab,
        session: Session,
        text: str,
        command: Callable[..., Command],
        folder: str | None,
    ) -> None:
        try:
            with anyio.CancelScope() as scope:
                self._preparing[tab] = scope
                if folder is not None:
                    await self._checkpoints.save(tab, folder, session, text)
                await self._read_and_send(tab, session, text, command)
            if scope.cancelled_caught:
                self._restore_draft(tab, text)
        finally:
            tab.queue.preparing = ""
            self._preparing.pop(tab, None)
        self._send_next()

    async def _read_and_send(
        self, tab: Tab, session: Session, text: str, command: Callable[..., Command]
    ) -> None:
        why_not = why_not_sent(tab.agent.state, session)
        if why_not is not None:
            self._window.refuse(f"not sent: {why_not}")
            self._restore_draft(tab, text)
            return
        if "@" not in text:
            self._send_command(
                tab, session, text, command(session.session_id, (TextContent(text=text),))
            )
            return
        from acp_tui.workspace.mentions import prepare_prompt

        offered = tab.agent.state.peer.capabilities.prompt_capabilities
        folder = tab.agent.state.folder_here(session)
        prompt = self._window.editor
        pasted, seen = prompt.pasted.stored, prompt.folded.hide(text)
        prepared = await to_thread.run_sync(
            prepare_prompt, text, folder, offered, pasted, seen, abandon_on_cancel=True
        )
        if prepared.problems:
            words = "\n".join(clean_line(problem) for problem in prepared.problems)
            self._window.notify(words, title="Not sent", severity="error")
            self._restore_draft(tab, text)
        else:
            self._send_command(tab, session, text, command(session.session_id, prepared.blocks))

    def _send_command(self, tab: Tab, session: Session, text: str, command: Command) -> None:
        """Send a prompt; if a user's limit refuses it, restore its draft and pause the queue."""
        before = len(session.entries)
        tab.agent.do(command)
        if session.refused and len(session.entries) > before:
            tab.queue.paused = bool(tab.queue.waiting)
            self._restore_draft(tab, text)


def why_not_sent(state: State, session: Session | None) -> str | None:
    """Return why nothing can be sent or queued; None if it can."""
    peer = state.peer
    if is_gone(peer):
        condition, verb = ("connected", "connects") if peer.url else ("running", "restarts it")
        return f"the agent isn't {condition}; {key_name('alt+a')} {verb}"
    if peer.phase is Phase.NO_SESSION:
        return f"there is no session; {key_name('ctrl+t')} begins one"
    if is_left_lost(state, session):
        return f"the agent didn't open this session again; {key_name('ctrl+t')} begins a new one"
    if session is not None and session.subagent is not None:
        return "only the agent talks to its subagent"
    return None
