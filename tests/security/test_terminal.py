"""What really goes to the terminal: nothing but what the program itself writes."""

import re
from itertools import cycle
from pathlib import Path

import pytest

from tests.e2e.terminal import CTRL_Q, terminal
from tests.fake_agent.script import Script
from tests.security.attacks import FORBIDDEN, MARKUP, SEQUENCES

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

OURS = re.compile(
    r"\x1b\[[0-9;:]*[ABCDGHJKLMXmnr]"  # colors, cursor, clearing, moving rows
    r"|\x1b\[\?[0-9;]+(?:[hl]|\$p)|\x1b\[[<>=]?\d*u|\x1b\[\?u"  # modes, keyboard
    r"|\x1b\[2[23];2t"  # the title is kept and given back
    r"|\x1b\]22;[a-z-]*\x07"  # the pointer's shape
    r"|\x1b\]8;[^;\x00-\x1f\x7f-\x9f]*;(?:(?:https?|file)://?[^\x00-\x1f\x7f-\x9f]*)?\x1b\\"
    r"|\x1b\]2;(?:\(\d+\) )?acp-tui — [^\x00-\x1f\x7f-\x9f]*\x07"
    r"|\x1b\[\?1;2c|\x1b\[c|\x1b\[>\d*[qc]|\x1bP\+q[0-9a-f]*\x1b\\"
)
"""Every sequence that the program may write."""
DRAWS = b"\x1b[?1049h"
STEPS = re.compile(r"\x1bM|[\b\v\r]")
"""What moves the cursor, where the program draws: a row up, a cell back, a row down, to the left."""


def attacked() -> Script:
    """A session whose strings are attacks."""
    some = cycle(one for pair in zip(cycle(MARKUP), SEQUENCES) for one in pair)

    def attack() -> str:
        return f"x{next(some)}{next(some)}{next(some)}".replace("\ud800", "")

    script = Script().stderr(attack() + "\n")
    info = {"name": attack(), "version": attack(), "title": attack()}
    modes = [{"id": "m", "name": attack()}]
    new = {"modes": {"currentModeId": "m", "availableModes": modes}}
    script.handshake({"agentInfo": info}, new).raw(attack().encode() + b"\n")
    script.prompt()
    for _ in range(10):
        script.chunk(attack()).thought(attack()).tool_call(attack(), attack(), kind=attack())
        script.update("notice", severity="error", title=attack(), description=attack())
        script.update("session_info_update", title=attack())
    call = {"toolCallId": "p", "title": attack(), "rawInput": {"command": attack()}}
    options = [{"optionId": "no", "name": attack(), "kind": "reject_once"}]
    script.ask_permission(call, options).expect_answer("ask")
    error = {"code": -32603, "message": attack(), "data": {"x": attack()}}
    return script.chunk("\n\nall said").reply("prompt", error=error)


def assert_only_ours(written: bytes, bells: int = 0) -> None:
    text = OURS.sub("", written.decode("utf-8", "surrogateescape"))
    text = STEPS.sub("", text) if DRAWS in written else text.replace("\r\n", "\n")
    text = text.replace("\n", "").replace("\x07", "", bells)
    found = FORBIDDEN.search(text)
    assert found is None, ascii(text[max(0, found.start() - 80) :][:160])


def test_the_app_writes_only_its_own_sequences(tmp_path: Path) -> None:
    argv = attacked().argv(tmp_path)
    with terminal("--no-record", "--", *argv, size=(120, 50)) as it:
        it.wait_for("Ask the agent")
        it.type_line("go")
        it.wait_for_keys()
        it.send("1")
        it.wait_for("all said")
        it.send(CTRL_Q)
        it.wait_for("Quit?")
        it.send(CTRL_Q)
        assert it.wait_for_exit() == 0
        assert_only_ours(it.written, bells=1)  # of the question


def test_a_turn_without_ui_writes_none(tmp_path: Path) -> None:
    argv = attacked().argv(tmp_path)
    with terminal("run", "--no-record", "--permissions", "reject", "go", "--", *argv) as it:
        assert it.wait_for_exit() in (1, 5)
        assert b"all said" in it.written
        assert b"\x1b" not in it.written
        assert_only_ours(it.written.replace(b"\t", b" "))


FAULTS = """
import sys
if sys.orig_argv[1:3] == ["-m", "acp_tui"]:
    from acp_tui.client.prompts import Prompts
    from acp_tui.ui.app import AcpApp
    WORDS = "said \\x1b]0;owned\\x07 \\x1b[31mred \\x9b2J \\u202e end"
    def broken_action(*_):
        raise ValueError(WORDS)
    def broken_sending(*_):
        raise ValueError(WORDS)  # what the same line raises again isn't reported again
    AcpApp.action_help, Prompts.send = broken_action, broken_sending
"""
"""Break two parts of the program, in the words of an agent: of the screen, and of the client."""


def test_a_fault_of_our_own_is_told_in_clean_words(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(FAULTS)
    argv = Script().handshake().argv(tmp_path)
    with terminal("--no-record", "--", *argv, env={"PYTHONPATH": str(tmp_path)}) as it:
        it.wait_for("Ask the agent")
        it.send("\x1bOP")
        it.wait_for("A bug in acp-tui, in the key f1: ValueError: said")
        it.type_line("go")
        it.wait_for("A bug in acp-tui, in the key enter: ValueError: said")
        it.leave()
        assert it.wait_for_exit() == 0
        assert_only_ours(it.written, bells=it.written.count(b"\x07"))
