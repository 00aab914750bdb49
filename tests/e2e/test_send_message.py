"""`acp-tui send --method`: one message made by hand, and its answer."""

import json
from pathlib import Path

from tests.e2e.test_run_arguments import acp_tui
from tests.fake_agent.script import Played, Script


def test_a_session_is_opened_for_it_and_what_the_agent_asks_is_rejected(tmp_path: Path) -> None:
    script = Script().handshake().prompt().ask_permission().expect_answer("ask").end_turn()
    agent = script.argv(tmp_path)
    params = '{"prompt": [{"type": "text", "text": "hi"}]}'
    ran = acp_tui(
        *("send", "--method", "session/prompt", "--params", params, "--no-record"),
        *("--", *agent),
        cwd=tmp_path,
    )
    assert json.loads(ran.stdout)["result"] == {"stopReason": "end_turn"}
    assert ran.returncode == 0
    assert "it needs a session: opened" in ran.stderr
    assert "nobody answers" in ran.stderr
    Played(tmp_path).check()


def test_a_session_is_opened_by_hand_with_what_is_known_filled_in(tmp_path: Path) -> None:
    agent = Script().handshake().argv(tmp_path)
    ran = acp_tui("send", "--method", "session/new", "--no-record", "--", *agent, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "sessionId" in json.loads(ran.stdout)["result"]
    (call,) = Played(tmp_path).calls("session/new")
    assert call["params"] == {"cwd": str(tmp_path), "mcpServers": []}
    assert f'cwd was not given: "{tmp_path}"' in ran.stderr


def test_without_an_answer_in_time_it_ends(tmp_path: Path) -> None:
    params = tmp_path / "params.json"
    params.write_text('{"cwd": "/w"}')
    ran = acp_tui(
        *("send", "--method", "session/list", "--params", f"@{params}", "--bare"),
        *("--max-time", "0.2", "--no-record", "--", "sleep", "60"),
    )
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "no answer within 0.2 s" in ran.stderr


def test_what_can_t_be_sent_is_said() -> None:
    for arguments, words in {
        ("--method", "m", "--params", "@/no/such"): "can't read '/no/such'",
        ("--method", "session/new", "--params", "{"): "--params: not JSON",
        ("--method", "session/new", "--raw", "x"): "--raw takes the place of --method",
        ("name", "--method", "session/new"): "not for a kept run",
        ("name",): "name a kept run and a prompt, or a --method and an agent after --",
    }.items():
        ran = acp_tui("send", *arguments)
        assert ran.returncode == 2
        assert words in ran.stderr
