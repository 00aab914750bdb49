"""The reports that `acp-tui check` writes: to stdout, or into files."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.output import complain, out_data

if TYPE_CHECKING:
    from acp_tui.check.summary import Summary

STDOUT = "-"
_FORMATS = {
    "json": ("format_json", "JSON", '{\n  "acp-tui-check"'),
    "junit": ("format_junit", "JUnit's XML", "<?xml"),
    "markdown": ("format_markdown", "Markdown", "## `acp-tui check`"),
    "sarif": ("format_sarif", "SARIF", '{\n  "$schema"'),
}
"""Each with the function that formats it, what it is, and how its files begin."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    reports = parser.add_argument_group("reports, to stdout or into files")
    for name, (_, what, _) in _FORMATS.items():
        reports.add_argument(
            f"--{name}", metavar="FILE", nargs="?", const=STDOUT, help=f"as {what}"
        )


def wanted(options: argparse.Namespace) -> dict[str, str]:
    """Return the formats that are asked for, with their files; usage errors end the program."""
    found = {name: getattr(options, name) for name in _FORMATS if getattr(options, name)}
    if list(found.values()).count(STDOUT) > 1:
        options.parser.error("one report goes to stdout; name files for the others: --json=FILE")
    for name, file in found.items():
        if file != STDOUT and not _may_replace(Path(file), _FORMATS[name][2]):
            options.parser.error(f"--{name}: {file} exists, and is not such a report")
    return found


def _may_replace(path: Path, begins: str) -> bool:
    """Whether nothing but an older report is lost."""
    if not path.exists():
        return True
    if not path.is_file():
        return False
    with path.open("rb") as file:
        old = file.read(len(begins.encode()))
    return not old or old == begins.encode()


def write(reports: dict[str, str], summary: "Summary") -> None:
    """Write the reports. Raises OSError."""
    from acp_tui.check import reports as reports_of_check
    from acp_tui.config.private_files import write_whole

    for name, file in reports.items():
        make: Callable[[Summary], str] = getattr(reports_of_check, _FORMATS[name][0])
        if file == STDOUT:
            out_data(make(summary))
        else:
            write_whole(Path(file).absolute(), make(summary))
            complain(f"written: {file}", "check")
