"""`acp-tui doctor`: what is fine, what is missing, and what is wrong, with what to do."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.terminal import terminal
from tests.e2e.test_run_arguments import acp_tui

SUM = re.compile(r"^(no problems|\d problems?: .*)$", re.MULTILINE)
"""The last line."""


@pytest.fixture
def home(tmp_path: Path) -> Mapping[str, str]:
    """Folders of a person for whom nothing is there yet."""
    folders = {name: str(tmp_path / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
    (tmp_path / "config" / "acp-tui").mkdir(parents=True)
    return {f"XDG_{name}_HOME": folder for name, folder in folders.items()}


def facts(home: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
    """Ask for everything; the exit code, and the facts by topic and name."""
    ran = acp_tui("doctor", "--json", env=home)
    found = {f"{one['topic']}: {one['name']}": one for one in json.loads(ran.stdout)}
    return ran.returncode, found


def settings(home: Mapping[str, str], text: str) -> Path:
    path = Path(home["XDG_CONFIG_HOME"], "acp-tui", "settings.toml")
    path.write_text(text)
    return path


def test_where_nothing_is_set_nothing_is_wrong(home: Mapping[str, str]) -> None:
    code, found = facts(home)
    assert code == 0
    assert "wrong" not in [one["mark"] for one in found.values()]
    assert found["acp-tui: version"]["mark"] == "fact"
    assert found["agents: registry"]["mark"] == "not there"
    assert not Path(home["XDG_STATE_HOME"]).exists()


def test_settings_that_are_wrong_are_told_with_their_line(home: Mapping[str, str]) -> None:
    path = settings(home, '\ntheme = "nigth"\n')
    code, found = facts(home)
    assert (code, found["settings: file"]["mark"]) == (1, "wrong")
    assert found["settings: file"]["words"].startswith(f"{path}:2:1: theme:")


def test_a_setting_of_an_earlier_version_is_named_and_is_no_problem(
    home: Mapping[str, str],
) -> None:
    path = settings(home, "bell = false\nvim_mode = true\n")
    code, found = facts(home)
    assert (code, found["settings: file"]["mark"]) == (0, "ok")
    unused = f"{path}:2:1: vim_mode: not used, as there is no such setting anymore"
    assert found["settings: unused"]["words"] == unused


def test_keys_that_cannot_be_used_are_told(home: Mapping[str, str]) -> None:
    path = settings(home, '[keys.prompt]\n"Ctrl+G" = "Ctrl+R"\n')
    code, found = facts(home)
    assert (code, found["settings: file"]["mark"]) == (1, "wrong")
    assert found["settings: file"]["words"].startswith(f"{path}:2:1: keys.prompt.Ctrl+G: ")


def test_agents_of_the_settings_that_are_not_there_are_told(home: Mapping[str, str]) -> None:
    settings(home, '[agents.tea]\ncommand = ["no-such-tea"]\n[agents.sh]\ncommand = ["sh"]\n')
    code, found = facts(home)
    assert code == 1
    assert found["agents: tea"]["mark"] == "wrong"
    assert found["agents: sh"]["mark"] == "ok"
    assert found["agents: sh"]["words"] == "installed, its version isn't known"


def test_well_known_agents_on_path_are_told(home: Mapping[str, str], tmp_path: Path) -> None:
    package = tmp_path / "lib/node_modules/@google/gemini-cli"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "@google/gemini-cli", "version": "0.54.0"}')
    (package / "gemini").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (package / "gemini").chmod(0o755)
    (tmp_path / "gemini").symlink_to(package / "gemini")
    _, found = facts({**home, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    told = f"installed, version 0.54.0: {tmp_path}/gemini --experimental-acp"
    assert found["agents: gemini"]["words"] == told
    assert not (tmp_path / "ran").exists()


def test_a_folder_that_is_a_file_is_told(home: Mapping[str, str]) -> None:
    Path(home["XDG_STATE_HOME"]).write_text("")
    code, found = facts(home)
    assert (code, found["folders: recordings"]["mark"]) == (1, "wrong")


def test_on_a_terminal_it_says_what_kind_it_is(home: Mapping[str, str]) -> None:
    env = {**home, "TERM": "dumb", "COLORTERM": "truecolor", "NO_COLOR": ""}
    told = "kind: dumb: the UI can't be drawn; set TERM, or use --plain"
    with terminal("doctor", env=env, size=(100, 60)) as window:
        assert window.wait_for_exit() == 1
        assert "✗ kind (wrong): dumb: the UI can't be drawn" in window.text
        assert "    size: 100x60" in window.text
        assert "    colors: 16 million" in window.text
        assert re.search(rf"^\d problems?: {re.escape(told)}", window.text, re.MULTILINE)
        assert b"\x1b[3" not in window.written


def test_marks_have_colors_where_the_terminal_has_them(home: Mapping[str, str]) -> None:
    with terminal("doctor", env=home, size=(100, 60)) as window:
        window.wait_until(lambda: SUM.search(window.text), "what is wrong in all")
        assert window.wait_for_exit() == ("no problems" not in window.text)
        assert b"\x1b[32m" in window.written
    with terminal("doctor", env={**home, "NO_COLOR": "1"}, size=(100, 60)) as window:
        window.wait_until(lambda: SUM.search(window.text), "what is wrong in all")
        assert b"\x1b[32m" not in window.written
