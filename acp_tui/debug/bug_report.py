"""Builds a bug report: the records around one of them, secrets masked, and how to open them. Pure."""

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from acp_tui.debug.log import Log
from acp_tui.debug.rows import LogRow
from acp_tui.masking.redactor import Redactor
from acp_tui.masking.secrets import do_nothing
from acp_tui.protocol import jsonrpc, schema
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.json_parts import value_at
from acp_tui.protocol.process_events import StderrLine, StderrOmitted
from acp_tui.recordings.recording import agent_in, dump_in_pieces, format_header
from acp_tui.text import clean_line, clean_text

AROUND = 200
"""Records included before and after the reported one."""
SETUP = 100
"""Records included from the beginning: without the setup, nothing can be replayed."""
STDERR = 200
"""Most lines of stderr that are included."""
RECORDING = "recording.jsonl"


class BugReport(NamedTuple):
    """The files of a report by name, its title, and what was masked, in words."""

    files: dict[str, str]
    title: str
    masked: str


def bug_report(
    log: Log,
    focus: int,
    facts: Mapping[str, Any],
    around: int = AROUND,
    pause: Callable[[], None] = do_nothing,
) -> BugReport:
    """Build a bug report about a record; `facts` is the header of the recording.

    `pause` is called from time to time, and may raise an exception to abort.
    """
    redactor = Redactor(pause)
    places = _places(log, focus, around)
    wider = range(max(0, focus - 2 * around), min(len(log), focus + 2 * around))
    redactor.scan(log.records[index] for index in sorted({*places, *wider}))
    lines = ["".join(dump_in_pieces(redactor.record(log.records[index]))) for index in places]
    stderr = "".join(f"{clean_text(line)}\n" for line in _stderr(log, focus, redactor))
    findings = Redactor().text("".join(f"{line}\n" for line in _findings(log, places)), "findings")
    own = redactor.facts(dict(facts))
    excerpt = {"excerpt": {"of": len(log), "records": len(places), "around": focus}}
    head = format_header({**own, **excerpt, "masked": dict(redactor.masked)})
    row = log[focus]
    about = f"#{row.number}" if row.number else f"{row.time:.3f} s"
    called = Redactor().text(row.method or row.kind or "a line", "")
    title = f"{about}: {clean_line(called)}"
    files = {
        "README.md": _readme(log, focus, title, len(places), own, redactor.summary()),
        RECORDING: "\n".join([head, *lines, ""]),
        "findings.txt": findings,
        "stderr.txt": stderr,
    }
    return BugReport(files, title, redactor.summary())


def zip_files(files: Mapping[str, str], folder: str) -> bytes:
    """Pack files into a zip, in one folder."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(f"{folder}/{name}")
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text.encode("utf-8", "backslashreplace"))
    return data.getvalue()


def _places(log: Log, focus: int, around: int) -> list[int]:
    """Return the indexes of the setup, the turn's prompt, the records near `focus`, and partners."""
    setup = min(SETUP, len(log), *log.prompts[:1])
    near = range(max(0, focus - around), min(len(log), focus + around + 1))
    turn = log.prompt_before(near.start)
    chosen = {*range(setup), near.start if turn is None else turn, *near}
    partners = (log[index].partner for index in chosen)
    return sorted(chosen.union(one for one in partners if one is not None))


def _stderr(log: Log, focus: int, redactor: Redactor) -> list[str]:
    """Return the last lines of stderr, masked, up to `AROUND` records after `focus`."""
    lines: list[str] = []
    for index in range(min(len(log), focus + AROUND) - 1, -1, -1):
        record = log.records[index] if log[index].kind.startswith("stderr_") else None
        if isinstance(record, StderrLine):
            masked = redactor.record(record)
            assert isinstance(masked, StderrLine)
            lines.append(masked.text)
        elif isinstance(record, StderrOmitted):
            lines.append(record.words)
        if len(lines) == STDERR:
            break
    return lines[::-1]


def _findings(log: Log, places: Iterable[int]) -> Iterable[str]:
    for index in places:
        yield from _finding_lines(log[index])


def _finding_lines(row: LogRow) -> Iterable[str]:
    for finding in row.findings:
        where = f" at {finding.where}" if finding.path else ""
        yield f"#{row.number} {finding.severity} {finding.rule.id}{where}: " + clean_line(
            finding.message
        )
        yield f"    {finding.rule.basis}"


def _readme(
    log: Log, focus: int, title: str, count: int, facts: Mapping[str, Any], masked: str
) -> str:
    row = log[focus]
    findings = [Redactor().text(line, "") for line in _finding_lines(row)]
    findings = findings or ["(no rule is broken by this record)"]
    command = agent_in(facts) or "unknown"
    lines = [
        f"# Report about {title}",
        "",
        f"At {row.time:.3f} s of {log[len(log) - 1].time:.3f} s. What is wrong with it:",
        "",
        *(f"    {line}" for line in findings),
        "",
        "## Look at it",
        "",
        f"    acp-tui replay {RECORDING}",
        f"    acp-tui log {RECORDING} --findings",
        "",
        f"{RECORDING} has {count:,} of {len(log):,} records: the set-up, and what is around this "
        "one. stderr.txt is what the agent wrote to stderr by then.",
        "",
        "## Versions",
        "",
        f"- protocol: {schema.WORDS}",
        f"- agent: {clean_line(_agent(log))}, started as `{clean_line(command)}`",
        *(
            f"- {name}: {clean_line(str(facts[key]))}"
            for name, key in (
                ("acp-tui", "version"),
                ("Python", "python"),
                ("platform", "platform"),
            )
            if key in facts
        ),
        "",
        "## Secrets",
        "",
        f"By the names and forms of secrets, {clean_line(masked)}. "
        "Prompts, answers and files are in it as they were: read it before you send it.",
        "",
    ]
    return "\n".join(lines)


def _agent(log: Log) -> str:
    """Return the agent's name and version, as it reported them."""
    for index in range(min(SETUP, len(log))):
        row = log[index]
        if row.method == "initialize" and row.is_answer and isinstance(row.record, Frame):
            info = value_at(jsonrpc.decode(row.record.raw), "result", "agentInfo")
            return jsonrpc.as_json(info) if info else "did not say its name"
    return "did not say its name"
