"""Bug reports as a folder or a zip."""

from collections.abc import Mapping
from pathlib import Path

from acp_tui.config.private_files import make_folder, write_new
from acp_tui.debug.filters.predicates import Predicate
from acp_tui.debug.log import Log
from acp_tui.debug.report.bug_report import zipped
from acp_tui.protocol.findings import Finding, Severity


def write(path: Path, files: Mapping[str, str]) -> None:
    """Write the files into a new folder, or into a new zip if the path ends in `.zip`. Raises
    OSError.
    """
    if path.suffix == ".zip":
        write_new(path, zipped(files, path.stem))
        return
    make_folder(path.parent)
    path.mkdir(mode=0o700)
    for name, text in files.items():
        write_new(path / name, text.encode("utf-8", "backslashreplace"))


def focus(log: Log, findings: list[Finding], passes: Predicate, filtered: bool) -> int:
    """Choose what a report is about: the first of the worst findings, else the first record
    that passes the filter, else the end.
    """
    for severity in (Severity.ERROR, Severity.WARNING):
        for finding in findings:
            if finding.severity is severity:
                return finding.index
    if filtered:
        for index in range(len(log)):
            if passes(log[index]):
                return index
    return len(log) - 1
