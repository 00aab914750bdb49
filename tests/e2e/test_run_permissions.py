"""`acp-tui run`: who answers the agent's questions, and how one signs in."""

import os
import pty
import signal
import subprocess
import time
from codecs import getincrementaldecoder
from pathlib import Path
from typing import Any

import pytest

from acp_tui.state.question import SHOWN_BEFORE_KEYS, TOO_NEW
from tests.fake_agent.script import Played, Script
from tests.hosting import command, run_turn, wait_until

CANCELLED = {"outcome": {"outcome": "cancelled"}}
AUTH_REQUIRED = {"code": -32000, "message": "Sign in first", "data": {"reason": "key expired"}}
METHODS = [{"id": "key", "name": "API key"}, {"id": "browser", "name": "Browser"}]


def selected(option_id: str) -> dict[str, object]:
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


def asking(tool_call: dict[str, Any], result: dict[str, Any]) -> Script:
    script = Script().handshake().prompt().ask_permission(tool_call)
    return script.expect_answer("ask", result=result).end_turn()


def asking_each(*calls: dict[str, Any], result: dict[str, Any]) -> Script:
    """Ask about one call after the other; each gets the same answer."""
    script = Script().handshake().prompt()
    for number, call in enumerate(calls):
        script.ask_permission({"toolCallId": f"t{number}", **call}, save=f"ask{number}")
        script.expect_answer(f"ask{number}", result=result)
    return script.end_turn()


READ = {"kind": "read", "title": "Look"}
EDIT = {"kind": "edit", "title": "Change"}


@pytest.mark.parametrize(
    ("policy", "tool_call", "answer", "code"),
    [
        (None, READ, "no", 5),
        ("ask", EDIT, "no", 5),
        ("allow", EDIT, "yes", 0),
        ("reject", READ, "no", 0),
        ("allow-reads", READ, "yes", 0),
        ("allow-reads", EDIT, "no", 5),
        ("allow-reads", {}, "no", 5),
    ],
)
def test_the_policy_answers(
    tmp_path: Path, policy: str | None, tool_call: dict[str, Any], answer: str, code: int
) -> None:
    options = [] if policy is None else ["--permissions", policy]
    ran = run_turn(*options, argv=asking(tool_call, selected(answer)).argv(tmp_path))
    Played(tmp_path).check()
    assert ran.code == code
    assert ("nobody could be asked: see --permissions" in ran.err) == (code == 5)


def test_an_edit_that_is_allowed_and_never_written_is_told(tmp_path: Path) -> None:
    path = tmp_path / "tea.txt"
    path.write_text("black\n")
    diff = {"type": "diff", "path": str(path), "oldText": "black\n", "newText": "green\n"}
    script = Script().handshake().prompt()
    script.ask_permission({"title": "Edit", "kind": "edit", "content": [diff]}).expect_answer("ask")
    script.tool_call_update(status="completed").end_turn()
    ran = run_turn("--permissions", "allow", "--findings", argv=script.argv(tmp_path), cwd=tmp_path)
    assert "what it was before" in ran.err
    assert "edit-not-as-shown" in ran.err


def test_options_are_chosen_by_kind_alone(tmp_path: Path) -> None:
    options = [
        {"optionId": "allow_once", "name": "Yes!", "kind": "reject_always"},
        {"optionId": "reject", "name": "No", "kind": "allow_always"},
        {"optionId": "x", "name": "Maybe", "kind": "ask_again_later"},
    ]
    script = Script().handshake().prompt().ask_permission(options=options)
    script.expect_answer("ask", result=selected("reject")).end_turn()
    assert run_turn("--permissions", "allow", argv=script.argv(tmp_path)).code == 0
    Played(tmp_path).check()


def test_without_a_fitting_option_the_answer_is_cancelled(tmp_path: Path) -> None:
    options = [{"optionId": "a", "name": "No", "kind": "reject_once"}]
    script = Script().handshake().prompt().ask_permission(options=options)
    script.expect_answer("ask", result=CANCELLED).end_turn()
    assert run_turn("--permissions", "allow", argv=script.argv(tmp_path)).code == 0
    Played(tmp_path).check()


