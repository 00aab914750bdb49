"""Edits of files, as far as acp-tui compared them with what was shown."""

from acp_tui.protocol.events import EditCompared, EditVerdict
from acp_tui.protocol.findings import Rule, Severity
from acp_tui.wire.exchanges import Reading
from acp_tui.wire.lint.checker import Checker

NOT_AS_SHOWN = Rule(
    "edit-not-as-shown",
    Severity.WARNING,
    "After an edit the file isn't what the diff shows that was allowed, by acp-tui's own look at "
    "it before and after; a formatter may have done that, or somebody else meanwhile.",
)
FORMATTED = Rule(
    "edit-formatted",
    Severity.INFO,
    "After an edit only blanks at the ends of lines, or the last newline, aren't as the diff shows "
    "that was allowed, by acp-tui's own look at the file.",
)
REJECTED = Rule(
    "edit-rejected-but-written",
    Severity.WARNING,
    "An edit that was rejected stands in the file all the same, by acp-tui's own look at it.",
)
_RULES = {
    EditVerdict.DIFFERS: NOT_AS_SHOWN,
    EditVerdict.UNWRITTEN: NOT_AS_SHOWN,
    EditVerdict.FORMATTED: FORMATTED,
    EditVerdict.REJECTED: REJECTED,
}
"""What is unclear is no finding."""


class Edits(Checker):
    """Whether files are what was shown of them."""

    RULES = (NOT_AS_SHOWN, FORMATTED, REJECTED)

    def look(self, reading: Reading) -> None:
        record = reading.record
        if isinstance(record, EditCompared) and record.verdict in _RULES:
            self.report(_RULES[record.verdict], reading, record.words, ())
