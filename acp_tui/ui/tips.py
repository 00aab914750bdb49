"""Hints in the empty prompt about features that the user hasn't tried yet, each shown once."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import ClassVar, NamedTuple

import anyio
from anyio import to_thread

from acp_tui.ui.feature import ActionDone, Feature, PromptSent, SettingsChanged, ViewRefreshed
from acp_tui.ui.keys import key_name
from acp_tui.ui.window import Window

LATER = 1.0
"""Seconds before the used hints are read from disk, so that the session is drawn first."""


class Tip(NamedTuple):
    """A hint, and the action whose use retires it."""

    name: str
    words: str
    key: str
    action: str

    @property
    def text(self) -> str:
        """The text of the hint, with its key."""
        return f"{key_name(self.key)} {self.words}"


SIGNS = {"commands": "/", "files": "@"}
"""The first hints: the signs that open a list in the prompt."""
TIPS = (
    Tip("palette", "lists all actions", "alt+x", "palette.open"),
    Tip("review", "reviews changed files", "f7", "review.open"),
    Tip("recall", "searches sent prompts", "ctrl+r", "recall.open"),
    Tip("inspector", "shows protocol messages", "f12", "inspector.toggle"),
    Tip("rewind", "rewinds to an earlier turn", "alt+u", "rewind.open"),
    Tip("sessions", "lists all sessions", "ctrl+o", "sessions.open_picker"),
)
"""The other hints, in the order in which they are shown."""
_BY_ACTION = {one.action: one.name for one in TIPS}


class TipsFeature(Feature):
    """Shows each hint once, across runs, and skips those whose action was used."""

    name = "tips"
    handlers: ClassVar = {
        ViewRefreshed: "load",
        SettingsChanged: "use_settings",
        PromptSent: "note_prompt",
        ActionDone: "note_action",
    }
    path: Path | None = None
    """The file that stores the retired hints; None if they aren't stored."""
    enabled = True

    def __init__(self, window: Window) -> None:
        self._window = window
        self._used: set[str] = set()
        """The retired hints: their action was used, they were on screen when a prompt was sent, or an earlier
        run showed them.
        """
        self._stored: set[str] = set()
        """The hints that later runs won't show."""
        self._shown: tuple[str, ...] = ()
        """The hints in the prompt now."""
        self._is_loading = self._is_loaded = False

    def words(self, lists: Mapping[str, str], named: Collection[str]) -> str:
        """Return the next hint; "" if none is left or the used ones aren't read yet.

        `lists` describes what each sign lists in the prompt; those hints come first, together. Keys
        in `named` are on the screen already.
        """
        self._shown = ()
        if not self.enabled or (self.path is not None and not self._is_loaded):
            return ""
        signs = [one for one in SIGNS if SIGNS[one] in lists and one not in self._used]
        if signs:
            self._note_shown(*signs)
            return ", ".join(f"{SIGNS[one]} for {lists[SIGNS[one]]}" for one in signs)
        unused = (one for one in TIPS if one.name not in self._used and one.key not in named)
        tip = next(unused, None)
        if tip is None:
            return ""
        self._note_shown(tip.name)
        return tip.text

    def use_settings(self, event: SettingsChanged) -> None:
        """Enable or disable tips."""
        self.enabled = event.settings.hints

    def load(self, _: ViewRefreshed) -> None:
        """Read the hints that earlier runs retired, once there is a session."""
        if (
            not self.enabled
            or self.path is None
            or self._is_loading
            or self._window.tabs.shown.session is None
        ):
            return
        self._is_loading = True
        self._window.spawn(self._load_used(self.path))

    async def _load_used(self, path: Path) -> None:
        await anyio.sleep(LATER)
        if await to_thread.run_sync(path.exists):
            from acp_tui.store.choices import read_used_keys

            stored = await to_thread.run_sync(read_used_keys, path)
            self._used |= stored
            self._stored |= stored
        self._is_loaded = True
        self._window.refresh_view()

    def note_action(self, event: ActionDone) -> None:
        """Retire the tip for an action that was used."""
        name = _BY_ACTION.get(event.action)
        if name is not None:
            self._note_used(name)

    def note_prompt(self, event: PromptSent) -> None:
        """Retire the tips that were seen in the prompt, and those for features that it used."""
        names = {*self._shown}
        if event.text.startswith("/"):
            names.add("commands")
        if "@" in event.text:
            names.add("files")
        self._note_used(*names)

    def _note_shown(self, *names: str) -> None:
        self._shown = names
        self._store_names(names)

    def _note_used(self, *names: str) -> None:
        self._used.update(names)
        self._store_names(names)

    def _store_names(self, names: Collection[str]) -> None:
        if self._stored.issuperset(names):
            return
        self._stored.update(names)
        if self.path is not None:
            self._window.spawn(self._write_used(self.path, {*self._stored}))

    async def _write_used(self, path: Path, stored: set[str]) -> None:
        from acp_tui.store.choices import write_used_keys

        try:
            await to_thread.run_sync(write_used_keys, path, stored)
        except OSError:
            self.path = None  # showing a hint twice does no harm
