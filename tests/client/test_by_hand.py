"""What a person sends by hand reaches a real agent as it is, and the client goes on as before."""

import json
from pathlib import Path

import pytest

from acp_tui.protocol.frames import Frame, Origin
from acp_tui.state.commands import AnswerPermission, SendByHand
from tests.fake_agent.script import Played, Script
from tests.hosting import Host, hosting

pytestmark = pytest.mark.anyio


def send(host: Host, *messages: object) -> None:
    host.do(SendByHand(b"\n".join(json.dumps(one).encode() for one in messages)))


async def test_a_turn_begun_by_hand_and_a_question_answered_by_hand(tmp_path: Path) -> None:
    """The client answers that question no more, and its own prompt follows as ever."""
    script = Script().handshake().prompt().ask_permission()
    script.expect_answer("ask", result={"outcome": "nonsense"})
    script.chunk("well").end_turn().prompt().end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        session = await host.opened()
        prompt = {"sessionId": session.session_id, "prompt": [{"type": "text", "text": "go"}]}
        send(host, {"jsonrpc": "2.0", "id": "mine", "method": "session/prompt", "params": prompt})
        (question,) = await host.permission()
        request = next(one for one in host.events if getattr(one, "number", 0) == question.number)
        send(host, {"jsonrpc": "2.0", "id": request.id, "result": {"outcome": "nonsense"}})  # type: ignore[union-attr]
        host.do(AnswerPermission(question.number, question.options[0].option_id))
        await host.turn_ended()
        await host.turn()
        by_hand = [one for one in host.records if isinstance(one, Frame) and one.by is Origin.HAND]
        assert len(by_hand) == 2
        assert host.problems == []
    Played(tmp_path).check()


async def test_where_no_agent_runs_nothing_is_sent_and_that_is_said(tmp_path: Path) -> None:
    async with hosting(["/no/such/agent"], tmp_path) as host:
        await host.until(lambda: host.state.peer.trouble)
        send(host, {"method": "x"})
        assert [one.title for one in host.state.notices] == ["Not sent"]
