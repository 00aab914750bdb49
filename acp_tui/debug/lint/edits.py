"""Edits of files, compared with what was shown."""

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import Checker
from acp_tui.protocol.events import EditCompared, EditVerdict, UnapprovedChange
from acp_tui.protocol.findings import ProtocolRule, Severity

_DIFF_SENTENCE = "A diff representing file modifications. … The new content after modification."
_SHOWN_2 = (
    "File changes produced by a tool call. changes is authoritative for affected absolute paths and "
    "operations."
)

NOT_AS_SHOWN = ProtocolRule("edit-not-as-shown", Severity.WARNING, _DIFF_SENTENCE).in_2(_SHOWN_2)
FORMATTED = ProtocolRule("edit-formatted", Severity.INFO, _DIFF_SENTENCE).in_2(_SHOWN_2)
REJECTED_WRITTEN = ProtocolRule(
    "edit-rejected-but-written",
    Severity.WARNING,
    "a file that becomes just what was not allowed, in that turn or right after it, was written by the "
    "agent. A person may have done it by hand.",
    guess=True,
)
UNAPPROVED_CHANGE = ProtocolRule(
    "changed-without-consent",
    Severity.WARNING,
    "a file that differs from what it was before the turn, or before its cancel, was changed by the agent if "
    "a call names it that was not allowed, or only later, or if nothing that was allowed explains it. A person "
    "or another program may have changed it.",
    guess=True,
)
_RULES = {
    EditVerdict.DIFFERS: NOT_AS_SHOWN,
    EditVerdict.UNWRITTEN: NOT_AS_SHOWN,
    EditVerdict.FORMATTED: FORMATTED,
    EditVerdict.REJECTED: REJECTED_WRITTEN,
}
"""What is unclear is no finding."""


class EditChecker(Checker):
    """Checks that files contain the text that was shown of them."""

    ABOUT = ("",)
    RULES = (NOT_AS_SHOWN, FORMATTED, REJECTED_WRITTEN, UNAPPROVED_CHANGE)

    def check_record(self, reading: Reading) -> None:
        record = reading.record
        if isinstance(record, UnapprovedChange):
            self.report(UNAPPROVED_CHANGE, reading, record.words, ())
        elif isinstance(record, EditCompared) and record.verdict in _RULES:
            if record.exact and record.verdict is EditVerdict.REJECTED:
                return  # the agent's request to write it is reported
            self.report(_RULES[record.verdict], reading, record.words, ())
