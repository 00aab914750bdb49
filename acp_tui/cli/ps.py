"""`acp-tui ps`: list the runs that are kept in the background, and their state."""

import argparse
import json
import shutil
from collections.abc import Iterator, Sequence
from typing import Any

from acp_tui.cli.output import out, print_error
from acp_tui.cli.table import fit_cells
from acp_tui.config.paths import kept_folder
from acp_tui.formatting import counted, duration
from acp_tui.kept.run_places import KeptRunError, RunPlace, leftover_logs, living_runs, send_request

TITLES = ("name", "agent", "session", "for", "screens", "state")
COLUMN_WIDTHS = (24, 20, 24, 8, 8, 200)

_EPILOG = """\
acp-tui ps
acp-tui ps --json"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = "List the runs that are kept in the background, and what they are doing."
    parser.epilog = _EPILOG
    parser.add_argument("--json", action="store_true", help="one JSON object for each run")


def execute(options: argparse.Namespace) -> int:
    """List the runs."""
    folder = kept_folder()
    code, runs, logs = 0, [], leftover_logs(folder)
    for place in living_runs(folder):
        try:
            runs.append(send_request(place, "status"))
        except KeptRunError as error:
            print_error(str(error), "ps")
            code = 1
        if _has_words(place):
            logs.append(place.log)
    if options.json:
        for one in runs:
            out(json.dumps({key: value for key, value in one.items() if key != "error"}))
        return code
    if runs:
        for line in _format_table([row for one in runs for row in _make_rows(one)]):
            out(line)
    elif not code:
        out("no run is kept; start one: acp-tui --keep -- COMMAND")
    for path in logs:
        out(f"{path.stem} reported trouble:  {path}")
    return code


def _has_words(place: RunPlace) -> bool:
    try:
        return place.log.stat().st_size > 0
    except OSError:
        return False


def _make_rows(run: dict[str, Any]) -> Iterator[list[str]]:
    """Yield a table row for each session of a run."""
    screens = str(len(run["screens"]))
    for row in run["sessions"]:
        since = "" if row["seconds"] is None else duration(row["seconds"])
        waiting = row["waiting"]
        state = row["state"] + (f"; {counted(waiting, 'prompt')} waiting" if waiting else "")
        yield [
            run["name"],
            row["agent"],
            row["title"] or row["session"] or "",
            since,
            screens,
            state,
        ]


def _format_table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the table's lines, each at most as wide as the terminal."""
    width = shutil.get_terminal_size((120, 24)).columns
    columns = zip(TITLES, *rows, strict=True)
    widths = [
        min(most, max(map(len, column)))
        for most, column in zip(COLUMN_WIDTHS, columns, strict=True)
    ]
    for row in [TITLES, *rows]:
        cells = [fit_cells(text, wide) for text, wide in zip(row, widths, strict=True)]
        yield fit_cells("  ".join(cells), width).rstrip()
