"""Hints about what a person hasn't used yet: one at a time, in the empty prompt."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import ClassVar, NamedTuple

import anyio
from anyio import to_thread

from acp_tui.ui.events import ActionDone, PromptSent, SettingsChanged, ViewRefreshed
from acp_tui.ui.feature import Feature
from acp_tui.ui.keys import key_name
from acp_tui.ui.window import Window

LATER = 1.0
"""Seconds after which it is read what was used: a session is drawn before."""


class Tip(NamedTuple):
    """What is hinted at: by its key, and the action that has it over."""

    name: str
    words: str
    key: str
    action: str

    @property
    def told(self) -> str:
        """The hint."""
        return f"{key_name(self.key)} {self.words}"


SIGNS = {"commands": "/", "files": "@"}
"""What is hinted at first, by the sign that lists it in the prompt."""
TIPS = (
    Tip("palette", "lists all actions", "alt+x", "palette.open"),
    Tip("review", "reviews changed files", "f7", "review.open"),
    Tip("recall", "searches sent prompts", "ctrl+r", "recall.open"),
    Tip("inspector", "shows protocol messages", "f12", "inspector.toggle"),
    Tip("rewind", "rewinds to an earlier turn", "alt+u", "rewind.open"),
    Tip("sessions", "lists all sessions", "ctrl+o", "sessions.open_picker"),
)
"""In this order."""
_BY_ACTION = {one.action: one.name for one in TIPS}


class TipsFeature(Feature):
    """Forgets a hint for good once what it is about was used."""

    name = "tips"
    hears: ClassVar = {
        ViewRefreshed: "load",
        SettingsChanged: "use_settings",
        PromptSent: "note_prompt",
        ActionDone: "note_action",
    }
    path: Path | None = None
    """The file of what was used, if that is kept from run to run."""
    wanted = True

    def __init__(self, window: Window) -> None:
        self._window = window
        self._used: set[str] = set()
        self._is_loaded = False

    def words(self, lists: Mapping[str, str], named: Collection[str]) -> str:
        """What to hint at now; empty if there is nothing left. What the prompt `lists` by a sign stands
        together, before keys that are not `named` already.
        """
        if not self.wanted:
            return ""
        listed = [
            f"{sign} for {lists[sign]}"
            for name, sign in SIGNS.items()
            if sign in lists and name not in self._used
        ]
        left = (one for one in TIPS if one.name not in self._used and one.key not in named)
        return ", ".join(listed) if listed else next((one.told for one in left), "")

    def use_settings(self, event: SettingsChanged) -> None:
        """Enable or disable tips."""
        self.wanted = event.settings.hints

    def load(self, _: ViewRefreshed) -> None:
        """Read what was used in earlier runs, once there is a session."""
        if (
            not self.wanted
            or self.path is None
            or self._is_loaded
            or self._window.tabs.shown.session is None
        ):
            return
        self._is_loaded = True
        self._window.spawn(self._load(self.path))

    async def _load(self, path: Path) -> None:
        await anyio.sleep(LATER)
        if await to_thread.run_sync(path.exists):
            from acp_tui.store.choices import read_used

            self._used |= await to_thread.run_sync(read_used, path)
            self._window.refresh_view()

    def note_action(self, event: ActionDone) -> None:
        """Retire the tip for an action that was used."""
        name = _BY_ACTION.get(event.action)
        if name is not None:
            self._use(name)

    def note_prompt(self, event: PromptSent) -> None:
        """Retire the tips for features that a prompt used."""
        if event.text.startswith("/"):
            self._use("commands")
        if "@" in event.text:
            self._use("files")

    def _use(self, name: str) -> None:
        if name in self._used:
            return
        self._used.add(name)
        if self.path is not None:
            self._window.spawn(self._keep(self.path, {*self._used}))

    async def _keep(self, path: Path, used: set[str]) -> None:
        from acp_tui.store.choices import write_used

        try:
            await to_thread.run_sync(write_used, path, used)
        except OSError:
            self.path = None  # a hint that comes again does no harm
