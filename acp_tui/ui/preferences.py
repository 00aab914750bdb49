"""Choices made on screen that later runs use, too: the layout of diffs, the inspector's columns."""

from pathlib import Path
from typing import Any, ClassVar

import anyio
from anyio import to_thread

from acp_tui.host.agent import Agent
from acp_tui.text import clean_line
from acp_tui.ui.feature import Feature, ViewRefreshed
from acp_tui.ui.keys import key_name
from acp_tui.ui.transcript.entries.context import Fold
from acp_tui.ui.window import Window

LATER = 0.8
"""Seconds before the choices are read, so that the session is drawn first."""
SPLIT = "split_diffs"
FOLDS = "folds"
COLUMNS = "hidden_columns"
MODES = "modes"
NOTE_SECONDS = 8.0
"""Seconds for which the note about the last mode is shown."""


class PreferencesFeature(Feature):
    """Stores the user's choices about display; none of them changes what an agent may do."""

    name = "choices"
    handlers: ClassVar = {ViewRefreshed: "load"}
    path: Path | None = None
    """The file of the choices; None if they aren't stored."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._chosen: dict[str, Any] = {}
        self._is_loaded = False
        self._is_known = False
        """Whether the choices of earlier runs were read."""
        self._mode_shown: set[str] = set()
        """The sessions whose note about the last mode was shown."""

    @property
    def split_diffs(self) -> bool | None:
        """Whether diffs are shown side by side; None if the width decides."""
        chosen = self._chosen.get(SPLIT)
        return chosen if isinstance(chosen, bool) else None

    @property
    def folds(self) -> dict[str, Fold]:
        """The chosen folding for each kind of entry."""
        chosen = self._chosen.get(FOLDS)
        known = chosen.items() if isinstance(chosen, dict) else ()
        return {kind: Fold.OPEN if is_open else Fold.FOLDED for kind, is_open in known}

    @property
    def hidden_columns(self) -> set[str]:
        """The columns of the inspector that the user has hidden."""
        chosen = self._chosen.get(COLUMNS)
        return (
            {one for one in chosen if isinstance(one, str)} if isinstance(chosen, list) else set()
        )

    def load(self, _: ViewRefreshed) -> None:
        """Read the choices of earlier runs, once there is a session."""
        if self._window.tabs.shown.session is None:
            return
        self._show_last_mode()
        if self.path is not None and not self._is_loaded:
            self._is_loaded = True
            self._window.spawn(self._load_choices(self.path))

    async def _load_choices(self, path: Path) -> None:
        await anyio.sleep(LATER)
        if await to_thread.run_sync(path.exists):
            from acp_tui.store.choices import read_choices

            self._chosen = await to_thread.run_sync(read_choices, path) | self._chosen
        self._is_known = True
        self._show_last_mode()
        transcript = self._window.transcript
        if transcript is not None:
            transcript.apply_preferences()

    def split(self, is_split: bool) -> None:
        """Store the layout of diffs."""
        self._store_choice(SPLIT, is_split)

    def fold(self, kind: str, fold: Fold) -> None:
        """Store the folding of a kind of entry."""
        folds = {one: state is not Fold.FOLDED for one, state in self.folds.items()}
        self._store_choice(FOLDS, {**folds, kind: fold is not Fold.FOLDED})

    def hide_columns(self, hidden: set[str]) -> None:
        """Store which columns are hidden."""
        self._store_choice(COLUMNS, sorted(hidden))

    def store_mode(self, agent: Agent, mode: str) -> None:
        """Store the mode last chosen for an agent, by its display name."""
        self._store_choice(MODES, {**self._modes, agent.name: mode})

    @property
    def _modes(self) -> dict[str, str]:
        chosen = self._chosen.get(MODES)
        return chosen if isinstance(chosen, dict) else {}

    def _show_last_mode(self) -> None:
        """Show in a new session which mode was chosen last. It isn't set: it may be a mode that
        never asks for permission.
        """
        tab = self._window.tabs.shown
        session = tab.session
        if session is None or session.session_id in self._mode_shown or session.entries:
            return
        last = self._modes.get(tab.agent.name)
        if self._is_known and session.config.mode:
            self._mode_shown.add(session.session_id)
            if isinstance(last, str) and last != session.config.mode:
                key = key_name("shift+tab")
                words = f"this is mode {clean_line(session.config.mode)}, your last one was {clean_line(last)}"
                self._window.show_note(f"{words}; {key} changes it", NOTE_SECONDS)

    def _store_choice(self, name: str, value: Any) -> None:
        self._chosen[name] = value
        if self.path is not None:
            self._window.spawn(self._write_choices(self.path, {name: value}))

    async def _write_choices(self, path: Path, chosen: dict[str, Any]) -> None:
        from acp_tui.store.choices import write_choices

        try:
            await to_thread.run_sync(write_choices, path, chosen)
        except OSError:
            self.path = None  # the choice still applies to this run
