"""What happens between the UI and the agent, from the recording that the UI writes."""

from collections.abc import Sequence
from pathlib import Path

from acp_tui.library.turn import Turn
from acp_tui.library.turns import TurnFollower
from acp_tui.log_files import FileRecords
from acp_tui.protocol.elicitation import ElicitationResult
from acp_tui.protocol.events import Responded
from acp_tui.session.entries import MessageEntry, Role, ToolCallEntry
from acp_tui.session.fold import apply
from acp_tui.session.state import Session, State
from acp_tui.wire.log import Log
from acp_tui.wire.recording import Interpreter, Record


class Following:
    """The state of a session, as of the last `catch_up`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: FileRecords | None = None
        self._interpreter = Interpreter()
        self._follower: TurnFollower | None = None
        self._read = 0
        self.state = State()
        self.turns: list[Turn] = []
        """The turns that have ended."""
        self.given: dict[int, ElicitationResult] = {}
        """What forms and links were answered with, by the numbers of the questions."""
        self.now = 0.0
        """When the last record was made."""

    def catch_up(self) -> bool:
        """Take in what was recorded since; return whether there was anything."""
        if self._file is None:
            if not self.path.exists():
                return False
            self._file = FileRecords(self.path)
            self._follower = TurnFollower(self.state, self._file)
        assert self._follower is not None
        self._file.grow()
        before = self._read
        while self._read < len(self._file):
            record = self._file.read(self._read)
            event = self._interpreter.event(record)
            apply(self.state, event)
            if isinstance(event, Responded) and isinstance(event.result, ElicitationResult):
                self.given[event.request.number] = event.result
            self.turns += [turn for _, turn in self._follower.follow(event, self._read)]
            self.now = record.at
            self._read += 1
        return self._read > before

    @property
    def records(self) -> Sequence[Record]:
        """All that was recorded so far."""
        return self._file if self._file is not None else ()

    @property
    def session(self) -> Session | None:
        """The session that is open, if there is one already."""
        return next((one for one in self.state.sessions.values() if one.opened), None)

    @property
    def log(self) -> Log:
        """All that was recorded, checked against the rules."""
        assert self._follower is not None
        self._follower.log.catch_up()
        return self._follower.log

    def completed(self, turns: list[Turn]) -> list[Turn]:
        """Return turns with all that was found of them since they ended."""
        assert self._follower is not None
        return [self._follower.completed(one) for one in turns]

    def said(self) -> str:
        """Return what the agent has said so far in the turn that is under way."""
        return "".join(
            one.text
            for one in self._entries()
            if isinstance(one, MessageEntry) and one.role is Role.AGENT
        )

    def tools(self) -> list[str]:
        """Return the titles of the tool calls of the turn that is under way."""
        return [one.title or "" for one in self._entries() if isinstance(one, ToolCallEntry)]

    def _entries(self) -> list[object]:
        session = self.session
        if session is None or session.turn is None:
            return []
        prompt = session.turn.prompt
        at = next((n for n, one in enumerate(session.entries) if one is prompt), 0)
        return list(session.entries[at:])

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
