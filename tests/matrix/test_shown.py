"""A matrix is kept, compared with an earlier one, and written so that an agent's words are text."""

import json
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import pytest

from acp_tui.cli.main import run
from acp_tui.cli.matrix_screen import table
from acp_tui.config.errors import ConfigError
from acp_tui.config.paths import matrix_folder
from acp_tui.matrix import kept
from acp_tui.matrix.model import Answer, Cell, Column, How, Matrix, changes, newcomers
from acp_tui.matrix.report import Since, html, markdown

NASTY = "a|b <script>alert(1)</script> \x1b[31m"


def made(day: str, **cells: str) -> Matrix:
    found = {row: Cell(text, How.HANDSHAKE, 2) for row, text in cells.items()}
    return Matrix(f"{day}T10:00:00+00:00", [Column("tea", "tea --acp", found)])


def test_what_was_not_tested_is_no_change() -> None:
    before = made("2026-01-01", a="yes", b=Answer.NOT_SEEN, c="1.0")
    after = made("2026-02-01", a=Answer.NOT_TESTED, b="yes", c="1.1", d="no")
    assert [(one.row, one.before, one.after) for one in changes(before, after)] == [
        ("c", "1.0", "1.1")
    ]
    other = Matrix(after.made, [*after.columns, Column("new", "new")])
    assert newcomers(before, other) == ["new"]


def test_the_last_one_up_to_a_day_is_compared_with(tmp_path: Path) -> None:
    all_made = [made(day, a=day) for day in ("2026-01-01", "2026-01-05", "2026-02-01")]
    for matrix in all_made:
        kept.keep(matrix, tmp_path)
    assert kept.last(tmp_path) == all_made[2]
    found = [
        kept.earlier(tmp_path, all_made[2], date(2026, month, day)).made[:10]
        for month, day in ((1, 1), (1, 20), (2, 1))
    ]
    assert found == ["2026-01-01", "2026-01-05", "2026-01-05"]
    assert kept.earlier(tmp_path, all_made[2], date(2025, 1, 1)) == all_made[0]
    with pytest.raises(ConfigError, match="no earlier matrix"):
        kept.earlier(tmp_path, all_made[0], date(2026, 1, 1))


def test_one_agent_is_one_wherever_they_are_counted() -> None:
    matrix = made("2026-01-01", a="yes")
    both = Matrix(matrix.made, [*matrix.columns, Column("new", "new")])
    assert table(matrix, None).about == "1 agent, 2026-01-01 10:00"
    assert table(both, None).about == "2 agents, 2026-01-01 10:00"
    assert next(iter(markdown(matrix))) == "# What 1 ACP agent can do"
    assert "<title>What 1 ACP agent can do</title>" in "\n".join(html(matrix))


def test_the_words_of_an_agent_are_nothing_but_text() -> None:
    matrix = made("2026-01-01", **{"agent.name": NASTY})
    since = Since("2025-01-01", changes(made("2025-01-01", **{"agent.name": "x"}), matrix), [])
    page = "\n".join(html(matrix, since))
    seen: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            seen.append(tag)

    Reader().feed(page)
    assert "script" not in seen
    assert "\x1b" not in page
    assert "alert(1)" in page
    row = next(line for line in markdown(matrix) if line.startswith("| name"))
    assert row.count(" | ") == 1
    assert r"a\|b \<script\>" in row


def test_the_command_shows_the_last_one_and_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert run(["matrix", "--last"]) == 2
    assert "no matrix was made yet" in capsys.readouterr().err
    for matrix in (made("2026-01-01", a="yes"), made("2026-02-01", a="no")):
        kept.keep(matrix, matrix_folder())
    assert run(["matrix", "--last", "--format", "json", "--since", "2026-01-03"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["since"] == "2026-01-01T10:00"
    assert told["changes"] == [{"agent": "tea", "row": "a", "before": "yes", "after": "no"}]
    assert told["agents"][0]["cells"]["a"] == {"value": "no", "how": "handshake", "frame": 2}


def test_programs_of_a_registry_are_started_only_after_a_yes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "tea-agent"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    registry = tmp_path / "registry.json"
    entry = {"id": "tea", "distribution": {"uvx": {"package": "tea-agent==1.0", "args": ["--acp"]}}}
    registry.write_text(json.dumps({"agents": [entry, {"id": 1}]}))
    assert run(["matrix", "--registry", str(registry)]) == 2
    told = capsys.readouterr().err
    assert f"tea: {program} --acp" in told
    assert "agent 2 has no usable id: left out" in told
    assert not ran.exists()
    assert run(["matrix", "--registry", str(registry), "--yes"]) == 2
    assert "tea: " in capsys.readouterr().err
    assert ran.exists()
