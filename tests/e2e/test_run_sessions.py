"""`acp-tui run` with sessions, MCP servers, folders and mentioned files, as real processes."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from acp_tui.config.settings import PROJECT_FILE
from tests.fake_agent.script import Played, Script
from tests.hosting import Ran, run_turn

CAT = str(shutil.which("cat"))
LISTS = {"agentCapabilities": {"loadSession": True, "sessionCapabilities": {"list": {}}}}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def state(tmp_path: Path) -> dict[str, str]:
    """An environment whose files of state are nobody else's."""
    return {"XDG_STATE_HOME": str(tmp_path / "state"), "SECRET": "s3cret"}


def servers(file: Path, **named: Any) -> Path:
    file.write_text(json.dumps({"mcpServers": named}))
    return file


def test_servers_of_a_named_file_reach_the_agent(
    tmp_path: Path, work: Path, state: dict[str, str]
) -> None:
    file = servers(tmp_path / "mcp.json", a={"command": "cat", "env": {"K": "${SECRET}"}})
    script = Script().handshake().prompt().end_turn()
    ran = run_turn("--mcp-config", str(file), argv=script.argv(tmp_path), cwd=work, env=state)
    assert ran.code == 0
    (new,) = Played(tmp_path).calls("session/new")
    env = [{"name": "K", "value": "s3cret"}]
    assert new["params"]["mcpServers"] == [{"name": "a", "command": CAT, "args": [], "env": env}]


def test_a_project_s_system_prompt_that_is_not_used_is_named(
    tmp_path: Path, work: Path, state: dict[str, str]
) -> None:
    (work / PROJECT_FILE).parent.mkdir(exist_ok=True)
    (work / PROJECT_FILE).write_text('system_prompt = "Be brief."\n')
    argv = Script().handshake().prompt().end_turn().argv(tmp_path)
    ran = run_turn(argv=argv, cwd=work, env=state)
    assert ran.code == 0
    assert "its system prompt is not used, as you don't trust it: acp-tui config trust" in ran.err
    assert "systemPrompt" not in Played(tmp_path).calls("session/new")[0]["params"]


def test_a_project_s_servers_need_trust(tmp_path: Path, work: Path, state: dict[str, str]) -> None:
    servers(work / ".mcp.json", a={"command": "cat"})
    script = Script().handshake().prompt().end_turn()
    argv = script.argv(tmp_path, script)
    ran = run_turn(argv=argv, cwd=work, env=state)
    assert ran.code == 0
    assert "not trusted" in ran.err
    assert Played(tmp_path, 1).calls("session/new")[0]["params"]["mcpServers"] == []
    ran = run_turn("--trust-mcp", argv=argv, cwd=work, env=state)
    assert ran.code == 0
    assert len(Played(tmp_path, 2).calls("session/new")[0]["params"]["mcpServers"]) == 1


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--mcp-config", "missing.json", "can't be read"),
        ("--add-dir", "missing", "not a directory"),
        ("--set", "mode", "OPTION=VALUE"),
        ("--system-prompt", "@.", "'.' can't be read: Is a directory\n"),
        (
            "--system-prompt",
            "@missing.md",
            "'missing.md' can't be read: No such file or directory\n",
        ),
        ("--resume", "--continue", "expected one argument"),
    ],
)
def test_what_can_t_be_meant_is_told(
    work: Path, state: dict[str, str], option: str, value: str, words: str
) -> None:
    ran = run_turn(option, value, argv=["true"], cwd=work, env=state)
    assert ran.code == 2
    assert words in ran.err


def test_further_folders_belong_to_the_session(
    tmp_path: Path, work: Path, state: dict[str, str]
) -> None:
    """Files there can be read without a question."""
    more = tmp_path / "more"
    more.mkdir()
    (more / "a.txt").write_text("there")
    offered = {"agentCapabilities": {"sessionCapabilities": {"additionalDirectories": {}}}}
    script = Script().handshake(offered).prompt()
    params = {"sessionId": "s1", "path": str(more.resolve() / "a.txt")}
    script.request("fs/read_text_file", params, save="read")
    script.expect_answer("read", result={"content": "there"}).end_turn()
    ran = run_turn("--add-dir", str(more), argv=script.argv(tmp_path), cwd=work, env=state)
    Played(tmp_path).check()
    assert ran.code == 0


def run_on(script: Script, folder: Path, work: Path, *options: str, prompt: str = "go") -> Ran:
    ran = run_turn(*options, argv=script.argv(folder), cwd=work, prompt=prompt)
    Played(folder).check()
    return ran


