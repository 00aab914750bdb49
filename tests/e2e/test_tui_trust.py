"""The MCP servers of a project: a person judges them by the file before a session has them."""

import json
import shutil
from pathlib import Path

import pytest

from acp_tui.headless.keyboard import SEVERAL_LINES
from tests.e2e.terminal import ENTER, ESCAPE, Terminal, terminal
from tests.fake_agent.script import Played, Script

CAT = str(shutil.which("cat"))
DOWN = "\x1b[B"
ASKED = "wants the agent to use MCP servers"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    name(folder, "tea")
    return folder


def name(work: Path, server: str) -> None:
    """Write the project's file; a comment beside the servers would like to be more than text."""
    servers = {server: {"command": "cat", "args": ["-u"]}}
    file = {"mcpServers": servers, "note": "\x9d2;owned\x9c[red]"}
    (work / ".mcp.json").write_text(json.dumps(file, ensure_ascii=False), "utf-8")


def leave(it: Terminal) -> None:
    it.leave()
    assert it.wait_for_exit() == 0


def test_servers_are_left_out_until_they_are_trusted_and_then_not_asked_about_again(
    tmp_path: Path, work: Path
) -> None:
    argv = Script().handshake().argv(tmp_path, Script().handshake(), Script().handshake())
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    given = ("--cwd", str(work), "--", *argv)
    with terminal(*given, env=state) as it:
        it.send(ENTER)  # typed before the question is there
        it.wait_for(ASKED)
        it.wait_for('"tea"')
        assert "]2;owned" not in it.text
        it.wait_for_keys()
        it.send(ESCAPE)
        it.wait_for("○ ready")
        it.wait_for("not trusted, so its MCP servers")
        assert b"]2;owned" not in it.written
    assert not (tmp_path / "state" / "acp-tui" / "trusted.json").exists()
    with terminal(*given, env=state) as it:
        it.wait_for(ASKED)
        it.wait_for_keys()
        it.send(DOWN)
        it.send(ENTER)
        it.wait_for("○ ready")
        leave(it)
    with terminal(*given, env=state) as it:
        it.wait_for("○ ready")
        assert ASKED not in it.text
        leave(it)
    servers = [{"name": "tea", "command": CAT, "args": ["-u"], "env": []}]
    opened = [Played(tmp_path, start).calls("session/new") for start in (1, 2, 3)]
    assert [new["params"]["mcpServers"] for (new,) in opened] == [[], servers, servers]


@pytest.mark.slow
def test_an_agent_that_dies_meanwhile_is_asked_for_its_servers_no_second_time(
    tmp_path: Path, work: Path
) -> None:
    argv = Script().initialize().exit(3).argv(tmp_path, Script().handshake())
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with terminal("--cwd", str(work), "--", *argv, env=state) as it:
        it.wait_for(ASKED)
        it.wait_for_keys()
        it.send("2")
        it.wait_for("exited with code 3")
        it.wait_until(lambda: ASKED not in it.text, "answered question")
        it.send("\x1ba")
        it.wait_for("○ ready")
        leave(it)
    assert len(Played(tmp_path, 2).calls("session/new")[0]["params"]["mcpServers"]) == 1
    assert (tmp_path / "state" / "acp-tui" / "trusted.json").exists()


def test_without_ui_the_whole_file_is_shown_too(tmp_path: Path, work: Path) -> None:
    """What a variable makes a program load is as good as the program."""
    servers = {"tea": {"command": "cat", "env": {"LD_PRELOAD": "./evil.so"}}}
    file = {"mcpServers": servers, "note": "\x9d2;owned\x9c"}
    (work / ".mcp.json").write_text(json.dumps(file, indent=2, ensure_ascii=False), "utf-8")
    argv = Script().handshake().prompt().end_turn().argv(tmp_path)
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with terminal("run", "--cwd", str(work), "go", "--", *argv, env=state) as it:
        it.send("n\n")  # before there is a question: it answers none
        it.wait_for("Trust this file here? [y/N]")
        it.wait_for('"LD_PRELOAD": "./')
        it.send("y\nwhat follows it in a paste\n")
        it.wait_for(SEVERAL_LINES)
        it.wait_until(lambda: it.text.count("Trust this file here?") == 2, "the question again")
        it.send("y\n")
        assert it.wait_for_exit() == 0
        assert b"\x1b" not in it.written
    assert len(Played(tmp_path).calls("session/new")[0]["params"]["mcpServers"]) == 1
