"""A transcript in an app of its own, filled by hand."""

from collections.abc import Iterable

from textual.app import App, ComposeResult
from textual.message import Message
from textual.widgets import Input

from acp_tui.protocol.content import TextContent
from acp_tui.protocol.events import Requested
from acp_tui.protocol.frames import Direction
from acp_tui.session.changes import Change, EntryAdded, EntryChanged, TurnChanged
from acp_tui.session.entries import Entry, MessageEntry, Role, TextRun, grow
from acp_tui.session.state import Session, State, Turn
from acp_tui.ui.transcript.transcript import Transcript


class Scene(App[None]):
    """A session, its transcript, and a prompt to type into."""

    CSS = "Screen { layout: vertical; } Input { height: 1; border: none; }"

    def __init__(self, *entries: Entry, theme: str = "textual-dark", prompt: bool = False) -> None:
        super().__init__()
        self.theme = theme
        self.now = 100.0
        self.session = Session("s", cwd="/home/me/project", opened=True)
        self.session.entries.extend(entries)
        self.state = State(sessions={"s": self.session})
        self.transcript = Transcript(self.state, "s", clock=lambda: self.now)
        self.sent: list[Message] = []
        self.searched: list[Transcript.Searched] = []
        self._prompt = prompt

    def compose(self) -> ComposeResult:
        yield self.transcript
        if self._prompt:
            yield Input()

    def on_mount(self) -> None:
        (self.query_one(Input) if self._prompt else self.transcript).focus()

    def on_transcript_link_clicked(self, message: Transcript.LinkClicked) -> None:
        self.sent.append(message)

    def on_transcript_copied(self, message: Transcript.Copied) -> None:
        self.sent.append(message)

    def on_transcript_said(self, message: Transcript.Said) -> None:
        self.sent.append(message)

    def on_transcript_open_location(self, message: Transcript.OpenLocation) -> None:
        self.sent.append(message)

    def on_transcript_open_images(self, message: Transcript.OpenImages) -> None:
        self.sent.append(message)

    def on_transcript_searched(self, message: Transcript.Searched) -> None:
        self.searched.append(message)

    def changed(self, changes: Iterable[Change]) -> None:
        self.transcript.changed(changes)

    def add(self, *entries: Entry) -> None:
        """Add entries as the fold does."""
        for entry in entries:
            self.session.entries.append(entry)
            self.changed([EntryAdded("s", len(self.session.entries) - 1)])

    def say(self, text: str, index: int = -1) -> None:
        """Append a chunk to a message."""
        index %= len(self.session.entries)
        message = self.session.entries[index]
        assert isinstance(message, MessageEntry)
        grow(message.blocks, TextContent(text=text))
        self.changed([EntryChanged("s", index)])

    def begin_turn(self) -> None:
        request = Requested(Direction.OUT, self.now, 1, 1, "session/prompt", None)
        self.session.turn = Turn(request, user("hello"))
        self.changed([TurnChanged("s")])

    def end_turn(self) -> None:
        self.session.turn = None
        self.changed([TurnChanged("s")])

    def screen_text(self) -> list[str]:
        """What the transcript shows now, line by line."""
        rows = range(self.transcript.size.height)
        return [self.transcript.render_line(y).text.rstrip() for y in rows]


def user(text: str) -> MessageEntry:
    return MessageEntry(Role.USER, 100.0, blocks=[TextRun([text])], ended=100.0)


def agent(text: str) -> MessageEntry:
    return MessageEntry(Role.AGENT, 100.0, blocks=[TextRun([text])], ended=101.0)
