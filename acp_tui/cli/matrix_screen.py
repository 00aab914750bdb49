"""Shows a matrix as a screen; a frame is opened in a replay."""

import subprocess
import sys
from pathlib import Path

import anyio

from acp_tui.formatting import counted
from acp_tui.matrix.model import Matrix
from acp_tui.matrix.report import where
from acp_tui.matrix.rows import matrix_rows
from acp_tui.ui.matrix.app import MatrixApp, MatrixTable, MatrixValue, TableRow


def show_matrix(matrix: Matrix, theme: str) -> int:
    """Show the screen until it is left; return the exit code."""
    app = MatrixApp(table(matrix), _replay, theme)
    app.survives_faults = True
    anyio.run(app.run_async)
    return app.return_code or 0


def table(matrix: Matrix) -> MatrixTable:
    """Return a matrix as the screen shows it."""
    made = matrix.made[:16].replace("T", " ")
    agents = counted(len(matrix.columns), "agent")
    about = f"{agents}, {made}{', with turns' if matrix.with_turns else ''}"
    found = []
    for row in matrix_rows():
        values = []
        for column in matrix.columns:
            cell = column.cell(row.id)
            recording = Path(cell.recording) if cell.recording else None
            values.append(MatrixValue(cell.text, where(cell), recording, cell.frame))
        found.append(TableRow(row.group, row.title, values))
    named = [(column.name, column.trouble or column.command) for column in matrix.columns]
    return MatrixTable(about, named, found)


def _replay(recording: Path, frame: int) -> None:
    given = ["replay", str(recording), "--at", f"#{frame}"]
    subprocess.run([sys.executable, "-m", "acp_tui", *given], check=False)
