"""Draws a list of answers: one per row, wrapped beside its number, or several short ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from acp_tui.text import clean_line
from acp_tui.ui.lines.text_lines import wrapped_rows

MARGIN = 5
"""Cells before a label, apart from its number and icon."""
GAP = 2
"""Cells between choices in the same row."""
MOST_ROWS = 6
"""Most rows of a label."""
NONE = -1
"""The cursor while nothing is marked."""
LONGEST_LABEL = 2000
"""Characters of a label that are wrapped: an agent may send megabytes."""


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """An answer: a label, an icon and style that show its kind, and a detail in small print."""

    label: str
    icon: str = "•"
    style: str = "$foreground"
    detail: str = ""
    offered: bool = True


class ChoiceRow(NamedTuple):
    """A row: the indexes of its choices from left to right, and the cell where each begins."""

    choices: tuple[int, ...]
    content: Content
    starts: tuple[int, ...] = (0,)

    def at(self, x: int) -> int:
        """Return the index of the choice at a cell of the row."""
        return next(
            one
            for one, start in reversed([*zip(self.choices, self.starts, strict=True)])
            if start <= x
        )


def choice_rows(
    choices: Sequence[AnswerChoice], width: int, *, marked: int, paired: bool, numbered: bool = True
) -> Iterator[ChoiceRow]:
    """Yield the rows of choices: one each, or `paired`, as many per row as fit.

    They are `numbered` if a number key chooses.
    """
    singles = list(_single_rows(choices, width, marked, numbered=numbered))
    if not paired or not singles or len(singles) != len(choices):
        yield from singles
        return
    row = singles[0]
    for single in singles[1:]:
        start = row.content.cell_length + GAP
        if start + single.content.cell_length <= width:
            content = Content.assemble(row.content, " " * GAP, single.content)
            row = ChoiceRow((*row.choices, *single.choices), content, (*row.starts, start))
        else:
            yield row
            row = single
    yield row


def _single_rows(
    choices: Sequence[AnswerChoice], width: int, marked: int, *, numbered: bool
) -> Iterator[ChoiceRow]:
    digits = len(str(len(choices)))
    icon = max((cell_len(choice.icon) for choice in choices), default=0)
    margin = MARGIN + digits + icon
    for index, choice in enumerate(choices):
        is_marked = index == marked
        style = f"bold {choice.style}" if is_marked else choice.style
        for line, text in enumerate(_wrapped(clean_line(choice.label), width - margin)):
            number = str(index + 1) if numbered and line == 0 else ""
            sign = "" if line else choice.icon
            head = Content.assemble(
                ("▌" if is_marked else " ", "$primary"),
                (f" {number:>{digits}} ", "bold $primary" if choice.offered else "$text-muted"),
                (f" {sign}{' ' * (icon - cell_len(sign))} ", choice.style),
            )
            yield ChoiceRow((index,), Content.assemble(head, (text, style)))
        if choice.detail:
            for text in _wrapped(clean_line(choice.detail), width - margin):
                yield ChoiceRow((index,), Content.styled(f"{' ' * margin}{text}", "$text-muted"))


def _wrapped(label: str, width: int) -> list[str]:
    """Wrap a label or a detail; shorten a very long one to its first rows."""
    label = " ".join(label.split())
    lines = [label[start:end] for start, end in wrapped_rows(label[:LONGEST_LABEL], max(1, width))]
    if len(lines) > MOST_ROWS or len(label) > LONGEST_LABEL:
        lines = [*lines[: MOST_ROWS - 1], f"{lines[min(len(lines), MOST_ROWS) - 1]} …"]
    return lines