@pytest.mark.parametrize(
    ("policy", "read", "written"),
    [("allow", True, True), ("allow-reads", True, False), ("reject", False, False)],
)
def test_files_outside_the_folder_follow_the_policy(
    tmp_path: Path, policy: str, read: bool, written: bool
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "old").write_text("old")
    script = Script().handshake().prompt()
    for method, name in (("read", "old"), ("write", "new")):
        params = {"sessionId": "s1", "path": f"{tmp_path}/{name}", "content": "new"}
        script.request(f"fs/{method}_text_file", params, save=method).expect_answer(method)
    script.end_turn()
    ran = run_turn("--permissions", policy, "--cwd", f"{tmp_path}/work", argv=script.argv(tmp_path))
    played = Played(tmp_path)
    played.check()
    answers = [one for one in played.messages if "method" not in one]
    assert ["result" in answer for answer in answers] == [read, written]
    assert (tmp_path / "new").exists() == written
    assert ran.code == (5 if policy == "allow-reads" else 0)


class Terminal:
    """A person at a terminal."""

    def __init__(self, words: list[str]) -> None:
        self.master, slave = pty.openpty()
        self.shown = ""
        self._decode = getincrementaldecoder("utf-8")().decode  # a read may end within a character
        self.process = subprocess.Popen(
            words, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)
        os.set_blocking(self.master, False)

    def see(self, words: str) -> None:
        def seen() -> bool:
            self._read()
            return words in self.shown

        wait_until(seen)

    def _read(self) -> None:
        try:
            self.shown += self._decode(os.read(self.master, 65536))
        except (BlockingIOError, OSError):
            pass

    def see_next(self, words: str) -> None:
        """See these words, and forget what is above them."""
        self.see(words)
        self.shown = self.shown.partition(words)[2]

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def answer(self, line: str, words: str) -> None:
        """Repeat an answer until `words` show that the program took it.

        It refuses an answer to what was not shown for long enough, and measures that by its own clock.
        """

        def replied() -> bool:
            self._read()
            return words in self.shown or TOO_NEW in self.shown

        while words not in self.shown:
            self.shown = self.shown.partition(TOO_NEW)[2]
            time.sleep(SHOWN_BEFORE_KEYS)
            self.type(f"{line}\n")
            wait_until(replied)
        self.see_next(words)

    def ended(self) -> int:
        """Wait for the end, and read on: what writes to a full terminal doesn't end."""

        def left() -> bool:
            self._read()
            return self.process.poll() is not None

        try:
            wait_until(left)
            return self.process.returncode
        finally:
            self.process.kill()
            os.close(self.master)


