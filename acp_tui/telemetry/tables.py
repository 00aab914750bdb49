"""Converts recordings to rows of database tables, and writes them as Parquet files."""

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from acp_tui.debug.log import Log
from acp_tui.extensions import extensions
from acp_tui.protocol.findings import Severity
from acp_tui.telemetry.activities import RecordedRun
from acp_tui.telemetry.session_activities import Activity, ActivityKind


def _columns(words: str) -> dict[str, str]:
    """Parse a list of columns as in SQL; return the type of each."""
    return dict(column.split() for column in words.split(", "))


_WHERE = _columns("run VARCHAR, agent VARCHAR, session VARCHAR, turn INTEGER")
_ABOUT = _WHERE | _columns("frame INTEGER, started TIMESTAMP, seconds DOUBLE, error VARCHAR")
TABLES: dict[str, dict[str, str]] = {
    "runs": _columns(
        "run VARCHAR, recording VARCHAR, agent VARCHAR, agent_version VARCHAR, "
        "command VARCHAR, cwd VARCHAR, started TIMESTAMP, seconds DOUBLE, "
        "exit_code INTEGER, signal VARCHAR, frames INTEGER, bytes BIGINT, errors INTEGER, "
        "warnings INTEGER"
    ),
    "turns": _ABOUT
    | _columns(
        "first_update DOUBLE, stop_reason VARCHAR, chunks INTEGER, tool_calls INTEGER, "
        "asked_seconds DOUBLE, input_tokens BIGINT, output_tokens BIGINT, "
        "total_tokens BIGINT, context_used BIGINT, cost DOUBLE, currency VARCHAR, "
        "quota_used DOUBLE, quota_window VARCHAR"
    ),
    "requests": _ABOUT | _columns("method VARCHAR, by_agent BOOLEAN, error_code INTEGER"),
    "tool_calls": _ABOUT
    | _columns("tool_call_id VARCHAR, name VARCHAR, kind VARCHAR, title VARCHAR, status VARCHAR"),
    "permissions": _ABOUT
    | _columns(
        "tool_call_id VARCHAR, tool_kind VARCHAR, title VARCHAR, outcome VARCHAR, rule VARCHAR"
    ),
    "files": _ABOUT
    | _columns("operation VARCHAR, path VARCHAR, created BOOLEAN, decision VARCHAR"),
    "terminals": _ABOUT | _columns("command VARCHAR, exit_code INTEGER, signal VARCHAR"),
    "findings": _columns(
        "run VARCHAR, agent VARCHAR, frame INTEGER, rule VARCHAR, severity VARCHAR, "
        "guess BOOLEAN, message VARCHAR"
    ),
    "subagents": _ABOUT
    | _columns(
        "parent_session VARCHAR, name VARCHAR, stop_reason VARCHAR, tool_calls INTEGER, "
        "input_tokens BIGINT, output_tokens BIGINT, total_tokens BIGINT, "
        "context_used BIGINT, cost DOUBLE, currency VARCHAR"
    ),
    "model_tokens": _WHERE | _columns("model VARCHAR, total_tokens BIGINT"),
}
"""The tables, and the SQL types of their columns.

`turn` and `frame` are numbers of frames: a turn is joined by `run` and `turns.frame = turn`.
"""

_OF_KIND = {
    ActivityKind.TURN: "turns",
    ActivityKind.SUBAGENT: "subagents",
    ActivityKind.TOOL_CALL: "tool_calls",
    ActivityKind.PERMISSION: "permissions",
    ActivityKind.FILE: "files",
    ActivityKind.TERMINAL: "terminals",
}
_RENAMED = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "total_tokens": "totalTokens",
}

Row = tuple[str, dict[str, Any]]
"""The name of a table, and a row of it."""


