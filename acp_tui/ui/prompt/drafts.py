"""Saves unsent text as drafts, so that it survives the end of the program."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import anyio
from anyio import to_thread

from acp_tui.formatting import counted
from acp_tui.host.agent import Agent
from acp_tui.ui.feature import AppClosed, Feature, SettingsChanged, ViewRefreshed
from acp_tui.ui.prompt.editor import EditorWindow
from acp_tui.ui.tabs.tab import Tab

if TYPE_CHECKING:
    from acp_tui.store.drafts import Drafts, LeftoverDrafts, Place, StoredDraft
    from acp_tui.ui.prompt.feature import PromptFeature

PERIOD = 1.0
"""Seconds between two writes, which is how much typing can be lost."""
NOTICE_SECONDS = 10.0
"""Seconds that the notice about restored text stays on screen."""


class DraftsFeature(Feature):
    """Saves drafts and queues in files, and restores what an earlier run left behind."""

    name = "drafts"
    handlers: ClassVar = {
        ViewRefreshed: "follow_tabs",
        AppClosed: "save",
        SettingsChanged: "use_settings",
    }
    folder: Path | None = None
    """The folder for drafts, if they can be saved at all."""
    files: "Drafts | None" = None
    """The open drafts files, if drafts are enabled."""

    def __init__(self, window: EditorWindow, prompts: "PromptFeature") -> None:
        self._window = window
        self._tabs = window.tabs
        self._prompts = prompts
        self._is_writing = False
        self._stored: dict[Place, list[StoredDraft]] = {}

    def use_settings(self, event: SettingsChanged) -> None:
        """Enable or disable drafts; disabling deletes those of this run."""
        enabled = event.settings.drafts
        if enabled and self.files is None and self.folder is not None:
            from acp_tui.store.drafts import Drafts

            self.files, self._stored = Drafts(self.folder), {}
        elif not enabled and self.files is not None:
            files, self.files = self.files, None
            self._window.spawn(_delete_drafts(files))

    def follow_tabs(self, _: ViewRefreshed) -> None:
        """Save what is unsent; restore an earlier run's drafts once there is a session for them."""
        if self.files is None:
            return
        for agent in self._tabs.agents:
            if not agent.drafts_restored and any(tab.session_id for tab in self._tabs.of(agent)):
                agent.drafts_restored = True
                self._window.spawn(self._restore_drafts(self.files, agent))
        self.schedule_write()

    def schedule_write(self) -> None:
        """Schedule a write of what is unsent."""
        if self.files is not None and not self._is_writing:
            self._is_writing = True
            self._window.spawn(self._write_drafts())

    def save(self, _: AppClosed) -> None:
        """Save what is unsent before the app ends."""
        if self.files is not None:
            with suppress(OSError):  # the error was reported before, or nobody is there to see it
                self.files.save(self._unsent())
            self.files.close()

    def _unsent(self) -> "dict[Place, list[StoredDraft]]":
        """Return all unsent text of all tabs, by place."""
        from acp_tui.store.drafts import StoredDraft

        self._prompts.save_draft()
        found: dict[Place, list[StoredDraft]] = {}
        for tab in self._tabs.visible:
            queue = tuple(filter(None, [tab.queue.preparing, *tab.queue.waiting]))
            if tab.written.strip() or queue:
                draft = StoredDraft(tab.session_id, queue, tab.written)
                found.setdefault(tab.agent.place, []).append(draft)
        for closed in self._tabs.closed.with_text():
            agent, session_id = closed.agent, closed.session_id
            there = self._tabs.find(agent, session_id) if session_id else None
            if there is None or there.hidden:
                draft = StoredDraft(session_id if closed.has_entries else None, (), closed.written)
                found.setdefault(agent.place, []).append(draft)
        return found

    async def _write_drafts(self) -> None:
        """Write the drafts until none changed during the last write, or drafts are disabled."""
        while True:
            await anyio.sleep(PERIOD)
            unsent = self._unsent()
            if self.files is None or unsent == self._stored:
                break
            try:
                await to_thread.run_sync(self.files.save, unsent)
            except OSError as error:
                words = f"{error.strerror}: {error.filename!r}"
                title = "What you write is not kept"
                self._window.notify(words, title=title, severity="warning")
                self.files = None
                break
            self._stored = unsent
        self._is_writing = False

    async def _restore_drafts(self, files: "Drafts", agent: Agent) -> None:
        found = await to_thread.run_sync(files.leftover_drafts, agent.place)
        if not found:
            return
        more = self._place_drafts(agent, found)
        self._prompts.show_draft()
        self._window.refresh_view()
        when = datetime.fromtimestamp(found[-1].at).astimezone()
        words = f"What you had not sent on {when:%d %b at %H:%M} is back."
        if more:
            words += f" {counted(more, 'more text')}: Up in the prompt."
        self._window.notify(words, timeout=NOTICE_SECONDS)
        unsent = self._unsent()
        await to_thread.run_sync(files.replace, unsent, found)
        self._stored = unsent

    def _place_drafts(self, agent: Agent, found: "Sequence[LeftoverDrafts]") -> int:
        """Restore drafts in their tabs or the first one; return how many only the history has."""
        self._prompts.save_draft()
        first = next(tab for tab in self._tabs.of(agent) if tab.session_id)
        others: list[str] = []
        for draft in reversed([draft for one in found for draft in one.drafts]):
            own = self._tabs.find(agent, draft.session_id) if draft.session_id else None
            if _restore_draft(own or first, draft):
                continue
            others += [text for text in (draft.text, *reversed(draft.queue)) if text.strip()]
        for text in reversed(others):
            self._window.editor.earlier.add(text)
        return len(others)


async def _delete_drafts(files: "Drafts") -> None:
    """Delete the stored drafts, and close their files."""
    with suppress(OSError):
        await to_thread.run_sync(files.save, {})
    await to_thread.run_sync(files.close)


def _restore_draft(tab: Tab, draft: "StoredDraft") -> bool:
    """Put a draft into a tab; return False if something is written or queued there."""
    if tab.written.strip() or tab.queue.waiting:
        return False
    tab.draft = draft.text
    tab.queue.waiting += draft.queue
    tab.queue.paused = bool(draft.queue)
    return True
