"""The part of the app that keeps what is written and not sent, whatever becomes of the program."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from acp_tui.formatting import counted
from acp_tui.ui.recovering import RecoveringApp
from acp_tui.ui.sessions.agent import Agent
from acp_tui.ui.sessions.tabs import Tab

if TYPE_CHECKING:
    from acp_tui.config.drafts import Draft, Drafts, LeftBehind, Place

PERIOD = 1.0
"""Seconds between two writes; so much of what is typed can be lost."""
TOLD = 10.0
"""Seconds that it stays on the screen what came back."""


class KeepingApp(RecoveringApp):
    """Writes drafts and queues into files, and gives back what an earlier run left behind."""

    drafts: "Drafts | None" = None
    """Where they are kept, if anywhere."""

    def converse(self) -> None:
        """Follow the state; what waits to be sent may have been sent."""
        super().converse()
        if self.drafts is not None:
            for agent in self.tabs.agents:
                self._give_back(self.drafts, agent)
            self._keep_written(self.drafts)

    def on_text_area_changed(self) -> None:
        """Something was written."""
        if self.drafts is not None:
            self._keep_written(self.drafts)

    def on_unmount(self) -> None:
        """Keep what is not sent for the next time."""
        if self.drafts is not None:
            try:
                self.drafts.save(self._unsent())
            except OSError:
                return  # it was told, or nobody is there any more

    # Keeping

    def _unsent(self) -> "dict[Place, list[Draft]]":
        """All that is written and not sent, and where."""
        from acp_tui.config.drafts import Draft

        self.save_draft()
        found: dict[Place, list[Draft]] = {}
        for tab in self.tabs.visible:
            if tab.written.strip() or tab.queue.waiting:
                draft = Draft(tab.session_id, tuple(tab.queue.waiting), tab.written)
                found.setdefault(tab.agent.place, []).append(draft)
        return found

    def _keep_written(self, drafts: "Drafts") -> None:
        """Have it written soon."""
        if not self._keeping:
            self._keeping = True
            self.run_worker(self._keep_soon(drafts))

    _keeping = False
    _kept: "dict[Place, list[Draft]] | None" = None

    async def _keep_soon(self, drafts: "Drafts") -> None:
        """Write again and again, until nothing has changed meanwhile."""
        while True:
            await anyio.sleep(PERIOD)
            unsent = self._unsent()
            if unsent == (self._kept or {}):
                break
            try:
                await to_thread.run_sync(drafts.save, unsent)
            except OSError as error:
                words = f"{error.strerror}: {error.filename!r}"
                title = "What you write is not kept"
                self.notify(words, title=title, severity="warning", markup=False)
                self.drafts = None
                break
            self._kept = unsent
        self._keeping = False

    # Giving back

    def _give_back(self, drafts: "Drafts", agent: Agent) -> None:
        """Look for what was left behind once the agent has a session to send it to."""
        if agent.looked_back or not any(tab.session_id for tab in self.tabs.of(agent)):
            return
        agent.looked_back = True
        self.run_worker(self._fetch(drafts, agent))

    async def _fetch(self, drafts: "Drafts", agent: Agent) -> None:
        left = await to_thread.run_sync(drafts.left_behind, agent.place)
        if not left:
            return
        more = self._place(agent, left)
        self.show_draft()
        self.refresh_all()
        when = datetime.fromtimestamp(left[-1].at).astimezone()
        words = f"What you had not sent on {when:%d %b at %H:%M} is back."
        if more:
            words += f" {counted(more, 'more text')}: Up in the prompt."
        self.notify(words, timeout=TOLD, markup=False)
        with_them = self._unsent()
        await to_thread.run_sync(drafts.replace, with_them, left)
        self._kept = with_them

    def _place(self, agent: Agent, left: "Sequence[LeftBehind]") -> int:
        """Put each where it was, or where there is room; the others are found by going back."""
        self.save_draft()
        first = next(tab for tab in self.tabs.of(agent) if tab.session_id)
        others: list[str] = []
        for draft in reversed([draft for one in left for draft in one.drafts]):
            own = self.tabs.find(agent, draft.session_id) if draft.session_id else None
            if _take(own or first, draft):
                continue
            others += [text for text in (draft.text, *reversed(draft.queue)) if text.strip()]
        for text in reversed(others):
            self.conversation.prompt.remember(text)
        return len(others)


def _take(tab: Tab, draft: "Draft") -> bool:
    """Put a draft into a tab, unless something is written there."""
    if tab.written.strip() or tab.queue.waiting:
        return False
    tab.draft = draft.text
    tab.queue.waiting += draft.queue
    tab.queue.paused = bool(draft.queue)
    return True
