"""What happens to a file beside its text, as lines."""

from acp_tui.edits.edits import describe_file_change
from acp_tui.protocol.content import FileChange
from acp_tui.ui.lines.lines import LineColumn
from acp_tui.ui.lines.stack import Stack, StackPart
from acp_tui.ui.lines.text_lines import TextLines


def file_change_lines(change: FileChange) -> LineColumn:
    """Return what happens in words, and below them a patch that is no diff to us."""
    parts = [StackPart(TextLines(describe_file_change(change), "strong"))]
    if change.patch is not None:
        parts.append(StackPart(TextLines(change.patch)))
    return Stack(parts)