def test_a_person_is_asked_with_all_there_is_to_judge_by(tmp_path: Path) -> None:
    tool_call = {
        "title": "Run \x1b[2Jmake",
        "kind": "execute",
        "rawInput": {"command": "make all"},
        "locations": [{"path": "/srv/Makefile"}],
    }
    script = asking(tool_call, selected("always"))
    terminal = Terminal(command(argv=script.argv(tmp_path)))
    terminal.see("Your answer [1-4]: ")
    for words in (
        "Run ␛[2Jmake [execute]",
        "make all",
        "/srv/Makefile",
        "2) [allow always] Always allow",
    ):
        assert words in terminal.shown
    assert "\x1b" not in terminal.shown
    terminal.type("9\n")
    terminal.see("Your answer [1-4]: 9\r\nA number from 1 to 4, please")
    terminal.see_next("no answer.\r\nYour answer [1-4]: ")
    terminal.answer("2", "2 again: this allows more than this once\r\nYour answer [1-4]: ")
    terminal.answer("2", "allow always")
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_what_was_typed_before_the_question_is_no_answer(tmp_path: Path) -> None:
    terminal = Terminal(command(argv=asking({}, selected("no")).argv(tmp_path)))
    terminal.type("1\n1")
    terminal.see("Your answer [1-4]: ")
    terminal.type("3\n")
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_a_prompt_that_is_typed_is_waited_for_in_words(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("Hello").end_turn()
    terminal = Terminal(command("-", argv=script.argv(tmp_path), prompt=None))
    terminal.see("reading the prompt from the terminal; Ctrl+D ends it")
    terminal.type("go\n\x04")
    assert terminal.ended() == 0


def edit_in_part() -> dict[str, Any]:
    """An edit of a line in the middle of a file, and a new file that isn't shown whole."""
    old = "".join(f"line {number}\n" for number in range(3000))
    new = old.replace("line 1500\n", "line \x1b[2J1500b\n")
    content = [{"type": "diff", "path": "/srv/a.py", "oldText": old, "newText": new}]
    content.append({"type": "diff", "path": "/srv/b.py", "newText": "made\n" * 100})
    return {"title": "Edit", "kind": "edit", "content": content, "rawInput": {"force": 1}}


def untrue_edit(path: Path) -> dict[str, Any]:
    """A diff that doesn't fit the file, beside an input that does."""
    path.write_text("one\ntwo\n")
    content = [{"type": "diff", "path": str(path), "oldText": "three", "newText": "3"}]
    raw = {"path": str(path), "old_string": "two", "new_string": "2"}
    return {"title": "Edit", "kind": "edit", "content": content, "rawInput": raw}


def move_with_a_change() -> dict[str, Any]:
    text = "".join(f"line {number}\n" for number in range(30))
    content = [
        {"type": "diff", "path": "/srv/old.py", "oldText": text, "newText": ""},
        {"type": "diff", "path": "/srv/new.py", "newText": text.replace("line 7\n", "seven\n")},
    ]
    return {"title": "Move", "kind": "move", "content": content}


def test_a_person_sees_what_edits_change_and_what_is_not_true_or_not_known_of_them(
    tmp_path: Path,
) -> None:
    unknown = {"title": "Edit a.txt", "kind": "edit"}
    edits = [edit_in_part(), untrue_edit(tmp_path / "a.txt"), move_with_a_change(), unknown]
    script = asking_each(*edits, result=selected("yes"))
    terminal = Terminal(command("--cwd", str(tmp_path), argv=script.argv(tmp_path)))

    def asked() -> str:
        """What is shown up to the question's end; it is answered with yes."""
        terminal.see("Your answer")
        asked, _, terminal.shown = terminal.shown.partition("Your answer")
        terminal.type("1\n")
        return asked

    first = asked()
    for words in (
        "  | /srv/a.py\r\n  | @@\r\n  |  line 1497\r\n",
        "  | -line 1500\r\n  | +line ␛[2J1500b\r\n",
        "  | /srv/b.py\r\n  | @@\r\n  | +made\r\n",
    ):
        assert words in first
    assert "line 1400" not in first
    more = asked()
    assert "Not all of it was shown: here is more. Answer again.\r\n" in more
    assert '{"force": 1}' in more
    untrue = asked()
    assert "  ⚠ a.txt doesn't have the text that the diff removes.\r\n" in untrue
    assert "acp-tui made this diff, from what the agent sent and the file:" in untrue
    assert "  | -two\r\n  | +2\r\n" in untrue
    moved = asked()
    assert "  | /srv/old.py → /srv/new.py (renamed)\r\n  | @@\r\n" in moved
    assert "  | -line 7\r\n  | +seven\r\n" in moved
    assert "-line 20" not in moved
    assert "⚠ The agent doesn't say what it would write." in asked()
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_a_person_sees_what_is_written_outside(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "notes").write_text("old\n")
    script = Script().handshake().prompt()
    params = {"sessionId": "s1", "path": str(tmp_path / "notes"), "content": "new\n"}
    script.request("fs/write_text_file", params).expect_answer("write_text_file").end_turn()
    words = command("--cwd", str(tmp_path / "work"), argv=script.argv(tmp_path))
    terminal = Terminal(words)
    terminal.see("Your answer")
    assert "  | -old\r\n  | +new\r\n" in terminal.shown
    terminal.type("1\n")
    assert terminal.ended() == 0
    assert (tmp_path / "notes").read_text() == "new\n"


def test_the_end_of_input_is_no_answer(tmp_path: Path) -> None:
    terminal = Terminal(command(argv=asking({}, CANCELLED).argv(tmp_path)))
    terminal.see("Your answer")
    terminal.type("\x04")
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_an_interrupt_takes_the_question_back(tmp_path: Path) -> None:
    script = Script().handshake().prompt().ask_permission().expect("session/cancel")
    script.expect_answer("ask", result=CANCELLED).end_turn("cancelled")
    terminal = Terminal(command(argv=script.argv(tmp_path)))
    terminal.see("Your answer")
    terminal.process.send_signal(2)
    terminal.see("acp-tui: interrupted")
    assert ": \r\nacp-tui: interrupted" in terminal.shown
    assert terminal.ended() == 130
    Played(tmp_path).check()


def test_an_interrupt_asks_none_of_the_questions_that_wait(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    for number in range(5):
        call = {"toolCallId": f"t{number}", "title": f"Do {number}"}
        script.ask_permission(call, save=f"a{number}")
    script.expect("session/cancel").end_turn("cancelled")
    terminal = Terminal(command(argv=script.argv(tmp_path)))
    terminal.see("Your answer")
    terminal.process.send_signal(2)
    terminal.see("acp-tui: interrupted")
    assert terminal.ended() == 130
    assert terminal.shown.count("Your answer") == 1


def test_a_sign_in_by_the_named_method(tmp_path: Path) -> None:
    script = Script().initialize({"authMethods": METHODS})
    script.expect("session/new").reply("new", error=AUTH_REQUIRED)
    script.expect("authenticate", {"methodId": "browser"}).reply("authenticate", None)
    ran = run_turn(
        "--auth", "browser", argv=script.new_session().prompt().end_turn().argv(tmp_path)
    )
    Played(tmp_path).check()
    assert ran.code == 0


def test_methods_may_come_with_the_error(tmp_path: Path) -> None:
    error = {"code": -32000, "message": "Auth", "data": {"authMethods": METHODS}}
    script = Script().initialize().expect("session/new").reply("new", error=error)
    script.expect("authenticate", {"methodId": "key"}).reply("authenticate")
    argv = script.new_session().prompt().end_turn().argv(tmp_path)
    assert run_turn("--auth", "key", argv=argv).code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "choose one with --auth METHOD: key, browser"),
        (
            ["--auth", "password"],
            "password is not offered: choose one with --auth METHOD: key, browser",
        ),
    ],
)
def test_without_a_fitting_method_the_offer_is_told(
    tmp_path: Path, options: list[str], words: str
) -> None:
    script = Script().initialize({"authMethods": METHODS})
    script.expect("session/new").reply("new", error=AUTH_REQUIRED).expect_eof()
    ran = run_turn(*options, argv=script.argv(tmp_path))
    Played(tmp_path).check()
    assert ran.code == 1
    assert "Sign in first (-32000): key expired" in ran.err
    assert words in ran.err


