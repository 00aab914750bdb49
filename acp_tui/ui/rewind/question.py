"""The dialog before a rewind, which asks what to restore."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from acp_tui.formatting import counted
from acp_tui.rewind.checkpoint import RewindPlan
from acp_tui.text import clean_line
from acp_tui.ui.keys import REWIND_QUESTION
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Stack, StackPart
from acp_tui.ui.lines.text_lines import TextLines, wrapped_rows
from acp_tui.ui.rewind.file_parts import (
    PLANNED,
    Changed,
    file_parts,
    format_names,
    height_of,
    named_with_why,
)
from acp_tui.ui.rewind.points import Point
from acp_tui.ui.toolkit.boxes import BELOW
from acp_tui.ui.toolkit.choice_rows import AnswerChoice
from acp_tui.ui.toolkit.choices import KeyedChoices
from acp_tui.ui.toolkit.dialogs.question_dialogs import AnswersDialog

EDGES = 2
"""Rows of the dialog's edges."""
PADDED = 4
"""Cells to the left and right of the content: edges and padding."""
TITLED = 8
"""Cells of the upper edge that the title can't use."""
LONGEST_PROMPT = 40
"""Most cells of the prompt in the title."""
ANSWERS = ("", "files", "conversation", "both")
"""The result for each choice."""


class RewindFiles(NamedTuple):
    """What a rewind would do to the files, with their diffs; or `why` they can't be restored.

    `outside` are files that the agent wrote outside the folder.
    """

    why: str = ""
    plan: RewindPlan | None = None
    changed: Changed = Changed()
    outside: Sequence[str] = ()


class RewindDialog(AnswersDialog[str]):
    """Shows which files would be written before any is; dismissed with one of `ANSWERS`."""

    DEFAULT_CLASSES = BELOW
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = REWIND_QUESTION  # type: ignore[assignment]

    def __init__(
        self,
        point: Point,
        files: RewindFiles,
        no_talk: str,
        make_room: Callable[[int], int],
        clock: Callable[[], float],
    ) -> None:
        """`no_talk` is why the conversation can't be rewound, "" if it can. `make_room` asks the
        list above for some rows, and returns the first row that it leaves free.
        """
        super().__init__(clock)
        self._make_room = make_room
        self._point = point
        self._files = files
        self._no_talk = no_talk
        self._content = LinesView()
        self._note = Static("\n".join(self._notes()), markup=False, id="note")

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._content
            yield self._note
            yield self._choices

    def on_mount(self) -> None:
        parts = self._parts()
        self._content.show(Stack(parts))
        self._content.display = bool(parts)
        self.offer_answers(self._answers(), self._content)

    def on_resize(self) -> None:
        """Place the box below the list. The files get the rows that the rest leaves; the notes are
        dropped first.
        """
        width, height = max(1, self.size.width - PADDED), self.size.height
        self._box.ask(self._title(self.size.width - TITLED))
        notes = _height(self._notes(), width)
        answers = EDGES + self._choices.rows_in(width)
        files = self._rows_of_files(width)
        begin = self._make_room(answers + files + (notes + 1 if notes else 0))
        begin = min(begin, max(0, height - answers - bool(files) * 2))
        room = height - begin - answers - bool(files)
        self._note.display = 0 < 2 * notes < room
        self._content.styles.max_height = max(1, room - (notes + 1 if self._note.display else 0))
        self._box.styles.margin = (begin, 0, 0, 0)

    def _title(self, width: int) -> str:
        """Return the title, with as much of the prompt as fits before the closing quote."""
        words = Content(" ".join(clean_line(self._point.words).split()))
        does = _does(self._point)
        room = max(1, min(LONGEST_PROMPT, width - len(f"{does} “”?")))
        return f"{does} “{words.truncate(room, ellipsis=True).plain}”?"

    def _rows_of_files(self, width: int) -> int:
        """Return the rows that the files need, with the remarks above and the gap below."""
        changes = self._files.changed.changes
        remarks = _height(self._remarks(), width - 1)
        needed = remarks + bool(changes) + height_of(changes)
        return needed + 1 if needed else 0

    # Content

    def _parts(self) -> list[StackPart]:
        """Return the files that would change, below the remarks, as a list of files may be long."""
        parts = [StackPart(TextLines(one, "warning")) for one in self._remarks()]
        changes = self._files.changed.changes
        if changes:
            heading = f"Rewinding changes {counted(len(changes), 'file')}:"
            parts.append(StackPart(TextLines(heading, "muted")))
        return [*parts, *file_parts(self._files.changed, PLANNED)]

    def _remarks(self) -> Iterator[str]:
        plan, outside = self._files.plan, self._files.outside
        if plan is None:
            return
        spared, unkept = plan.preserved, {name for name, _ in plan.unstored}
        left_out = [one for one in plan.left_out.names if one[0] not in unkept]
        if plan.target.late:
            yield "The files were saved after that turn had begun: it may have changed some."
        if outside:
            yield f"Left as they are, outside this folder: {format_names(outside)}"
        if plan.unstored:
            yield f"Not restored because they aren't saved now: {named_with_why(plan.unstored)}"
        if left_out:
            yield f"Left as they are because they can't be saved: {named_with_why(left_out)}"
        if plan.lost:
            yield f"Not restored because they weren't saved: {named_with_why(plan.lost)}"
        if spared:
            names = [one.shown for one in spared]
            yield f"Not deleted because they weren't saved then: {format_names(names)}"

    def _notes(self) -> Iterator[str]:
        if self._files.changed.changes:
            yield "The current files are saved first, so this can be undone."
            yield "Not restored: what git ignores, empty folders, changes made elsewhere."
        if self._point.cursor:
            yield "The agent forks the session there: it remembers what was said before."
        elif not self._no_talk:
            yield "Earlier messages go into a new session's prompt, for you to send."

    # The answers

    def _answers(self) -> list[AnswerChoice]:
        why, no_talk = self._files.why, self._no_talk
        where = "fork" if self._point.cursor else "new session"
        return [
            AnswerChoice("Cancel", "✗"),
            _answer("Restore files only", why, " (the agent won't know)"),
            _answer("Restore conversation only", no_talk, f" (in a {where})"),
            _answer("Restore both", why or no_talk),
        ]

    def on_keyed_choices_chosen(self, event: KeyedChoices.Chosen) -> None:
        """Close with the answer."""
        event.stop()
        self.dismiss(ANSWERS[event.index])


def _does(point: Point) -> str:
    """Return the action that the title asks about. Undoing the undo of a rewind means rewinding
    again.
    """
    if point.is_fork:
        return "Fork after"
    if point.is_undo:
        return "Rewind again to before"
    return "Undo the rewind to before" if point.is_return else "Rewind to before"


def _answer(what: str, why_not: str, more: str = "") -> AnswerChoice:
    """Return a choice; one that isn't possible shows the reason."""
    if why_not:
        return AnswerChoice(f"{what}: not possible, {why_not}", "", "$text-muted", offered=False)
    return AnswerChoice(f"{what}{more}", "✓", "$warning")


def _height(texts: Iterator[str], width: int) -> int:
    """Return the number of rows that some texts need."""
    return sum(len(list(wrapped_rows(one, width))) for one in texts)
