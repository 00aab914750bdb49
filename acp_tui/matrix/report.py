"""Formats a matrix as Markdown and as an HTML page."""

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby

from acp_tui.formatting import counted
from acp_tui.matrix.model import Matrix, MatrixAnswer, MatrixCell
from acp_tui.matrix.rows import matrix_rows
from acp_tui.text import clean_line

LEGEND = (
    (MatrixAnswer.YES, "seen"),
    (MatrixAnswer.NO, "the agent said no, or was seen not to"),
    (MatrixAnswer.NOT_OFFERED, "the agent doesn't say that it can, so it was not asked to"),
    (MatrixAnswer.NOT_SEEN, "nothing in the turns showed it: that is no proof"),
    (MatrixAnswer.NOT_TESTED, "not tried, which says nothing about the agent"),
)
_SPECIAL = re.compile(r"([\\|`*<>\[\]]|(?<!\w)_|_(?!\w))")
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --back: #fff; --text: #222; }
@media (prefers-color-scheme: dark) { :root { --back: #16181d; --text: #ddd; } }
body { margin: 1.5em; font: 14px/1.4 system-ui, sans-serif; background: var(--back); color: var(--text); }
.frame { overflow: auto; max-height: 88vh; border: 1px solid var(--line); }
table { border-collapse: separate; border-spacing: 0; }
th, td { padding: .25em .7em; border-bottom: 1px solid var(--line); text-align: left; max-width: 22em;
  overflow-wrap: anywhere; vertical-align: top; }
thead th { position: sticky; top: 0; z-index: 2; background: var(--back); }
tbody th { position: sticky; left: 0; z-index: 1; background: var(--back); font-weight: normal; }
thead th:first-child { left: 0; z-index: 3; }
.group th { font-weight: bold; padding-top: 1em; }
.yes { color: #14803c; font-weight: 600; } .no { color: #b3261e; }
.offered, .seen, .tested { opacity: .6; }
@media (prefers-color-scheme: dark) { .yes { color: #6cc98d; } .no { color: #ff8a80; } }
small { opacity: .7; font-weight: normal; }
"""


def matrix_markdown(matrix: Matrix) -> Iterator[str]:
    """Format a matrix as the lines of a Markdown document."""
    yield f"# What {counted(len(matrix.columns), 'ACP agent')} can do"
    yield ""
    yield _about(matrix)
    yield ""
    yield from (f"- **{answer}**: {words}" for answer, words in LEGEND)
    troubled = [column for column in matrix.columns if column.trouble]
    if troubled:
        yield ""
        yield from (f"- {_cell(one.name)}: {_cell(one.trouble)}" for one in troubled)
    for group, members in groupby(matrix_rows(), lambda row: row.group):
        heads = " | ".join(_cell(column.name) for column in matrix.columns)
        yield from (
            "",
            f"## {group}",
            "",
            f"| | {heads} |",
            "| --- " * (len(matrix.columns) + 1) + "|",
        )
        for row in members:
            found = " | ".join(_cell(column.cell(row.id).text) for column in matrix.columns)
            yield f"| {_cell(row.title)} | {found} |"


def matrix_html(matrix: Matrix) -> Iterator[str]:
    """Format a matrix as an HTML page without scripts or external resources."""
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    title = f"What {counted(len(matrix.columns), 'ACP agent')} can do"
    yield f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>"
    yield f"<p>{escape(_about(matrix))}</p><ul>"
    yield from (f"<li><b>{answer}</b>: {escape(words)}</li>" for answer, words in LEGEND)
    yield "</ul>"
    yield '<div class="frame"><table><thead><tr><th></th>'
    for column in matrix.columns:
        trouble = (
            f"<br><small>{escape(clean_line(column.trouble))}</small>" if column.trouble else ""
        )
        command = escape(clean_line(column.command), quote=True)
        yield f'<th title="{command}">{escape(clean_line(column.name))}{trouble}</th>'
    yield "</tr></thead><tbody>"
    for group, members in groupby(matrix_rows(), lambda row: row.group):
        blank = "<td></td>" * len(matrix.columns)
        yield f'<tr class="group"><th>{escape(group)}</th>{blank}</tr>'
        for row in members:
            cells = ""
            for column in matrix.columns:
                cell = column.cell(row.id)
                style = cell.text.rpartition(" ")[2] if cell.text in tuple(MatrixAnswer) else ""
                shown = escape(clean_line(cell.text))
                cells += f'<td class="{style}" title="{escape(format_source(cell))}">{shown}</td>'
            yield f"<tr><th>{escape(row.title)}</th>{cells}</tr>"
    yield "</tbody></table></div></body></html>"


def format_source(cell: MatrixCell) -> str:
    """Describe how and where a cell's value was observed; "" if it wasn't."""
    if cell.how is None:
        return ""
    return f"{cell.how}, frame {cell.frame}" if cell.frame else str(cell.how)


def _about(matrix: Matrix) -> str:
    turns = "with turns of the model" if matrix.with_turns else "without a turn of the model"
    return f"Probed by acp-tui matrix on {matrix.made[:16].replace('T', ' ')}, {turns}."


def _cell(text: str) -> str:
    """Escape an agent's text, so that Markdown shows it literally."""
    return _SPECIAL.sub(r"\\\1", clean_line(text))
