"""Writes recordings as Parquet files, one for each table, by DuckDB."""

import json
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from acp_tui.telemetry.tables import TABLES, Row


def write_tables(rows: Iterable[Row], folder: Path) -> dict[str, int]:
    """Write `TABLE.parquet` into a folder for each table; return how many rows each has.

    A file takes the place of an earlier one only when it is complete. Raises OSError.
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
            files[table].write(json.dumps(_plain(row)) + "\n")
        for file in files.values():
            file.close()
        with duckdb.connect() as engine:
            for table in TABLES:
                _convert(engine, table, temporary)
        for table in TABLES:
            (temporary / f"{table}.parquet").replace(folder / f"{table}.parquet")
    return counts


def _convert(engine: duckdb.DuckDBPyConnection, table: str, folder: Path) -> None:
    columns = ", ".join(f"{name}: '{type_}'" for name, type_ in TABLES[table].items())
    source, target = _quoted(folder / f"{table}.json"), _quoted(folder / f"{table}.parquet")
    options = f"format = 'newline_delimited', hive_partitioning = false, columns = {{{columns}}}"
    reads = f"read_json({source}, {options})"
    engine.execute(f"COPY (SELECT * FROM {reads}) TO {target} (FORMAT parquet, COMPRESSION zstd)")  # noqa: S608


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as JSON: times as text, and no lone surrogates."""
    return {name: _value(name, value) for name, value in row.items()}


def _value(name: str, value: Any) -> Any:
    if name == "started":
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return value
