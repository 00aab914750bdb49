"""`acp-tui run --diff-versions`: what both versions say is the same, and what differs is told."""

import json
from pathlib import Path

from tests.fake_agent.script import Script
from tests.hosting import run_turn


def script() -> Script:
    diff = {"type": "diff", "path": "/tea", "oldText": "a\n", "newText": "b\n"}
    turn = Script().handshake().prompt().thought("hm").tool_call(content=[diff])
    turn.ask_permission({"title": "Pour?"}).expect_answer("ask")
    turn.tool_call_update(status="completed").chunk("do").chunk("ne")
    return turn.update("plan", entries=[]).end_turn()


def test_one_script_says_the_same_in_both(tmp_path: Path) -> None:
    argv = script().argv(tmp_path)
    ran = run_turn("--diff-versions", "--permissions", "allow", argv=argv)
    assert (ran.code, ran.out.splitlines()[0].split()) == (0, ["version", "1", "version", "2"])
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["←", "tool_call", "←", "tool_call_update"] in rows
    assert ["←", "plan", "←", "plan_update"] in rows
    assert rows[-1] == ["10", "the", "same"]
    assert "done" in ran.err


def test_what_differs_is_told(tmp_path: Path) -> None:
    later = Script().handshake().prompt().chunk("tea").end_turn()
    argv = script().argv(tmp_path, later)
    options = ("--diff-versions", "--permissions", "allow", "--format", "json")
    ran = run_turn(*options, argv=argv)
    told = json.loads(ran.out)
    assert (ran.code, told["differs"]) == (1, True)
    assert {"turn": 1, "version1": None, "version2": None} not in told["steps"]
    gone = {one["what"] for one in told["differences"] if one["kind"] == "gone"}
    assert gone >= {"tool_call_update", "session/request_permission", "plan_update"}


def test_an_agent_of_version_1_ends_it(tmp_path: Path) -> None:
    argv = Script().only_version_1().handshake().prompt().end_turn().argv(tmp_path)
    ran = run_turn("--diff-versions", argv=argv)
    assert ran.code == 1
    assert ran.out == ""
    assert "--protocol auto" in ran.err
