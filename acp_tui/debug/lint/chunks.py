"""Message chunks: their ids, and repeated text."""

from collections import Counter
from typing import NamedTuple

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import text_at

ID_REUSE = protocol_rule("message-id-reuse")
SHARED_ID = protocol_rule("message-id-shared")
REPEATED = protocol_rule("chunk-repeats")

_KINDS = {
    "user_message_chunk": "a user's message",
    "agent_message_chunk": "a message of the agent's",
    "agent_thought_chunk": "a thought",
}
_USER = "user_message_chunk"
TIMES = 4
"""Consecutive chunks that are reported if each begins with the whole text of the one before."""
LENGTH = 16
"""Fewest characters of the last of these texts, of which `DIFFERENT` must be distinct."""
DIFFERENT = 6


class _Message(NamedTuple):
    kind: str
    turn: int


class ChunkChecker(Checker):
    """Checks that the chunks of one message, and only those, share an id, and repeat no text."""

    ABOUT = (*_KINDS, "state_update", "session/prompt")

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._messages: dict[tuple[str, str, str], _Message | None] = {}
        """The use of each id; None once its reuse was reported."""
        self._turns: Counter[str] = Counter()
        self._kinds: dict[str, str] = {}
        """The kind of each session's last chunk."""
        self._last: Reading | None = None
        self._last_text = ""
        self._growth = 0
        self._reported = False

    def check_record(self, reading: Reading) -> None:
        if reading.kind == "state_update":
            self._turns[self.peers.session] += reading.update.get("state") == "idle"
        elif reading.kind:
            if self.peers.session and reading.direction is Direction.IN:
                self._check_chunk(reading, self.peers.session)
        elif reading.is_request and self.peers.version == 1:
            # A prompt sent during a turn begins no new one: it is refused, queued, or joins that turn.
            self._turns[reading.session_id] += not self.peers.running[reading.session_id]

    def reopened(self, session: str) -> None:
        for key in [one for one in self._messages if one[0] == session]:
            del self._messages[key]

    def note_repeated(self, index: int, text: bytes, growth: int) -> None:
        """Check a chunk that differs from the last one only in its text, in the frame at `index`."""
        if self._last is not None and self._should_report(text, growth):
            self._report_repeats(Reading(index, self._last.record))

    def _check_chunk(self, reading: Reading, session: str) -> None:
        id = text_at(reading.update, "messageId")
        self._count_turn(reading.kind, session)
        if id:
            self._check_id(reading, session, id)
        before, self._last = self._last, reading
        same = before is not None and _message(before) == _message(reading)
        text = text_at(reading.update, "content", "text")
        grows = same and len(text) > len(self._last_text) and text.startswith(self._last_text)
        self._last_text, self._growth = text, self._growth + 1 if grows else 0
        self._reported = self._reported and same
        if self._should_report(text, self._growth):
            self._report_repeats(reading)

    def _count_turn(self, kind: str, session: str) -> None:
        """Count a turn in a replay, where a user message begins it."""
        before, self._kinds[session] = self._kinds.get(session, ""), kind
        if self.peers.version == 1 and kind == _USER != before and not self.peers.running[session]:
            self._turns[session] += 1

    def _check_id(self, reading: Reading, session: str, id: str) -> None:
        now = _Message(reading.kind, self._turns[session])
        # In version 2 messages of different types may share an id.
        key = (session, id, "" if self.peers.version == 1 else reading.kind)
        before = self._messages.setdefault(key, now)
        if before is None or before == now:
            return
        self._messages[key] = None
        path = ("params", "update", "messageId")
        if before.turn != now.turn:
            how = f"{id!r} is the id of a message of an earlier turn, too"
            self.report(ID_REUSE, reading, how, path)
        else:
            how = f"{id!r} is the id of {_KINDS[before.kind]}, too"
            self.report(SHARED_ID, reading, how, path)

    def _should_report(self, text: str | bytes, growth: int) -> bool:
        """Return True once, when too many texts repeat the whole previous one for it to be chance."""
        if self._reported or growth < TIMES - 1 or len(text) < LENGTH or len(set(text)) < DIFFERENT:
            return False
        self._reported = True
        return True

    def _report_repeats(self, reading: Reading) -> None:
        how = f"{TIMES} chunks in a row begin with all of the one before"
        self.report(REPEATED, reading, how, ("params", "update", "content"))


def _message(reading: Reading) -> tuple[str, str, str]:
    return reading.session_id, reading.kind, text_at(reading.update, "messageId")
