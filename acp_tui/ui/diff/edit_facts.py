"""The client's notes on the files that a tool call edits, as lines."""

from collections.abc import Container, Iterator

from acp_tui.edits.shown_changes import Renamed, join_renames
from acp_tui.protocol.content import Diff
from acp_tui.protocol.file_events import EditCompared, EditVerdict
from acp_tui.state import edit_facts
from acp_tui.state.entries import ToolCallEntry
from acp_tui.text import one_line
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.rows import DiffStart, start_at
from acp_tui.ui.lines.lines import LineColumn
from acp_tui.ui.lines.text_lines import ClientNote

DERIVED = "acp-tui made this diff, from what the agent sent and the file:"
SOFT = (EditVerdict.FORMATTED, EditVerdict.UNCLEAR)
"""Verdicts that are shown without a warning."""


def diff_start_lines(entry: ToolCallEntry | None, diff: Diff) -> DiffStart | None:
    """Return the lines at which a diff starts in its file; None if unknown."""
    place = edit_facts.place_of_diff(entry, diff)
    return start_at(place, diff, is_compared=edit_facts.could_compare_file(entry, diff))


def list_remarks(
    entry: ToolCallEntry | None, excluded: Container[str] = ()
) -> Iterator[LineColumn]:
    """Yield notes about the edits, except those in `excluded`, which are shown elsewhere."""
    for words, warns in edit_facts.edit_remarks(entry):
        if words not in excluded:
            yield _note(words, "warning" if warns else "muted")


def list_derived_diffs(
    entry: ToolCallEntry | None, cwd: str | None
) -> Iterator[tuple[LineColumn, LineColumn]]:
    """Yield the diffs that the client made, each with its label; a moved file is a single diff."""
    for item in join_renames(edit_facts.derived_diffs(entry)):
        match item:
            case Diff() as diff:
                lines = DiffLines(diff, cwd=cwd, judged=True)
            case Renamed(source=source, diff=diff):
                lines = DiffLines(diff, source=source, cwd=cwd, judged=True)
            case _:
                continue
        yield ClientNote(DERIVED, "muted"), lines


def describe_comparison(event: EditCompared, cwd: str | None) -> Iterator[LineColumn]:
    """Yield a note on a file that differs from the diff that was shown, and both diffs."""
    yield _note(event.words, "muted" if event.verdict in SOFT else "warning")
    diffs = edit_facts.compared_diffs(event)
    if diffs is None or event.verdict is EditVerdict.REJECTED:
        return
    for label, diff in zip(("Shown:", "Done:"), diffs, strict=True):
        yield ClientNote(label, "muted")
        yield DiffLines(diff, cwd=cwd)


def _note(words: str, style: str) -> ClientNote:
    mark = "⚠ " if style == "warning" else "ℹ "
    return ClientNote(one_line(words), style, mark=mark)
