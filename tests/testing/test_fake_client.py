"""The fake client against a fake agent."""

import sys
from pathlib import Path

import pytest

from acp_tui.testing import FakeClient, Played, Script


def test_it_asks_answers_and_keeps_what_was_said(tmp_path: Path) -> None:
    script = Script().handshake().prompt().garbage("noise").ask_permission()
    script.expect_answer("ask", result={"outcome": {"outcome": "cancelled"}})
    script.request("fs/read_text_file", {"path": "/a"}).expect_answer("read_text_file", error={})
    script.request("terminal/create", {"command": "tea"}, save="tea")
    script.expect_answer("tea", result={"terminalId": "of tea"}).chunk("done").end_turn()
    answers = {
        "session/request_permission": {"outcome": {"outcome": "cancelled"}},
        "terminal/create": lambda params: {"terminalId": f"of {params['command']}"},
    }
    with FakeClient(script.argv(tmp_path), tmp_path, answers=answers) as client:
        assert client.call("initialize", protocolVersion=1)["result"]["protocolVersion"] == 1
        assert client.call("session/new", cwd="/", mcpServers=[])["result"] == {"sessionId": "s1"}
        prompt = [{"type": "text", "text": "hi"}]
        answer = client.call("session/prompt", sessionId="s1", prompt=prompt)
        assert answer["result"] == {"stopReason": "end_turn"}
        (said,) = client.updates("agent_message_chunk")
        assert said["content"]["text"] == "done"
        assert client.noise == [b"noise\n"]
        assert [is_agents for is_agents, _ in client.lines[:3]] == [False, True, False]
    played = Played(tmp_path)
    assert played.failures == []
    assert [one["params"]["prompt"] for one in played.calls("session/prompt")] == [prompt]


def test_an_agent_that_says_no_more_is_told(tmp_path: Path) -> None:
    client = FakeClient([sys.executable, "-c", "pass"], tmp_path)
    with client, pytest.raises(AssertionError, match="stdout ended"):
        client.until_called("session/update")