def table_rows(run: RecordedRun) -> Iterator[Row]:
    """Yield the rows of a recording, for all tables."""
    done = list(run.activities())
    agent = run.agent.get("name") or Path(run.command.partition(" ")[0]).name
    about = {"run": run.id, "agent": agent}
    log = Log.of_all(run.opened.records, extensions.linter())
    for found in log.findings:
        yield (
            "findings",
            {
                **about,
                "frame": log[found.index].number or None,
                "rule": found.rule.id,
                "severity": found.severity.value,
                "guess": found.rule.guess,
                "message": run.mask(found.message),
            },
        )
    yield "runs", about | _run_row(run, log)
    for one in done:
        row = about | _times(run, one)
        table = _OF_KIND.get(one.kind)
        if table is not None:
            yield table, row | _facts(run, one, table)
        is_turn = one.kind is ActivityKind.TURN  # its tokens may include those of its subagents
        for model, tokens in one.facts.get("model_tokens", {}).items() if is_turn else ():
            where = {**{name: row[name] for name in _WHERE}, "turn": one.number}
            yield "model_tokens", {**where, "model": run.mask(model), "total_tokens": tokens}
        if one.kind not in (ActivityKind.TOOL_CALL, ActivityKind.SUBAGENT):
            code = one.facts.get("error_code")
            yield (
                "requests",
                {**row, "method": one.name, "by_agent": one.by_agent, "error_code": code},
            )


def _run_row(run: RecordedRun, log: Log) -> dict[str, Any]:
    count, size = 0, 0
    for index in range(len(log)):
        row = log[index]
        if row.direction:
            count, size = count + 1, size + row.size
    return {
        "recording": str(run.path),
        "agent_version": run.agent.get("version"),
        "command": run.command,
        "cwd": run.opened.facts.get("cwd"),
        "started": run.epoch + run.start,
        "seconds": run.end - run.start,
        "exit_code": run.exit.code if run.exit is not None else None,
        "signal": run.exit.signal if run.exit is not None else None,
        "frames": count,
        "bytes": size,
        "errors": log.findings.severities[Severity.ERROR],
        "warnings": log.findings.severities[Severity.WARNING],
    }


def _times(run: RecordedRun, one: Activity) -> dict[str, Any]:
    return {
        "session": one.session_id,
        "turn": one.turn.number if one.turn is not None else None,
        "frame": one.number,
        "started": run.epoch + one.start,
        "seconds": one.seconds,
        "error": None if one.error is None else run.mask(one.error),
    }


def _facts(run: RecordedRun, one: Activity, table: str) -> dict[str, Any]:
    """Return the columns of a table that only one kind of activity has."""
    found = {}
    for column in TABLES[table].keys() - _ABOUT.keys():
        value = one.facts.get(_RENAMED.get(column, column))
        found[column] = run.mask(value) if isinstance(value, str) else value
    if "name" in found:
        found["name"] = one.name
    return found


def write_tables(rows: Iterable[Row], folder: Path) -> dict[str, int]:
    """Write `TABLE.parquet` into a folder for each table; return how many rows each has.

    An existing file is replaced only once the new one is complete. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    counts = dict.fromkeys(TABLES, 0)
    with TemporaryDirectory(dir=folder, prefix=".export-") as name, ExitStack() as stack:
        temporary = Path(name)
        files = {
            table: stack.enter_context((temporary / f"{table}.json").open("w", encoding="utf-8"))
            for table in TABLES
        }
        for table, row in rows:
            counts[table] += 1
            plain = {column: _plain(column, value) for column, value in row.items()}
            files[table].write(json.dumps(plain) + "\n")
        for file in files.values():
            file.close()
        with duckdb.connect() as engine:
            for table in TABLES:
                _convert_table(engine, table, temporary)
        for table in TABLES:
            (temporary / f"{table}.parquet").replace(folder / f"{table}.parquet")
    return counts


def _convert_table(engine: duckdb.DuckDBPyConnection, table: str, folder: Path) -> None:
    columns = ", ".join(f"{name}: '{type_}'" for name, type_ in TABLES[table].items())
    source, target = _quoted(folder / f"{table}.json"), _quoted(folder / f"{table}.parquet")
    options = f"format = 'newline_delimited', hive_partitioning = false, columns = {{{columns}}}"
    reads = f"read_json({source}, {options})"
    engine.execute(f"COPY (SELECT * FROM {reads}) TO {target} (FORMAT parquet, COMPRESSION zstd)")  # noqa: S608


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _plain(name: str, value: Any) -> Any:
    """Return a value for JSON: a time as text, and a text without lone surrogates."""
    if name == "started":
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return value
