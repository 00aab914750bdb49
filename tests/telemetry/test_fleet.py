"""Recordings as tables, and the queries of docs/recording.md on two thousand of them."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.in_process import run_program
from tests.telemetry.recordings import AGENTS, REPOSITORIES, Made, make

PAGE = Path(__file__).parents[2] / "docs" / "recording.md"
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
MANY = 2000


def export(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "acp_tui", "export", *map(str, arguments)]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


ASK = """
import duckdb, json, sys
answers = [duckdb.sql(query).fetchall() for query in json.load(sys.stdin)]
print(json.dumps(answers, default=str))
"""


def ask(tables: Path, *queries: str) -> list[list[tuple[Any, ...]]]:
    """Query the tables of a folder, in a process whose end DuckDB may complain about."""
    argv, told = [sys.executable, "-c", ASK], json.dumps(queries)
    done = subprocess.run(argv, cwd=tables, input=told, capture_output=True, text=True, check=True)
    return [[tuple(row) for row in answer] for answer in json.loads(done.stdout)]


def test_what_was_recorded_is_in_the_tables_with_subagents_apart_and_secrets_masked(
    tmp_path: Path,
) -> None:
    made = make(tmp_path, 1)  # of steady, whose tool fails
    secret = make(tmp_path, 2)
    text = secret.read_text("utf-8")
    secret.write_text(
        text.replace("Mend", "curl ghp_0123456789abcdefghijABCDEFGHIJ012345"), "utf-8"
    )
    it = Made()
    it.call(1, "session/prompt", {"sessionId": "s1", "prompt": []})
    it.update("subagent_update", sessionId="c", title="Ada", state={"state": "running"})
    it.update("tool_call", toolCallId="t", name="edit")
    idle = {"state": "idle", "stopReason": "end_turn", "usage": {"totalTokens": 1200}}
    it.update("subagent_update", sessionId="c", state=idle)
    it.answer(1, {"stopReason": "end_turn"})
    path = tmp_path / "it.jsonl"
    path.write_text("\n".join(it.lines), "utf-8")

    # A name is only a name, and no condition or pattern.
    odd = tmp_path / "run=5" / "it's; -- [a]*?\nb"
    odd.parent.mkdir()
    done = export("--parquet", odd, made, secret, path)
    assert done.returncode == 0, done.stderr
    assert "3 runs, 3 turns, 9 requests, 3 tool_calls" in done.stdout
    odd.rename(tmp_path / "tables")
    runs, turns, tools, files, models, ended, called, titles = ask(
        tmp_path / "tables",
        "SELECT agent, agent_version, cwd, started::VARCHAR, frames FROM 'runs.parquet' "
        "WHERE agent = 'steady'",
        "SELECT round(seconds, 2), first_update < 1, stop_reason, chunks, tool_calls, total_tokens, "
        "cost, quota_used, quota_window FROM 'turns.parquet' WHERE agent = 'steady'",
        "SELECT c.name, c.title, c.status, c.error FROM 'tool_calls.parquet' c "
        "JOIN 'turns.parquet' t ON c.run = t.run AND c.turn = t.frame WHERE t.agent = 'steady'",
        "SELECT operation, path FROM 'files.parquet' WHERE agent = 'steady'",
        "SELECT model, m.total_tokens FROM 'model_tokens.parquet' m "
        "JOIN 'turns.parquet' t ON m.run = t.run AND m.turn = t.frame",
        "SELECT s.session, s.parent_session, s.name, s.stop_reason, s.total_tokens, s.tool_calls "
        "FROM 'subagents.parquet' s JOIN 'turns.parquet' t ON s.run = t.run AND s.turn = t.frame",
        "SELECT tool_calls, total_tokens FROM 'turns.parquet' WHERE agent NOT IN ('steady', 'sloth')",
        "SELECT title FROM 'tool_calls.parquet' WHERE agent = 'sloth'",
    )
    assert runs == [("steady", "1.0", "/src/teapot", "2026-09-14 00:00:01.01", 12)]
    assert turns == [(2.55, True, "end_turn", 1, 1, 500, 0.01, 51.0, "5-hour limit")]
    assert models == [("large", 500)]
    assert tools == [("edit", "Mend", "failed", "the agent says that it failed")]
    assert files == [("write", "/src/teapot/spout.py")]

    assert ended == [("c", "s1", "Ada", "end_turn", 1200, 0)]
    assert called == [(1, None)]

    [(title,)] = titles
    assert title.startswith("curl ")
    assert "ghp_" not in title


def test_what_is_no_recording_is_named_and_left_out(tmp_path: Path) -> None:
    make(tmp_path, 0)
    (tmp_path / "bad.jsonl").write_text('{"acp-tui": 99}\n')
    done = export("--parquet", tmp_path / "tables", tmp_path)
    assert done.returncode == 1
    assert "bad.jsonl: line 1: version 99" in done.stderr
    assert "1 runs" in done.stdout


def test_a_page_is_of_one_recording(tmp_path: Path) -> None:
    done = run_program("export", str(make(tmp_path, 0)), str(make(tmp_path, 1)))
    assert done.returncode == 2
    assert b"--parquet and --otlp take several" in done.stderr


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "acp_tui.telemetry.tables", raising=False)
    monkeypatch.setitem(sys.modules, "duckdb", None)  # type: ignore[arg-type]
    done = run_program("export", "--parquet", "x", "y")
    assert done.returncode == 2
    assert (
        done.stderr.decode()
        == "acp-tui export: --parquet needs duckdb: pip install '.[parquet]' in a checkout of acp-tui\n"
    )


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of many recordings."""
    folder = tmp_path_factory.mktemp("fleet")
    for number in range(MANY):
        make(folder, number)
    done = export("--parquet", folder / "tables", folder)
    assert done.returncode == 0, done.stderr
    return folder / "tables"


@pytest.mark.slow
def test_the_queries_answer_what_they_ask(tables: Path) -> None:
    slower, rules, costs, first, endings, fails, rejected, errors, files, tokens = ask(
        tables, *QUERIES
    )
    weeks = {agent: [row[2] for row in slower if row[0] == agent] for agent in AGENTS}
    assert weeks["sloth"] == sorted(weeks["sloth"])
    assert weeks["sloth"][-1] - weeks["sloth"][0] == pytest.approx(7, abs=0.1)
    assert weeks["swift"][-1] == pytest.approx(weeks["swift"][0], abs=0.1)
    assert rules == [("schema", "error", len(range(0, MANY, 15)), 1)]
    assert [(cwd, unit) for cwd, unit, _, _ in costs] == [(one, "USD") for one in REPOSITORIES]
    assert sum(cost for _, _, cost, _ in costs) == pytest.approx(MANY * 0.01)
    assert [(agent, round(seconds[0], 1)) for agent, seconds in first] == [
        (one, 0.5) for one in sorted(AGENTS)
    ]
    assert {(agent, ending) for agent, ending, _ in endings} == {
        (one, "end_turn") for one in AGENTS
    }
    assert fails[0][:2] == ("steady", "edit")
    assert 0.05 < fails[0][3] < 0.2
    assert [row[3] for row in fails[1:]] == [0, 0]
    assert (rejected, errors) == ([], [])
    assert {path for path, _, _ in files} == {f"{one}/spout.py" for one in REPOSITORIES}
    assert {(agent, version) for agent, version, _, _ in tokens} == {
        (one, f"1.{nth}") for one in AGENTS for nth in (0, 1)
    }
