"""A change of a file as a unified diff, for `patch` and `git apply`."""

from acp_tui.edits.hunks import LineHunk, format_hunks, lines_of
from acp_tui.edits.line_diff import compare
from acp_tui.edits.steps import Steps
from acp_tui.protocol.content import Diff


def unified(diff: Diff) -> Steps[str]:
    """Return the diff, in steps; only its header if nothing changed."""
    old, new = lines_of(diff.old_text or ""), lines_of(diff.new_text)
    blocks = yield from compare(old, new)
    hunks = [
        LineHunk(one.old_start, one.old_end, one.new_start, one.new_end)
        for one in blocks
        if not one.same
    ]
    path = diff.path.replace("\n", " ")
    out = [
        f"--- {path if diff.old_text is not None else '/dev/null'}\n",
        f"+++ {path if new else '/dev/null'}\n",
    ]
    for hunk in format_hunks(old, new, hunks):
        out.append(hunk)
        yield
    return "".join(out)
