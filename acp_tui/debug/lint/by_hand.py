"""What a person sent by hand: nobody is judged for it, and no agent for how it takes what is wrong."""

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.answers import REFUSED
from acp_tui.debug.lint.peers import Peers
from acp_tui.debug.unanswered import Asked
from acp_tui.protocol import validation
from acp_tui.protocol.findings import ProtocolRule
from acp_tui.protocol.frames import Direction, Frame

_OF_FORM = {rule.id for rule in validation.RULES}
"""What an answer has to be, whatever was asked."""


class HandMade:
    """Remembers the requests made by hand that an agent may well refuse, or answer as it likes."""

    def __init__(self, peers: Peers) -> None:
        self._peers = peers
        self._spoke = False
        self._broken: set[int] = set()

    def look(self, reading: Reading) -> None:
        """Note a request that breaks the schema, an id that is in use, a prompt within a turn."""
        if not _is_by_hand(reading):
            return
        self._spoke = True
        if not reading.is_request:
            return
        doubled = reading.doubled is not None
        within = reading.method == "session/prompt" and self._is_in_turn(reading)
        if doubled or within or self._breaks_the_schema(reading):
            self._broken.add(reading.index)

    def _is_in_turn(self, reading: Reading) -> bool:
        """Whether a turn of the session runs; version 2 has no need to wait for its end."""
        return self._peers.version == 1 and bool(self._peers.running[reading.session_id])

    def _breaks_the_schema(self, reading: Reading) -> bool:
        """Whether its form is wrong, or can't be judged."""
        version = self._peers.version
        if version not in validation.VERSIONS:
            return True
        return any(validation.check(Direction.OUT, reading.value, None, version))

    def excuses(self, rule: ProtocolRule, reading: Reading | Asked) -> bool:
        """Whether a broken rule is nobody's fault."""
        if isinstance(reading, Asked):
            return reading.index in self._broken
        if _is_by_hand(reading) or (rule is REFUSED and self._spoke):
            return True
        answers_broken = reading.asked is not None and reading.asked.index in self._broken
        return answers_broken and rule.id not in _OF_FORM


def _is_by_hand(reading: Reading) -> bool:
    return isinstance(reading.record, Frame) and reading.record.by is not None