def test_a_failed_sign_in_says_why(tmp_path: Path) -> None:
    failed = {"code": -32603, "message": "Internal error", "data": {"details": "wrong key"}}
    script = Script().initialize({"authMethods": METHODS})
    script.expect("session/new").reply("new", error=AUTH_REQUIRED)
    script.expect("authenticate").reply("authenticate", error=failed).expect_eof()
    ran = run_turn("--auth", "key", argv=script.argv(tmp_path))
    assert ran.code == 1
    words = "signing in with key failed: Internal error (-32603): wrong key\n"
    assert words in ran.err
    assert "wants a sign-in" not in ran.err


def test_a_sign_in_that_hangs_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acp-tui").mkdir()
    (tmp_path / "acp-tui/settings.toml").write_text("limits.authenticate = 0.2")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    script = Script().initialize({"authMethods": METHODS})
    script.expect("session/new").reply("new", error=AUTH_REQUIRED)
    ran = run_turn("--auth", "key", argv=script.expect("authenticate").expect_eof().argv(tmp_path))
    assert ran.code == 3
    assert "signing in with key failed: no answer to authenticate within 0.2 s\n" in ran.err


def test_a_sign_in_that_changes_nothing_is_not_tried_for_ever(tmp_path: Path) -> None:
    script = Script().initialize({"authMethods": METHODS})
    script.expect("session/new").reply("new", error=AUTH_REQUIRED)
    script.expect("authenticate").reply("authenticate")
    script.expect("session/new").reply("new", error=AUTH_REQUIRED).expect_eof()
    ran = run_turn("--auth", "key", argv=script.argv(tmp_path))
    Played(tmp_path).check()
    assert ran.code == 1
    assert "the agent wants a sign-in" in ran.err