def test_the_newest_session_goes_on(tmp_path: Path, work: Path) -> None:
    info = {"sessionId": "s1", "cwd": str(work.resolve()), "title": "Tea"}
    script = Script().initialize(LISTS).expect("session/list").reply("list", {"sessions": [info]})
    script.expect("session/load").chunk("What was").reply("load").prompt().chunk("More")
    ran = run_on(script.end_turn(), tmp_path, work, "--continue")
    assert ran.code == 0
    assert ran.out == "More\n", "the history was printed again"


def test_without_a_list_nothing_goes_on_but_a_new_session_begins(
    tmp_path: Path, work: Path
) -> None:
    ran = run_on(Script().handshake().prompt().end_turn(), tmp_path, work, "--continue")
    assert ran.code == 0
    assert "This is a new session" in ran.err


def test_without_a_list_the_newest_recorded_session_goes_on(tmp_path: Path, work: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    begins = Script().handshake({"agentCapabilities": {"loadSession": True}}).prompt().end_turn()
    goes_on = Script().initialize({"agentCapabilities": {"loadSession": True}})
    goes_on.expect("session/load", {"sessionId": "s1"}).reply("load").prompt().end_turn()
    argv = begins.argv(tmp_path, goes_on)
    assert run_turn(argv=argv, cwd=work, env=state, prompt="tea").code == 0
    assert run_turn("--continue", argv=argv, cwd=work, env=state, prompt="more").code == 0
    Played(tmp_path, 2).check()


def test_an_agent_that_opens_no_session_again_gets_a_new_one_and_that_is_told(
    tmp_path: Path, work: Path
) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    script = Script().handshake().prompt().end_turn()
    argv = script.argv(tmp_path, script)
    assert run_turn(argv=argv, cwd=work, env=state, prompt="tea").code == 0
    ran = run_turn("--continue", argv=argv, cwd=work, env=state, prompt="more")
    assert ran.code == 0
    assert "This is a new session" in ran.err
    assert "doesn't open an earlier session again" in ran.err


def test_a_session_that_can_t_be_opened_ends_the_run(tmp_path: Path, work: Path) -> None:
    error = {"code": -32002, "message": "Resource not found", "data": {"sessionId": "s9"}}
    script = Script().initialize(LISTS).expect("session/load").reply("load", error=error)
    ran = run_on(script.expect_eof(), tmp_path, work, "--resume", "s9")
    assert ran.code == 1
    assert "Resource not found" in ran.err
    assert "s9" in ran.err


def test_a_mentioned_file_goes_with_the_prompt(tmp_path: Path, work: Path) -> None:
    (work / "a.txt").write_text("one\ntwo\nthree\n")
    offered = {"agentCapabilities": {"promptCapabilities": {"embeddedContext": True}}}
    script = Script().handshake(offered).prompt().end_turn()
    assert run_on(script, tmp_path, work, prompt="Look at @a.txt:2-3.").code == 0
    (prompt,) = Played(tmp_path).calls("session/prompt")
    text, file = prompt["params"]["prompt"]
    assert text["text"] == "Look at @a.txt:2-3."
    assert file["resource"]["text"] == "two\nthree"


def test_an_image_that_nobody_takes_ends_the_run(tmp_path: Path, work: Path) -> None:
    (work / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    ran = run_on(Script().handshake().expect_eof(), tmp_path, work, prompt="See @a.png")
    assert ran.code == 1
    assert "a.png is an image, and the agent takes none" in ran.err


@pytest.mark.parametrize("method", ["load", "resume"])
def test_a_history_that_is_replayed_after_the_answer_is_not_printed(
    tmp_path: Path, work: Path, method: str
) -> None:
    offered = {"loadSession": True} if method == "load" else {"sessionCapabilities": {"resume": {}}}
    script = Script().initialize({"agentCapabilities": offered})
    script.expect(f"session/{method}", save="opened").reply("opened")
    script.update("user_message_chunk", content={"type": "text", "text": "First question"})
    script.chunk("First answer")
    script.update("tool_call", toolCallId="t", title="Read a.py", kind="read", status="completed")
    ran = run_on(script.prompt().chunk("Now").end_turn(), tmp_path, work, "--resume", "s1")
    assert ran.code == 0
    assert ran.out.strip() == "Now"
    assert "Read a.py" not in ran.err
    assert "showed nothing" not in ran.err
