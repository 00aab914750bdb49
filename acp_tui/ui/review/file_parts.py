"""The parts of a file under review: its diffs, other changes, comments, and state."""

from collections.abc import Sequence

from textual.content import Content

from acp_tui.edits.authors import HunkAuthors
from acp_tui.edits.comments import Comment, Texts
from acp_tui.edits.line_diff import describe_line_end_changes
from acp_tui.protocol.content import Diff
from acp_tui.state.changed_files import ChangedFile
from acp_tui.state.entries import diff_key
from acp_tui.text import clean_line
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.header import is_binary
from acp_tui.ui.diff.rows import WHOLE, DiffStart, start_at
from acp_tui.ui.diff.side import sides_of
from acp_tui.ui.lines.stack import StackPart
from acp_tui.ui.lines.text_lines import TextLines
from acp_tui.ui.review.commented_diff import CommentedDiff, LeftComments
from acp_tui.ui.review.on_disk import RESTORED
from acp_tui.ui.review.scopes import Reviewed

MOST_COMPARED_LINES = 100_000
"""Most lines that are compared to find each change's author: more would take too long."""


def diff_lines_of(file: ChangedFile, cwd: str) -> list[tuple[Diff, CommentedDiff]]:
    """Return the diffs of a file as lines. Their headers are shown only if there are several: the
    path of the file is shown elsewhere.
    """
    several = len(file.diffs) > 1
    return [
        (
            one,
            CommentedDiff(
                _lines(file, one, cwd, head=several or is_binary(one)), _authors(file, one)
            ),
        )
        for one in file.diffs
    ]


def _lines(file: ChangedFile, diff: Diff, cwd: str, *, head: bool) -> DiffLines:
    return DiffLines(diff, cwd=cwd, start=diff_start(file, diff), head=head)


def _authors(file: ChangedFile, diff: Diff) -> HunkAuthors | None:
    """Return the authors of a diff's changes; None if no subagent changed the file, or there are
    too many edits to compare.
    """
    old, new = diff.old_text or "", diff.new_text
    lines = len(file.edits) * (old.count("\n") + new.count("\n"))
    if not file.subagents or lines > MOST_COMPARED_LINES:
        return None
    return HunkAuthors(old, new, file.edits)


def texts_of(file: ChangedFile) -> Texts | None:
    """Return the lines of a file before and after its changes; None if only parts are known."""
    whole = [one for one in file.diffs if _is_whole(file, one)]
    if len(file.diffs) != 1 or not whole or is_binary(whole[0]):
        return None
    old, new = sides_of(whole[0])
    return Texts(old.all_shown(), new.all_shown())


def parts_of_file(
    file: ChangedFile, diffs: Sequence[CommentedDiff], comments: Sequence[Comment]
) -> list[StackPart]:
    """Return all parts that show a file."""
    for one in diffs:
        one.comment(comments)
    only = file.diffs[0] if len(file.diffs) == 1 else None  # several have headers
    notes = "" if only is None else describe_line_end_changes(only.old_text, only.new_text)
    parts = [
        StackPart(TextLines(words, "strong"), indent=1) for words in [*file.words, notes] if words
    ]
    parts += [StackPart(TextLines(words, "muted"), indent=1) for words in authors_of(file)]
    parts += [StackPart(lines, indent=1, gap=1 if at else 0) for at, lines in enumerate(diffs)]
    gap = 1 if parts else 0
    parts += [StackPart(TextLines(words, "muted"), indent=1, gap=gap) for words in _remarks(file)]
    return [*parts, StackPart(LeftComments(diffs, comments), indent=1, gap=1)]


def authors_of(file: ChangedFile) -> list[str]:
    """Return sentences about the subagents that changed a file. Other authors aren't known."""
    if not file.subagents:
        return []
    done = (("Written", file.writers), ("Change reported", file.reporters))
    return [f"{deed} by {_listed(names)}." for deed, names in done if names]


def _listed(names: Sequence[str]) -> str:
    """Join the names of subagents; "" is the session itself."""
    children = [one for one in names if one]
    words = f"subagent{'s' if len(children) > 1 else ''} {', '.join(children)}" if children else ""
    own = "the session itself" if "" in names else ""
    return " and ".join(filter(None, [words, own]))


def short_authors_of(file: ChangedFile) -> str:
    """Return the names of the subagents that changed a file, in a few words."""
    own = ["the session"] if "" in (*file.writers, *file.reporters) else []
    return f"↪ {', '.join([*file.subagents, *own])}" if file.subagents else ""


def _remarks(file: ChangedFile) -> list[str]:
    remarks = []
    if file.textless_changes > 1:
        remarks.append(f"{file.textless_changes} changes too long to be shown here")
    elif file.textless_changes:
        remarks.append("a change too long to be shown here")
    if file.undone:
        remarks.append("What the agent did was undone.")
    elif file.unchanged:
        remarks.append("Unchanged: the agent changed it, and now it is what it was before.")
    elif all(not (one.old_text or one.new_text) for one in file.diffs) and file.diffs:
        remarks.append("It is empty.")
    return remarks


def diff_start(file: ChangedFile | None, diff: Diff) -> DiffStart | None:
    """Return where a diff starts in its file; the diff of a write covers the whole file."""
    key = diff_key(diff)
    known = file is not None and key in file.places
    return start_at(file.places[key], diff) if file is not None and known else WHOLE


def letter_of(one: Reviewed) -> str:
    """Return the letter for a file: A(dded), D(eleted), M(odified), or = if it is as before."""
    file = one.file
    if one.difference is not None:
        return one.difference.letter
    if is_as_before(one):
        return "="
    if file.undone or file.unchanged:
        return "="
    first, last = file.diffs[:1], file.diffs[-1:]
    if "delete" in file.acts[-1:] or any(
        _is_whole(file, diff) and not diff.new_text for diff in last
    ):
        return "D"
    is_new = "add" in file.acts[:1] or any(
        _is_whole(file, diff) and not diff.old_text for diff in first
    )
    return "A" if is_new or any(write.created for write in file.writes) else "M"


def is_as_before(one: Reviewed) -> bool:
    """Return whether the file on disk is as it was before."""
    return (one.verdict is not None and one.verdict.is_missing) or one.note == RESTORED


def _is_whole(file: ChangedFile, diff: Diff) -> bool:
    start = diff_start(file, diff)
    return start is None or not start.part


def state_of(one: Reviewed) -> Content:
    """Describe the state of a file that its diff doesn't show; empty if its changes can simply be
    undone.
    """
    if one.verdict is not None and one.verdict.is_warning:
        return Content.styled(one.verdict.value, "$warning")
    note = one.difference.note if one.difference is not None else one.note
    words = ", ".join(filter(None, [one.verdict.value if one.verdict is not None else "", note]))
    if one.difference is not None or words:
        return Content.styled(clean_line(words), "$text-muted")
    return Content.styled(*_state(one.file))


def _state(file: ChangedFile) -> tuple[str, str]:
    if file.undone:
        return "undone", "$text-muted"
    if file.unchanged:
        return "unchanged: put back", "$text-muted"
    if file.undoable_write is not None and file.undoable_write.changed:
        return "changed since", "$warning"
    if file.undoable_write is not None:
        return "", ""
    if file.writes:
        return "no backup", "$warning"
    return "by the agent's tools", "$text-muted"
