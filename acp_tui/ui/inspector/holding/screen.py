"""The screens that list held frames, breakpoints and faults, and edit a held frame or its answer."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from acp_tui.debug.drafts import DraftError, encode_edited
from acp_tui.host.agent import Agent
from acp_tui.state.commands import (
    DropFrame,
    ReleaseFrame,
    RemoveBreakpoint,
    RemoveFault,
    SetBreakpoint,
    SetFault,
)
from acp_tui.text import clean_text
from acp_tui.ui.inspector import bindings
from acp_tui.ui.inspector.composer.body import JsonArea
from acp_tui.ui.inspector.status import held_row, switch_row
from acp_tui.ui.keys import key_name
from acp_tui.ui.toolkit.boxes import PAGE, BoxFrame, QuestionBox
from acp_tui.ui.toolkit.dialogs.listing import GroundedListing, Listing
from acp_tui.ui.toolkit.screens import OverlayScreen
from acp_tui.ui.toolkit.timers import DeferredWork

if TYPE_CHECKING:
    from acp_tui.ui.inspector.holding.feature import HoldingFeature

OF_HELD = (
    ("enter", "pass on"),
    ("e", "edit"),
    ("a", "answer"),
    ("d", "drop"),
    ("r", "all"),
    ("t", "twice"),
    ("w", "later"),
    ("escape", "back"),
)
OF_SWITCHES = (
    ("enter", "on or off"),
    ("d", "remove"),
    ("b", "breakpoint"),
    ("f", "fault"),
    ("escape", "back"),
)
OF_NONE = (("b", "add a breakpoint"), ("f", "add a fault"), ("escape", "back"))
NOTHING = "Nothing is held. A breakpoint holds messages that match its filter; the others pass."
LOST = "what was marked has gone; ↑ or ↓ marks another row"
TICK = 1.0
"""Seconds between updates of the time for which each frame has been held."""
Held = int
"""The number of a held frame."""
Switched = tuple[str, str]
"""The kind, "breakpoint" or "fault", and its text."""


class HoldingScreen(OverlayScreen[None]):
    """Lists held frames, then breakpoints, then faults; shows the marked frame below them."""

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.HOLDING  # type: ignore[assignment]

    def __init__(self, agent: Agent, holding: "HoldingFeature") -> None:
        super().__init__()
        self._agent = agent
        self._feature = holding
        self._rows: list[Held | Switched | None] = []
        self._listing = GroundedListing()
        self._deferred = DeferredWork(self, self._listing.ground)
        self._box = BoxFrame(title="Held messages, breakpoints, faults")
        self._nothing = Static(NOTHING, markup=False, id="nothing")
        self._frame = Static(markup=False, id="frame")
        self._frame.display = False
        self._shown: int | None = None
        self._is_request = False

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._nothing
            yield self._listing
            yield self._frame

    def on_mount(self) -> None:
        self.show()
        self.set_interval(TICK, self.show)

    def show(self) -> None:
        """Update the rows; the mark stays on its row if that is still there."""
        holding, now = self._agent.state.holding, self._feature.now
        marked = self._marked
        held = list(holding.frames.values())
        self._rows = []
        rows: list[Content] = []
        self._nothing.display = not held
        if held:
            numbers = [one.number for one in held]
            self._add_section(rows, "Held", numbers, [held_row(one, now) for one in held])
        for title, kind, switches, done in (
            ("Breakpoints", "breakpoint", holding.breakpoints, "held"),
            ("Faults on purpose", "fault", holding.faults, "hit"),
        ):
            keys: Sequence[Switched] = [(kind, text) for text in switches]
            lines = [switch_row(text, switches[text], done) for text in switches]
            if keys:
                self._add_section(rows, title, keys, lines)
        is_there = marked is not None and marked in self._rows
        self._listing.is_lost |= marked is not None and not is_there
        cursor = self._rows.index(marked) if is_there else self._listing.cursor
        headings = frozenset(at for at, row in enumerate(self._rows) if row is None)
        self._listing.display = bool(rows)
        self._listing.show(rows, cursor, headings)
        self._listing.ground()
        self._show_frame()

    def _add_section(
        self,
        rows: list[Content],
        title: str,
        keys: Sequence[Held | Switched],
        lines: Sequence[Content],
    ) -> None:
        self._rows += [None, *keys]
        rows += [Content.styled(title, "bold $accent"), *lines]

    @property
    def _marked(self) -> Held | Switched | None:
        at = self._listing.cursor
        return self._rows[at] if at < len(self._rows) and not self._listing.is_lost else None

    def _show_frame(self) -> None:
        """Show the marked frame, and the keys for its row."""
        marked = self._marked
        number = marked if isinstance(marked, int) else None
        if number != self._shown:
            text = "" if number is None else self._feature.excerpt(self._agent, number)
            self._frame.update(Content(clean_text(text)))
            self._frame.display = bool(text)
            self._shown = number
            self._is_request = number is not None and self._feature.is_request(self._agent, number)
        is_lost = self._listing.is_lost and any(row is not None for row in self._rows)
        if is_lost:
            self._box.show_message(LOST)
        else:
            self._box.offer(self._keys(), "held")

    def _keys(self) -> Sequence[tuple[str, str]]:
        """Return the key hints for the marked row; only a request can be answered."""
        if not self._rows:
            return OF_NONE
        if self._shown is None:
            return OF_SWITCHES
        return [one for one in OF_HELD if self._is_request or one[0] != "a"]

    def action_move(self, step: int) -> None:
        """Mark the row above or below; after a frame that has gone, the one in its place."""
        self._listing.move(step)
        self._mark()

    def on_listing_row_clicked(self, event: Listing.RowClicked) -> None:
        """Show the row that was clicked."""
        event.stop()
        self._mark()

    def _mark(self) -> None:
        """Show the row that the user has marked. A frame's delay is canceled, as the user is
        reading it.
        """
        if isinstance(self._marked, int):
            self._feature.cancel_delay(self._agent, self._marked)
        self._show_frame()
        self._deferred.defer()

    def action_choose(self) -> None:
        """Pass on the marked frame; switch the marked breakpoint or fault on or off."""
        match self._marked:
            case int() as number:
                self._agent.do(ReleaseFrame(number))
            case ("fault", text):
                self._agent.do(SetFault(text, not self._agent.state.holding.faults[text].on))
            case (_, text):
                is_on = self._agent.state.holding.breakpoints[text].on
                self._agent.do(SetBreakpoint(text, not is_on))

    def action_remove(self) -> None:
        """Drop the marked frame; remove the marked breakpoint or fault."""
        match self._marked:
            case int() as number:
                self._agent.do(DropFrame(number))
            case (kind, text):
                self._agent.do(RemoveFault(text) if kind == "fault" else RemoveBreakpoint(text))

    def action_act(self, what: str) -> None:
        """Call a method of the feature on the marked frame: twice, delay, edit, edit_outside or
        answer.
        """
        if isinstance(self._marked, int):
            getattr(self._feature, what)(self._agent, self._marked)

    def action_release_all(self) -> None:
        """Pass on all frames shown as held, in order."""
        for number in self._rows:
            if isinstance(number, int):
                self._agent.do(ReleaseFrame(number))

    def action_add(self, kind: str) -> None:
        """Ask for a new breakpoint or fault."""
        self._feature.add(self._agent, kind)


KEYS = (("ctrl+s", "pass on"), ("alt+g", "as it stands"), ("escape", "leave it held"))


class EditScreen(OverlayScreen[bytes | None]):
    """Returns the edited frame. JSON may span several lines; text that isn't JSON is passed on only
    on a separate key.
    """

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.HELD_EDIT  # type: ignore[assignment]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._box = QuestionBox()
        self._title = title
        self._area = JsonArea(text)
        self._problem = Static(markup=False, id="problem")

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._area
            yield self._problem

    def on_mount(self) -> None:
        self._box.ask(self._title)
        self._box.offer(KEYS)
        self._area.focus()

    def action_send(self) -> None:
        """Pass on the JSON, on one line."""
        try:
            self.dismiss(encode_edited(self._area.text))
        except DraftError as error:
            words = (
                f"✗ {clean_text(str(error))}; {key_name('alt+g', 'held-edit')} passes it on anyway"
            )
            self._problem.update(Content.styled(words, "$error"))

    def action_send_as_is(self) -> None:
        """Pass on the text as it is, each line as its own frame."""
        raw = encode_edited(self._area.text, verbatim=True)
        if raw.strip():
            self.dismiss(raw)
