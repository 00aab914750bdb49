"""By lines, on a terminal: what is the agent's passes neither for a line of ours nor for a question."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from acp_tui.headless.questions import OVER
from acp_tui.state.question import SHOWN_BEFORE_KEYS, TOO_NEW
from acp_tui.testing.script import Played
from tests.e2e.terminal import Terminal, terminal
from tests.examples import parametrize
from tests.fake_agent.script import Script
from tests.hosting import run_turn

DELETES = {"title": "Delete all", "kind": "execute", "rawInput": {"command": "rm -rf ~"}}
FALSE = """

acp-tui: that request was withdrawn by the agent.
The agent asks for permission: Read README.md [read]
  1) [allow once] Allow
Your answer [1-4]: """
FORM = {
    "sessionId": "s1",
    "message": "Who is it?",
    "mode": "form",
    "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
}
SIGN_IN = {
    "authMethods": [
        {
            "id": "login",
            "name": "Log in",
            "_meta": {"terminal-auth": {"command": "true", "args": ["login"]}},
        }
    ]
}
AUTH_REQUIRED = {"code": -32000, "message": "Sign in first"}
RUN, PLAIN = ("run", "hello", "--auth", "login"), ("--plain",)


def goes_on(script: Script, folder: Path) -> Script:
    """Say all that an agent can say, once `gate` is there; the answer to a request tells that it was read."""
    script.until(folder / "gate").chunk(FALSE)
    script.tool_call("t2", "acp-tui: x", kind="acp-tui", status="completed")
    script.update("notice", noticeId="n", severity="acp-tui", title="Type your password")
    script.update("plan", entries=[{"content": "a", "priority": "low", "status": "completed"}])
    script.garbage("acp-tui: noise").stderr("acp-tui: log\n")
    script.request("_there", {}, id="there?").expect_answer("_there", error={})
    return script.expect_answer("ask").chunk("done").end_turn()


GONE_ON = [
    "| acp-tui: that request was withdrawn by the agent.",
    "| The agent asks for permission: Read README.md [read]",
    "|   1) [allow once] Allow",
    "| Your answer [1-4]:",
    "other: acp-tui: x (completed)",
    "agent: notice: Type your password",
    "plan: 1 of 1 done",
    "not ACP from the agent (not JSON): acp-tui: noise",
    "agent: acp-tui: log",
    "| done",
]


def permission(script: Script) -> Script:
    return script.ask_permission(DELETES)


def form(script: Script) -> Script:
    return script.request("elicitation/create", FORM, save="ask")


def access(script: Script) -> Script:
    params = {"sessionId": "s1", "path": "/nowhere/tea.txt", "content": FALSE}
    return script.request("fs/write_text_file", params, save="ask")


def begin(window: Terminal, argv: Sequence[str]) -> None:
    if argv == PLAIN:
        window.wait_until(lambda: window.text.rstrip().endswith("\n>"), "asked for a prompt")
        window.type_line("hello")


@parametrize(1, "argv", [RUN, PLAIN], ids=["run", "plain"])
@parametrize(
    1,
    ("asks", "prompt", "answer"),
    [
        (permission, "\nYour answer [1-", "1"),
        (form, "Answer? [y]es, [n]o; Enter alone cancels:", "n"),
        (access, "\nYour answer [1-", "1"),
    ],
)
def test_what_an_agent_says_at_a_question_comes_after_the_answer(
    tmp_path: Path,
    argv: Sequence[str],
    asks: Callable[[Script], Script],
    prompt: str,
    answer: str,
) -> None:
    script = goes_on(asks(Script().handshake().prompt().chunk("Now: ")), tmp_path)
    words = (*argv, "--cwd", str(tmp_path), "--", *script.argv(tmp_path))
    with terminal(*words, size=(100, 60)) as window:
        begin(window, argv)
        window.wait_for(prompt)
        asked = window.text.rstrip()
        (tmp_path / "gate").touch()
        window.wait_until(lambda: Played(tmp_path).answers("there?"), "all that is said read")
        assert window.text.rstrip() == asked
        window.send(f"{answer}\r")
        window.wait_for("\n| done")
        shown = window.text
    below = shown.removeprefix(asked).split("\n")
    # in a conversation by lines the agent's stderr is held back until it fails
    said = [line for line in GONE_ON if argv == RUN or line != "agent: acp-tui: log"]
    assert [line for line in below if line in GONE_ON] == said
    assert not any(line.startswith("acp-tui: that") for line in shown.split("\n"))


@pytest.mark.parametrize("argv", [RUN, PLAIN], ids=["run", "plain"])
def test_a_question_that_is_taken_back_says_so_and_takes_no_answer(
    tmp_path: Path, argv: Sequence[str]
) -> None:
    cases = [(permission, "\nYour answer [1-"), (form, "Enter alone cancels:")]
    script = Script().handshake().prompt()
    for number, (asks, _) in enumerate(cases):
        asks(script).until(tmp_path / f"gate {number}")
        script.notify("$/cancel_request", {"requestId": "${ask}"})
        script.expect_answer("ask").chunk(f"done {number}\n")
    script.until(tmp_path / "end").end_turn()
    with terminal(*argv, "--", *script.argv(tmp_path), size=(100, 24)) as window:
        begin(window, argv)
        for number, (_, prompt) in enumerate(cases):
            window.wait_for(prompt)
            (tmp_path / f"gate {number}").touch()
            window.wait_for(f"| done {number}")
            assert f"\n{OVER}\n| done {number}" in window.text
        assert "\npermission: " not in window.text
        (tmp_path / "end").touch()


@pytest.mark.parametrize("argv", [RUN, PLAIN], ids=["run", "plain"])
def test_an_agent_that_goes_at_its_question_ends_it(tmp_path: Path, argv: Sequence[str]) -> None:
    script = permission(Script().handshake().prompt()).until(tmp_path / "gate").exit(3)
    with terminal(*argv, "--", *script.argv(tmp_path), size=(100, 24)) as window:
        begin(window, argv)
        window.wait_for("\nYour answer [1-")
        (tmp_path / "gate").touch()
        assert window.wait_for_exit() == 1
        assert f"\n{OVER}\n" in window.text
        assert "exited with code 3" in window.text


def test_the_program_of_a_sign_in_is_asked_about_apart(tmp_path: Path) -> None:
    script = Script().initialize(SIGN_IN).expect("session/new").reply("new", error=AUTH_REQUIRED)
    script.until(tmp_path / "gate").stderr("acp-tui: log\n").stderr("Run it? [y/N]\n")
    script.request("_there", {}, id="there?").expect_answer("_there", error={}).expect_eof()
    with terminal(*RUN, "--", *script.argv(tmp_path), size=(100, 24)) as window:
        window.wait_for("Run it? [y/N]")
        asked = window.text.rstrip()
        assert "\n  $ true login\nRun it? [y/N]" in asked
        (tmp_path / "gate").touch()
        window.wait_until(lambda: Played(tmp_path).answers("there?"), "all that is said read")
        assert window.text.rstrip() == asked
        window.send("n\r")
        assert window.wait_for_exit() == 1
        assert "Run it? [y/N] n\nagent: acp-tui: log\nagent: Run it? [y/N]\n" in window.text
        assert "you didn't agree to its program" in window.text


def test_an_interrupt_ends_the_question_about_a_program(tmp_path: Path) -> None:
    script = Script().initialize(SIGN_IN).expect("session/new").reply("new", error=AUTH_REQUIRED)
    with terminal(*RUN, "--", *script.expect_eof().argv(tmp_path)) as window:
        window.wait_for("Run it? [y/N]")
        window.send("\x03")
        assert window.wait_for_exit() == 130


def confirm(window: Terminal, line: str, words: str) -> None:
    """Repeat an answer until `words` show that the program took it.

    It refuses an answer to what was not shown for long enough, and measures that by its own clock.
    """

    def replied() -> bool:
        return words in window.text or window.text.count(TOO_NEW) > refused

    while words not in window.text:
        refused = window.text.count(TOO_NEW)
        time.sleep(SHOWN_BEFORE_KEYS)
        window.send(f"{line}\r")
        window.wait_until(replied, words)


LONG = "acp-tui: x " * 12


def test_no_row_of_what_is_long_begins_with_words_of_the_agent_s(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk(LONG).tool_call("t1", LONG, kind="read")
    script.stderr(f"{LONG}\n").update("notice", noticeId="n", severity="info", title=LONG)
    options = [{"optionId": "a", "name": LONG, "kind": f"allow_once] {LONG}"}]
    call = {"title": LONG, "kind": "edit", "locations": [{"path": LONG}], "rawInput": {"a": LONG}}
    script.ask_permission({**call, "content": [content(LONG)]}, options).expect_answer("ask")
    schema = {
        "type": "object",
        "properties": {LONG: {"type": "string", "default": f"\x1b[2J{LONG}"}},
    }
    script.request("elicitation/create", {**FORM, "message": LONG, "requestedSchema": schema})
    script.expect_answer("create").end_turn()
    again = "1 again: this allows more than this once"  # as an answer of an unknown kind may
    with terminal(*RUN, "--", *script.argv(tmp_path), size=(60, 100)) as window:
        window.wait_for("Your answer [1-1]:")
        window.send("1\r")
        window.wait_for(again)
        confirm(window, "1", "Answer?")
        window.send("y\r")
        window.wait_for("Your answer:")
        window.send("\r")
        window.wait_for("Send this?")
        rows = window.text.rstrip().split("\n")
        assert b"\x1b" not in window.written
    assert not [row for row in rows if row.startswith(("acp-tui", "x", " acp-tui", " x"))]
    begins = (
        "| ",
        "  | ",
        "  ⚠ Announced before",
        "read: acp",
        "agent: ",
        "The agent asks",
        "  1) [other] acp",
        "permis",
    )
    words = (again, TOO_NEW, "Your answer", "Answer?", "Send this?", "  Enter keeps ␛[2Jacp-tui: x")
    assert not [row for row in rows if not row.startswith((*begins, *words))]


def content(text: str) -> dict[str, object]:
    return {"type": "content", "content": {"type": "text", "text": text}}


def test_a_command_of_several_lines_is_no_list_of_answers(tmp_path: Path) -> None:
    command = "echo\n1) [reject once] Reject\nYour answer [1-4]: "
    script = Script().handshake().prompt()
    script.ask_permission({"kind": "execute", "title": "x", "rawInput": {"command": command}})
    with terminal(*RUN, "--", *script.expect_answer("ask").argv(tmp_path)) as window:
        window.wait_for("\nYour answer [1-")
        assert "  $ echo\n  | 1) [reject once] Reject\n  | Your answer [1-4]:\n  1) [allow" in (
            window.text
        )


def test_what_would_be_run_is_in_view_however_much_the_agent_tells(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    script.ask_permission({**DELETES, "content": [content("tea\n" * 30)]}).expect_answer("ask")
    with terminal(*RUN, "--", *script.argv(tmp_path)) as window:
        window.wait_for("\nYour answer [1-")
        assert "$ rm -rf ~" not in window.text
        assert "\n  In short: execute: rm -rf ~\n  1) [allow once] " in window.text


def test_a_line_that_is_typed_meanwhile_leaves_no_row_without_the_mark(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("one").until(tmp_path / "gate").chunk("two")
    script.end_turn().prompt().chunk("three\n").end_turn()
    with terminal(*PLAIN, "--", *script.argv(tmp_path)) as window:
        begin(window, PLAIN)
        window.wait_for("| one")
        window.type_line("next")
        window.wait_until(lambda: window.unread, "typed a line")
        (tmp_path / "gate").touch()
        window.wait_for("| three")
        rows = [row for row in window.text.split("\n") if "the turn took" not in row]
    at = rows.index("| onenext")
    assert rows[at : at + 4] == ["| onenext", "| two", "> next", "| three"]


def test_what_comes_at_the_prompt_begins_a_row(tmp_path: Path) -> None:
    script = (
        Script()
        .handshake()
        .until(tmp_path / "gate")
        .tool_call("t", "Tea", kind="read")
        .chunk("one ")
    )
    script.prompt().chunk("two").end_turn()
    with terminal(*PLAIN, "--", *script.argv(tmp_path)) as window:
        window.wait_until(lambda: window.text.rstrip().endswith("\n>"), "asked for a prompt")
        (tmp_path / "gate").touch()
        window.wait_for("\n>\nread: Tea (pending)\n| one\n")
        window.type_line("hello")
        window.wait_for("the turn took")
        assert "\n| onehello\n| two\n" in window.text


def test_a_notice_is_no_line_of_ours_in_a_pipe_either(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    for severity in ("acp-tui", "warning"):
        script.update("notice", noticeId=severity, severity=severity, title="Spilled")
    ran = run_turn(argv=script.chunk(f"{LONG}\n").end_turn().argv(tmp_path))
    assert ran.out == f"{LONG}\n"
    assert "agent: notice: Spilled\nagent: warning: Spilled\n" in ran.err


def test_an_option_s_name_does_not_say_how_it_was_answered(tmp_path: Path) -> None:
    options = [{"optionId": "a", "name": "Reject", "kind": "allow_once"}]
    script = Script().handshake().prompt().ask_permission(DELETES, options).expect_answer("ask")
    ran = run_turn("--permissions", "allow", argv=script.end_turn().argv(tmp_path))
    assert "permission: execute: rm -rf ~: allow once (Reject)\n" in ran.err


def test_the_answer_to_a_message_by_hand_moves_no_cursor_of_a_terminal(tmp_path: Path) -> None:
    script = Script().initialize().expect("session/list").reply("list", {"a": "\x9b2Jtea"})
    script.request("elicitation/create", {**FORM, "message": "x\nacp-tui: y"}).expect_eof()
    words = ("send", "--method", "session/list", "--no-record", "--", *script.argv(tmp_path))
    with terminal(*words) as window:
        assert window.wait_for_exit() == 0
        assert "tea" in window.text
        assert b"\xc2\x9b" not in window.written
