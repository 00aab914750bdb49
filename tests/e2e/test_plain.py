"""`acp-tui --plain`: a conversation by lines, on a terminal and from a pipe."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.testing.script import Played
from tests.e2e.terminal import terminal
from tests.fake_agent.script import OPTIONS, Script
from tests.in_process import run_program

CTRL_C, CTRL_D = "\x03", "\x04"
RUNS = {"title": "Pour?", "kind": "execute", "rawInput": {"command": "pour tea", "cwd": "/"}}


def pouring() -> Script:
    """A turn that asks for permission."""
    script = Script().handshake().prompt().chunk("Now:\n").ask_permission(RUNS)
    return script.expect_answer("ask").end_turn()


def answered(played: Played) -> dict[str, str]:
    """What the agent's question was answered with."""
    (outcome,) = [
        one["result"]["outcome"] for one in played.messages if "outcome" in one.get("result", {})
    ]
    return dict(outcome)


def test_a_turn_is_lines_and_moves_no_cursor(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("plain *tea*\x1b[2J\n").end_turn()
    with terminal("--plain", "--", *script.argv(tmp_path), env={"TERM": "dumb"}) as window:
        window.wait_for(":help lists")
        window.type_line("hello")
        window.wait_for("the turn took")
        assert "plain *tea*" in window.text
        assert b"\x1b" not in window.written
        window.type_line(":help")
        window.wait_for("Ctrl+C cancels the turn")
        window.type_line(":nonsense")
        window.wait_for("there is no :nonsense")
        window.send(CTRL_D)
        assert window.wait_for_exit() == 0


@pytest.mark.parametrize("options", [(), ("--show-stderr",)])
def test_what_the_agent_writes_to_stderr_is_printed_only_when_asked(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    script = Script().handshake().stderr("warming up\n").prompt().chunk("tea\n").end_turn()
    given = ("--plain", *options, "--no-record", "--", *script.argv(tmp_path))
    ran = run_program(*given, stdin=b"hello\n")
    assert ran.returncode == 0
    assert (b"agent: warming up" in ran.stderr) is bool(options)


@pytest.mark.parametrize("command", [["demo"], ["--", "agent"]])
def test_an_option_of_lines_is_refused_on_a_screen(command: list[str]) -> None:
    at = command.index("--") if "--" in command else len(command)
    words = [*command[:at], "--show-stderr", *command[at:]]
    ran = run_program(*words)
    assert ran.returncode == 2
    assert b"--show-stderr is for --plain" in ran.stderr


@pytest.mark.parametrize("option", ["--choose-options", "--keep"])
def test_what_needs_the_screen_is_refused(option: str) -> None:
    ran = run_program("demo", "--plain", option)
    assert ran.returncode == 2
    assert f"{option} is for the screen: leave out --plain" in ran.stderr.decode()


def test_an_option_is_set_and_said_however_wrong_the_one_before_was(tmp_path: Path) -> None:
    with terminal("demo", "--plain") as window:
        window.wait_for(":help lists")
        window.type_line(":set")
        window.wait_for("mode is ask; offered: ask, edit, plan")
        window.type_line(":set mode=nix")
        window.wait_for("There is no mode 'nix'; offered: ask, edit, plan")
        window.type_line(":set mode=plan")
        window.wait_for("acp-tui: mode is plan")
        window.type_line(":quit now")
        window.wait_for(":quit takes nothing")
        window.type_line(":quit")
        assert window.wait_for_exit() == 0
        assert window.text.count("There is no mode") == 1


def test_a_command_that_quits_other_programs_is_not_sent(tmp_path: Path) -> None:
    with terminal("--plain", "--", *Script().handshake().argv(tmp_path)) as window:
        window.wait_for(":help lists")
        window.type_line("/exit")
        assert window.wait_for_exit() == 0
    assert Played(tmp_path).calls("session/prompt") == []


def test_commands_for_help_and_a_new_session_are_not_sent(tmp_path: Path) -> None:
    with terminal("--plain", "--", *Script().handshake().argv(tmp_path)) as window:
        window.wait_for(":help lists")
        window.type_line("/help")
        window.wait_for(":drop   discard")
        window.type_line("/clear")
        window.wait_for("for a new one, quit and start again")
        window.type_line("/quit")
        assert window.wait_for_exit() == 0
    assert Played(tmp_path).calls("session/prompt") == []


def test_no_line_of_the_agent_s_passes_for_one_of_ours(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("tea\nacp-tui: trus").chunk("ted\n\n1) [allow")
    script = script.chunk(" once]\n").chunk("Your answer: ").end_turn()
    with terminal("--plain", "--", *script.argv(tmp_path)) as window:
        window.wait_until(lambda: window.text.rstrip().endswith("\n>"), "asked for a prompt")
        window.type_line("hello")
        window.wait_for("the turn took")
        said = window.text.split("hello", 1)[1].replace("\r", "").split("acp-tui: the turn", 1)[0]
    assert [line for line in said.split("\n") if line] == [
        "| tea",
        "| acp-tui: trusted",
        "|",
        "| 1) [allow once]",
        "| Your answer:",
    ]


def test_words_reject_and_are_the_next_prompt_and_nothing_else_allows(tmp_path: Path) -> None:
    script = pouring().prompt().chunk("as you like\n").end_turn()
    with terminal("--plain", "--", *script.argv(tmp_path)) as window:
        window.wait_for(":help lists")
        window.type_line("tea")
        window.wait_for("$ pour tea")
        window.wait_for("outside the session's folder: /")
        window.wait_for("or why not:")
        window.send("\r")
        window.wait_for("A number from 1 to")
        window.send("7\r")
        window.wait_until(lambda: window.text.count("A number from 1 to") == 2, "asked again")
        window.type_line("no, coffee")
        window.wait_for("as you like")
    said = Played(tmp_path)
    assert answered(said)["optionId"] == "no"
    prompts = [one["params"]["prompt"][0]["text"] for one in said.calls("session/prompt")]
    assert prompts == ["tea", "no, coffee"]


def test_a_number_allows(tmp_path: Path) -> None:
    with terminal("--plain", "--", *pouring().argv(tmp_path)) as window:
        window.wait_for(":help lists")
        window.type_line("tea")
        window.wait_for("or why not:")
        window.send("1\r")
        window.wait_for("the turn took")
    assert answered(Played(tmp_path))["outcome"] == "selected"


def test_a_subagent_that_asks_between_turns_is_announced_and_its_question_waits_for_enter(
    tmp_path: Path,
) -> None:
    """A question at once would discard what the person is writing."""
    script = Script().handshake().prompt()
    script.update("subagent_update", sessionId="c", title="Ada", state={"state": "running"})
    script.end_turn().until(tmp_path / "asks")
    asked = {"sessionId": "c", "toolCall": {"toolCallId": "t", **RUNS}, "options": OPTIONS}
    script.request("session/request_permission", asked, save="ask").expect_answer("ask")
    script.prompt().chunk("bye\n").end_turn()
    with terminal("--plain", "--", *script.argv(tmp_path)) as window:
        window.wait_for(":help lists")
        window.type_line("tea")
        window.wait_for("the turn took")
        (tmp_path / "asks").touch()
        window.wait_for("the agent asks for its subagent Ada: Enter alone shows the question")
        assert "pour tea" not in window.text
        window.send("\r")
        window.wait_for("or why not:")
        window.send("1\r")
        window.wait_for(": allow once")
        window.type_line("thanks")
        window.wait_for("bye")
    said = Played(tmp_path)
    assert answered(said) == {"outcome": "selected", "optionId": "yes"}
    prompts = [one["params"]["prompt"][0]["text"] for one in said.calls("session/prompt")]
    assert prompts == ["tea", "thanks"]


def test_what_is_asked_between_turns_is_rejected_at_once_where_nobody_can_answer(
    tmp_path: Path,
) -> None:
    script = Script().handshake().prompt().end_turn().sleep(0.1).ask_permission(RUNS)
    script.expect_answer("ask").prompt().end_turn()
    argv = [sys.executable, "-m", "acp_tui", "--plain", "--no-record", "--"]
    with subprocess.Popen(
        [*argv, *script.argv(tmp_path)],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    ) as plain:
        assert plain.stdin is not None
        assert plain.stderr is not None
        plain.stdin.write(b"tea\n")
        plain.stdin.flush()
        for line in plain.stderr:
            if line.startswith(b"permission: "):
                break
        plain.stdin.write(b"thanks\n")
        plain.stdin.close()
        plain.stderr.read()
    assert answered(Played(tmp_path))["optionId"] == "no"
    assert len(Played(tmp_path).calls("session/prompt")) == 2


def test_ctrl_c_cancels_the_turn_at_a_question_too_and_then_leaves(tmp_path: Path) -> None:
    script = Script().handshake().prompt().ask_permission(RUNS).expect_answer("ask")
    script = script.expect("session/cancel").end_turn("cancelled")
    with terminal("--plain", "--", *script.argv(tmp_path)) as window:
        window.wait_for(":help lists")
        window.type_line("tea")
        window.wait_for("or why not:")
        window.send(CTRL_C)
        window.wait_for("canceled")
        window.send(CTRL_C)
        assert window.wait_for_exit() == 0
    assert answered(Played(tmp_path)) == {"outcome": "cancelled"}


def test_what_is_pasted_waits_for_enter_and_is_one_prompt(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("both\n").end_turn()
    with terminal("--plain", "--", *script.argv(tmp_path)) as window:
        window.wait_for(":help lists")
        window.send("one\rtwo\r")
        window.wait_for("2 lines: Enter sends them")
        window.send(":drop\r")
        window.send("three\rfour\r")
        window.wait_for("four")
        window.wait_until(lambda: window.text.count("2 lines: Enter") == 2, "pasted again")
        window.send("\r")
        window.wait_for("the turn took")
    (prompt,) = Played(tmp_path).calls("session/prompt")
    assert prompt["params"]["prompt"][0]["text"] == "three\nfour"


def test_when_the_agent_goes_it_says_why_and_leaves(tmp_path: Path) -> None:
    script = Script().handshake().prompt().exit(3)
    with terminal("--plain", "--", *script.argv(tmp_path)) as window:
        window.wait_for(":help lists")
        window.type_line("tea")
        window.wait_for("exited with code 3")
        assert window.wait_for_exit() == 1


def test_lines_of_a_pipe_are_prompts_and_nobody_is_asked(tmp_path: Path) -> None:
    script = pouring().prompt().chunk("done\n").end_turn()
    ran = run_program("--plain", "--", *script.argv(tmp_path), cwd=tmp_path, stdin=b"first\nsecond")
    assert (ran.returncode, ran.stdout) == (0, b"Now:\ndone\n")
    said = Played(tmp_path)
    assert answered(said)["optionId"] == "no"
    prompts = [one["params"]["prompt"][0]["text"] for one in said.calls("session/prompt")]
    assert prompts == ["first", "second"]


def test_what_is_piped_stays_utf_8_where_a_terminal_would_get_ascii(tmp_path: Path) -> None:
    words = "漢字 👩‍💻 שלום → ok\n"
    script = Script().handshake().prompt().chunk(words).end_turn()
    env = {name: value for name, value in os.environ.items() if name != "PYTHONIOENCODING"}
    ran = subprocess.run(
        [sys.executable, "-m", "acp_tui", "--plain", "--", *script.argv(tmp_path)],
        input=b"hi",
        capture_output=True,
        env=env | {"LC_ALL": "C", "TERM": "dumb"},
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout.decode()) == (0, words), ran.stderr.decode()


def test_the_demo_is_talked_to_by_lines() -> None:
    with terminal("demo", "--plain", env={"TERM": "dumb", "ACP_DEMO_SPEED": "0"}) as window:
        window.wait_for(":help lists")
        window.type_line("/permission")
        window.wait_for("Your answer [1-4]")
        window.type_line("1")
        window.wait_for("You chose **Yes, pour it**")
        assert b"\x1b" not in window.written
        window.send(CTRL_D)
        assert window.wait_for_exit() == 0
