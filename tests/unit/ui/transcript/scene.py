"""A transcript in an app of its own, filled by hand."""

from collections.abc import Iterable, Mapping

from textual.app import App, ComposeResult
from textual.widgets import Input

from acp_tui.protocol.content import ImageContent, TextContent
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.blocks import TextRun, append_block
from acp_tui.state.changes import Change, EntryAdded, EntryChanged, TurnChanged
from acp_tui.state.entries import Entry, MessageEntry, Role
from acp_tui.state.session import Session, Turn
from acp_tui.state.state import State
from acp_tui.ui.transcript.entries.context import Fold
from acp_tui.ui.transcript.entries.views import view_of
from acp_tui.ui.transcript.transcript import Transcript


class Asked:
    """What a transcript asked of the world around it."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.copied: list[tuple[str, str]] = []
        self.links: list[str] = []
        self.edited: list[tuple[str, int | None]] = []
        self.images: list[list[ImageContent]] = []
        self.sessions: list[str] = []

    split_diffs: bool | None = None

    def show_session(self, session_id: str) -> None:
        self.sessions.append(session_id)

    def remember_split(self, split: bool) -> None:
        self.split_diffs = split

    folds: Mapping[str, Fold] = {}

    def remember_fold(self, kind: str, fold: Fold) -> None:
        self.folds = {**self.folds, kind: fold}

    def with_chips(self, text: str) -> str:
        return text

    def show_note(self, words: str) -> None:
        self.said.append(words)

    def copy(self, text: str, note: str = "copied") -> None:
        self.copied.append((text, note))

    def ask_for_link(self, url: str) -> None:
        self.open_link(url)

    def open_link(self, url: str) -> None:
        self.links.append(url)

    def edit(self, path: str, line: int | None = None) -> None:
        self.edited.append((path, line))

    def open_images(self, images: list[ImageContent]) -> None:
        self.images.append(images)


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
        self.outside = Asked()
        self.transcript = Transcript(self.state, "s", self.outside, view_of, clock=lambda: self.now)
        self.searched: list[Transcript.MatchesCounted] = []
        self._prompt = prompt

    def compose(self) -> ComposeResult:
        yield self.transcript
        if self._prompt:
            yield Input()

    def on_mount(self) -> None:
        (self.query_one(Input) if self._prompt else self.transcript).focus()

    def on_transcript_matches_counted(self, message: Transcript.MatchesCounted) -> None:
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
        append_block(message.blocks, TextContent(text=text))
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