LS = {"title": "ls", "kind": "execute", "rawInput": {"command": "ls"}}
RM = {"title": "rm -rf ~", "rawInput": {"command": "rm -rf ~"}}


def changing(gate: Path, result: dict[str, Any]) -> Script:
    """An agent that asks about `ls`, and makes another command of it once the test says so."""
    script = Script().handshake().prompt().ask_permission(LS).until(gate).tool_call_update(**RM)
    script.write_file(gate.with_suffix(".done"), "")
    return script.expect_answer("ask", result=result).end_turn()


def test_what_the_agent_changes_is_said_and_asked_again(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    terminal = Terminal(command(argv=changing(gate, selected("yes")).argv(tmp_path)))
    terminal.see_next("Your answer [1-4]: ")
    terminal.type("1")  # without Enter: it is no answer to what is printed next
    gate.touch()
    terminal.see_next("This has changed, so it is asked again: command (was “ls”)")
    terminal.see_next("  $ rm -rf ~\r\n")
    terminal.see_next("Your answer [1-4]: ")
    terminal.type("1\n")
    terminal.see("permission: execute: rm -rf ~: allow once")
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_a_line_that_was_typed_while_the_program_was_stopped_allows_no_change(
    tmp_path: Path,
) -> None:
    gate = tmp_path / "gate"
    terminal = Terminal(command(argv=changing(gate, selected("no")).argv(tmp_path)))
    terminal.see_next("Your answer [1-4]: ")
    os.kill(terminal.process.pid, signal.SIGSTOP)
    gate.touch()
    wait_until(gate.with_suffix(".done").exists)
    terminal.type("1\n")
    os.kill(terminal.process.pid, signal.SIGCONT)
    terminal.see_next("  $ rm -rf ~\r\n")
    terminal.see_next("Your answer [1-4]: ")
    terminal.type("3\n")
    terminal.see("permission: execute: rm -rf ~: reject once")
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_what_keeps_changing_can_be_rejected_and_never_allowed(tmp_path: Path) -> None:
    script = Script().handshake().prompt().ask_permission(LS).sleep(0.7)
    for _ in range(100):
        script.tool_call_update(**RM).sleep(0.05).tool_call_update(**LS).sleep(0.05)
    script.expect_answer("ask", result=selected("no")).end_turn()
    terminal = Terminal(command(argv=script.argv(tmp_path)))
    terminal.see("the agent keeps changing this, so it can't be allowed; it can be rejected.")
    for _ in range(3):
        terminal.see_next("Your answer [1-4]: ")
        terminal.type("1\n")
        terminal.see("the agent keeps changing this, so it can't be allowed\r\n")
    terminal.see_next("Your answer [1-4]: ")
    terminal.type("3\n")
    terminal.see("reject once")
    assert terminal.ended() == 0
    Played(tmp_path).check()


RUNS_AT_ITS_END = {"command": f"echo {'a' * 20_000} ; rm -rf ~"}
WRITES_AT_ITS_END = {"type": "diff", "path": "/w/a", "newText": "x = 1\n" * 500 + "evil()\n"}


LONG = [
    ({"kind": "execute", "title": "x", "rawInput": RUNS_AT_ITS_END}, "; rm -rf ~\r\n", 3),
    ({"kind": "execute", "title": RUNS_AT_ITS_END["command"]}, "; rm -rf ~\r\n", 3),
    ({"kind": "edit", "title": "x", "content": [WRITES_AT_ITS_END]}, "+evil()\r\n", 5),
]
"""Calls that are shown in parts, how the last part ends, and the number of parts before it."""


def test_nothing_is_allowed_before_all_of_it_was_printed(tmp_path: Path) -> None:
    script = asking_each(*[call for call, _, _ in LONG], result=selected("yes"))
    terminal = Terminal(command(argv=script.argv(tmp_path)))
    for _, last, pages in LONG:
        terminal.see("  … ")
        for _ in range(pages):
            terminal.see("Your answer [1-4]: ")
            assert last not in terminal.shown
            terminal.see_next("Your answer [1-4]: ")
            terminal.type("1\n")
            terminal.see_next("Not all of it was shown: here is more. Answer again.\r\n")
        terminal.see_next(last)
        terminal.see_next("Your answer [1-4]: ")
        terminal.type("1\n")
        terminal.see_next(": allow once")
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_what_was_not_read_can_be_rejected_at_once(tmp_path: Path) -> None:
    call = {"kind": "edit", "title": "x", "content": [WRITES_AT_ITS_END]}
    terminal = Terminal(command(argv=asking(call, selected("no")).argv(tmp_path)))
    terminal.see("Your answer [1-4]: ")
    terminal.type("3\n")
    terminal.see("reject once")
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_a_paste_answers_nothing(tmp_path: Path) -> None:
    terminal = Terminal(command(argv=asking({}, selected("no")).argv(tmp_path)))
    for pasted in ("some words\n1\n", "2\nadd a test\n", "1\nadd a t", "1\n1\n"):
        terminal.see_next("Your answer [1-4]: ")
        terminal.type(pasted)
        terminal.see_next("Several lines at once don't answer: they were discarded.\r\n")
    terminal.see_next("Your answer [1-4]: ")
    terminal.type("3\n")
    terminal.see("reject once")
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_what_is_typed_behind_a_refused_line_is_no_answer(tmp_path: Path) -> None:
    terminal = Terminal(command(argv=asking({}, selected("no")).argv(tmp_path)))
    terminal.see_next("Your answer [1-4]: ")
    terminal.type("9\n")
    terminal.see_next("A number from 1 to 4, please")
    terminal.type("1\n")
    terminal.see_next("not allowed yet")
    terminal.type("3\n")
    terminal.see("reject once")
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_an_always_is_asked_for_twice_and_words_take_it_back(tmp_path: Path) -> None:
    terminal = Terminal(command(argv=asking({}, selected("always")).argv(tmp_path)))
    twice = "2 again: this allows more than this once\r\n"
    for line, words in (("2", twice), ("2", "not allowed yet"), ("9", "A number from 1 to 4")):
        terminal.see_next("Your answer [1-4]: ")
        terminal.type(f"{line}\n")
        terminal.see_next(words)
    terminal.answer("2", twice)
    terminal.answer("2", "allow always")
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_what_is_changed_after_the_answer_was_not_allowed(tmp_path: Path) -> None:
    script = Script().handshake().prompt().ask_permission(LS)
    script.expect_answer("ask", result=selected("yes")).tool_call_update(**RM).end_turn()
    terminal = Terminal(command(argv=script.argv(tmp_path)))
    terminal.see("Your answer [1-4]: ")
    terminal.type("1\n")
    terminal.see("permission: execute: ls: allow once")
    terminal.see("⚠ the agent has changed what was allowed (execute: ls): ")
    assert terminal.ended() == 0
