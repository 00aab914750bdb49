"""A matrix is written so that an agent's words are text; programs of a registry need a yes."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from acp_tui.cli.main import run
from acp_tui.cli.matrix import matrix_table
from acp_tui.matrix.model import Matrix, MatrixCell, MatrixColumn, ObservedBy
from acp_tui.matrix.report import matrix_html, matrix_markdown

NASTY = "a|b <script>alert(1)</script> \x1b[31m"


def made(day: str, **cells: str) -> Matrix:
    found = {row: MatrixCell(text, ObservedBy.HANDSHAKE, 2) for row, text in cells.items()}
    return Matrix(f"{day}T10:00:00+00:00", [MatrixColumn("tea", "tea --acp", found)])


def test_one_agent_is_one_wherever_they_are_counted() -> None:
    matrix = made("2026-01-01", a="yes")
    both = Matrix(matrix.made, [*matrix.columns, MatrixColumn("new", "new")])
    assert matrix_table(matrix).about == "1 agent, 2026-01-01 10:00"
    assert matrix_table(both).about == "2 agents, 2026-01-01 10:00"
    assert next(iter(matrix_markdown(matrix))) == "# What 1 ACP agent can do"
    assert "<title>What 1 ACP agent can do</title>" in "\n".join(matrix_html(matrix))


def test_the_words_of_an_agent_are_nothing_but_text() -> None:
    matrix = made("2026-01-01", **{"agent.name": NASTY})
    page = "\n".join(matrix_html(matrix))
    seen: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            seen.append(tag)

    Reader().feed(page)
    assert "script" not in seen
    assert "\x1b" not in page
    assert "alert(1)" in page
    row = next(line for line in matrix_markdown(matrix) if line.startswith("| name"))
    assert row.count(" | ") == 1
    assert r"a\|b \<script\>" in row


def test_without_names_it_takes_the_agents_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert run(["matrix", "--dry-run"]) == 2
    assert "settings.toml names no agents; name some: acp-tui matrix" in capsys.readouterr().err
    settings = tmp_path / "acp-tui" / "settings.toml"
    settings.parent.mkdir()
    settings.write_text(
        '[agents.tea]\ncommand = ["brew"]\n[agents.bread]\ncommand = ["bake", "--acp"]\n'
    )
    assert run(["matrix", "--dry-run"]) == 0
    assert capsys.readouterr().out == "tea: brew\nbread: bake --acp\n"


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
