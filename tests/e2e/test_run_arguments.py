"""The command line says what is wrong, and what to do, before anything is started."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.fake_agent.script import Played, Script
from tests.hosting import run_turn
from tests.in_process import run_program

AGENT = ["--", "agent"]


def acp_tui(
    *arguments: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    written: str = "",
) -> "subprocess.CompletedProcess[str]":
    ran = run_program(*arguments, cwd=cwd, env=env, stdin=written.encode())
    out, err = ran.stdout.decode(), ran.stderr.decode()
    assert "Traceback" not in err
    return subprocess.CompletedProcess(ran.args, ran.returncode, out, err)


def test_a_prompt_is_not_waited_for_in_a_fifo_that_nobody_writes_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    ran = acp_tui("run", "-f", str(tmp_path / "fifo"), *AGENT)
    assert ran.returncode == 2
    assert "/fifo: it is a FIFO that nobody writes to\n" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", *AGENT], "give one prompt: as PROMPT, with -f FILE, or - for stdin"),
        (["run", "hi", "-f", "x", *AGENT], "give one prompt"),
        (["run", "-f", "/no/such/file", *AGENT], "from /no/such/file: No such file or directory\n"),
        (["run", "-", *AGENT], "the prompt is empty"),
        (["run", " \n", *AGENT], "the prompt is empty"),
        (["run", "hi"], 'as in: acp-tui run "PROMPT" -- my-agent --acp; see acp-tui agents'),
        (["run", "hi", "--"], "or its command after --"),
        (["run", "hi", "there", *AGENT], "unknown argument: there"),
        (["run", "hi", "--frobnicate", *AGENT], "unknown argument: --frobnicate"),
        (["run", "hi", "--restart", "on-failure", *AGENT], "unknown argument: --restart"),
        (["run", "hi", "--permissions", "maybe", *AGENT], "'maybe'"),
        (["run", "hi", "--format", "xml", *AGENT], "'xml'"),
        (["run", "hi", "--timeout", "soon", *AGENT], "a number, not 'soon'"),
        (["run", "hi", "--timeout", "0", *AGENT], "must be over 0"),
        (["run", "hi", "--max-time", "nan", *AGENT], "must be over 0"),
        (["run", "hi", "--cwd", "/no/such/dir", *AGENT], "'/no/such/dir' is not a directory"),
        (["run", "hi", "--env", "KEY", *AGENT], "--env wants NAME=VALUE, not 'KEY'"),
        (["run", "hi", "--agent", "tea"], "no agent is called 'tea'"),
        (["--agent", "tea"], "no agent is called 'tea', and no program on PATH is"),
        ([], "the UI needs a terminal"),
        (["gemini", "--acp"], "options of the agent follow --, as in: acp-tui -- gemini --acp"),
        (["--cwd", "/", "run", "hi", "demo", *AGENT], "unknown argument: demo"),
        (["demo", *AGENT], "the demo brings its own agent"),
        (AGENT, 'the UI needs a terminal; without one, use: acp-tui run "PROMPT" -- COMMAND'),
    ],
)
def test_a_mistake_is_named(arguments: list[str], words: str) -> None:
    ran = acp_tui(*arguments)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert words in ran.stderr


def test_a_folder_that_is_gone_is_a_mistake_to_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for settings in ({}, {"ACP_TUI_BELL": "true"}):
        ran = acp_tui("run", "hi", *AGENT, env=settings)
        assert ran.returncode == 2
        assert "this folder no longer exists" in ran.stderr


def test_help_tells_the_exit_codes() -> None:
    ran = acp_tui("run", "--help")
    assert ran.returncode == 0
    for words in (
        "--permissions",
        "--auth",
        "--max-time",
        "3 timeout",
        "130 interrupted (by SIGINT, SIGTERM",
    ):
        assert words in ran.stdout


def test_the_version() -> None:
    from acp_tui import __version__

    assert acp_tui("--version").stdout == f"acp-tui {__version__}\n"


def test_a_relative_command_is_found_from_here_whatever_the_folder(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    argv = Script().handshake().prompt().chunk("found").end_turn().argv(tmp_path)
    agent = tmp_path / "agent.sh"
    agent.write_text("#!/bin/sh\nexec " + " ".join(argv) + "\n")
    agent.chmod(0o755)
    for name in ("./agent.sh", "../" + tmp_path.name + "/agent.sh"):
        ran = run_turn("--cwd", "sub", argv=[name], cwd=tmp_path)
        assert (ran.code, ran.out) == (0, "found\n")


def test_what_follows_the_dashes_is_the_agents(tmp_path: Path) -> None:
    code = "import os, sys; print(sys.argv[1:], os.environ['K'], os.getcwd(), file=sys.stderr)"
    argv = [sys.executable, "-c", code, "--cwd", "x y", "--", "$HOME"]
    ran = run_turn("--env", "K=a=b", "--cwd", str(tmp_path), argv=argv)
    assert ran.code == 1
    assert f"agent: ['--cwd', 'x y', '--', '$HOME'] a=b {os.path.realpath(tmp_path)}" in ran.err


def test_an_agent_of_the_settings_is_run_by_its_name(tmp_path: Path) -> None:
    argv = Script().handshake().prompt().chunk("leaves").end_turn().argv(tmp_path)
    (tmp_path / "acp-tui").mkdir()
    settings = f"[agents.tea]\ncommand = {json.dumps(argv)}\n[agents.bread]\ncommand = ['x']\n"
    (tmp_path / "acp-tui" / "settings.toml").write_text(settings, "utf-8")
    env = {"XDG_CONFIG_HOME": str(tmp_path)}
    ran = acp_tui("run", "--no-record", "--agent", "tea", "hi", env=env)
    assert (ran.returncode, ran.stdout) == (0, "leaves\n")
    for arguments, words in (
        (["run", "hi", "--agent", "tea", *AGENT], "one turn is for one agent"),
        (["--agent", "tea", "--agent", "bread", "--resume", "x"], "--resume is for one agent"),
        (["--agent", "milk"], "settings.toml names: tea, bread"),
        (["run", "hi"], "name an agent with --agent (tea, bread)"),
    ):
        ran = acp_tui(*arguments, env=env)
        assert ran.returncode == 2
        assert words in ran.stderr


def test_a_client_of_the_settings_that_is_not_there_is_told_of_and_not_used(tmp_path: Path) -> None:
    argv = Script().handshake().prompt().chunk("leaves").end_turn().argv(tmp_path)
    (tmp_path / "acp-tui").mkdir()
    settings = f"[agents.tea]\ncommand = {json.dumps(argv)}\nclient = 'gone.toml'\n"
    (tmp_path / "acp-tui" / "settings.toml").write_text(settings, "utf-8")
    env = {"XDG_CONFIG_HOME": str(tmp_path)}
    ran = acp_tui("run", "--no-record", "--agent", "tea", "hi", env=env)
    assert (ran.returncode, ran.stdout) == (0, "leaves\n")
    assert "acp-tui: client: " in ran.stderr


DEMO = ["--", sys.executable, "-m", "acp_tui.demo_agent"]


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_system_prompt_of_a_file_reaches_the_agent(version: str, tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text("Be brief.")
    given = ["--no-record", "--protocol", version, "--system-prompt", "@prompt.md"]
    ran = acp_tui("run", *given, "--system-prompt-mode", "override", "system", *DEMO, cwd=tmp_path)
    assert ran.stdout == "Your system prompt, in the mode `override`:\n\nBe brief.\n"


@pytest.mark.parametrize("version", ["1", "2"])
def test_the_quota_of_a_plan_is_warned_of(version: str, tmp_path: Path) -> None:
    given = ["--no-record", "--protocol", version, "/quota 91 fast"]
    ran = acp_tui("run", *given, *DEMO, cwd=tmp_path)
    assert ran.returncode == 0
    assert "acp-tui: 91% of the 5-hour limit is used: It resets" in ran.stderr


def test_in_a_conversation_no_turn_begins_over_the_limit_for_quota(tmp_path: Path) -> None:
    given = ["--plain", "--no-record", "--max-quota", "90"]
    lines = "/quota 91 fast\n/markdown fast\n"
    ran = acp_tui(*given, *DEMO, cwd=tmp_path, written=lines)
    assert ran.returncode == 3
    refused = "acp-tui: not sent: 91% of the 5-hour limit is used, and --max-quota is 90. It resets"
    assert ran.stderr.count(refused) == 1
    assert "Heading" not in ran.stdout


@pytest.mark.parametrize("percent", ["0", "101", "much", "nan"])
def test_a_limit_for_quota_is_a_percentage(percent: str, tmp_path: Path) -> None:
    ran = acp_tui("run", "--max-quota", percent, "hi", *DEMO, cwd=tmp_path)
    assert ran.returncode == 2
    assert f"a percentage from 1 to 100, not {percent!r}" in ran.stderr


def test_the_meta_of_a_session_is_of_the_option_and_the_agents_setting(tmp_path: Path) -> None:
    script = Script().initialize()
    script.expect("session/new", {"_meta": {"a": {"b": [1]}, "c": False, "d": 4}})
    script.reply("new", {"sessionId": "s1"}).prompt().end_turn()
    folder = tmp_path / "config" / "acp-tui"
    folder.mkdir(parents=True)
    argv = script.argv(tmp_path)
    (folder / "settings.toml").write_text(
        f"[agents.mine]\ncommand = {argv}\nmeta = {{ c = true, d = 4 }}\n"
    )
    given = ["--no-record", "--meta", 'a={"b":[1]}', "--meta", "c=false", "--agent", "mine", "hi"]
    ran = acp_tui("run", *given, cwd=tmp_path, env={"XDG_CONFIG_HOME": str(tmp_path / "config")})
    assert ran.returncode == 0, ran.stderr
    Played(tmp_path).check()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("a", "--meta wants KEY=JSON, not 'a'"),
        ("={}", "--meta wants KEY=JSON"),
        ("a={b}", "--meta a: '{b}' is not JSON"),
        ("a=NaN", "--meta a: 'NaN' is not JSON"),
    ],
)
def test_a_meta_that_is_no_json_starts_no_agent(given: str, words: str, tmp_path: Path) -> None:
    ran = acp_tui("run", "--meta", given, "hi", *DEMO, cwd=tmp_path)
    assert ran.returncode == 2
    assert words in ran.stderr


def test_an_agent_without_system_prompts_is_not_prompted(tmp_path: Path) -> None:
    script = Script().initialize().expect_eof()
    given = ["--no-record", "--system-prompt", "Be brief.", "hi", "--"]
    ran = acp_tui("run", *given, *script.argv(tmp_path), cwd=tmp_path)
    assert ran.returncode == 1
    assert "takes no system prompt: it doesn't offer systemPrompt" in ran.stderr
    assert Played(tmp_path).calls("session/new") == []


def test_a_mode_is_chosen_before_the_session(tmp_path: Path) -> None:
    given = ["--no-record", "--unstable", "--protocol", "2", "--findings", "hi"]
    ran = acp_tui("run", "--set", "mode=plan", *given, *DEMO, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    ran = acp_tui("run", "--set", "mode=fly", *given, *DEMO, cwd=tmp_path)
    assert ran.returncode == 1
    assert "The agent offers no value 'fly' of mode, but ask, " in ran.stderr


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["--system-prompt", "@none.md"], "--system-prompt: 'none.md' can't be read"),
        (["--system-prompt", " "], "--system-prompt: it is empty"),
        (["--system-prompt-mode", "append"], "--system-prompt-mode is for --system-prompt"),
    ],
)
def test_a_system_prompt_that_is_none_starts_nothing(
    given: list[str], why: str, tmp_path: Path
) -> None:
    ran = acp_tui("run", *given, "hi", *AGENT, cwd=tmp_path)
    assert ran.returncode == 2
    assert why in ran.stderr
