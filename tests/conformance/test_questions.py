"""Elicitation: forms and links, and the questions of one agent's own."""

from typing import Any

import pytest

from acp_tui.client.capabilities import capabilities_to_offer
from acp_tui.state.commands import AnswerElicitation, Cancel, CancelRequest, ListSessions
from tests.conformance.conftest import Play
from tests.fake_agent.script import Script
from tests.hosting import Host, run_turn

pytestmark = pytest.mark.anyio
INTERACTIVE = capabilities_to_offer(interactive=True)
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2},
        "count": {"type": "integer", "minimum": 1, "default": 3},
        "new": {"type": "hologram", "depth": 2},
    },
    "required": ["name"],
}


def form(script: Script, **fields: Any) -> Script:
    """The agent asks with a form."""
    params = {"sessionId": "s1", "message": "Who?", "mode": "form", "requestedSchema": SCHEMA}
    return script.request("elicitation/create", {**params, **fields}, save="ask")


def link(script: Script, **fields: Any) -> Script:
    """The agent asks to open a page."""
    params = {"sessionId": "s1", "message": "Sign in", "mode": "url", "elicitationId": "e1"}
    url = {"url": "https://example.org/login"}
    return script.request("elicitation/create", {**params, **url, **fields}, save="ask")


async def asked(host: Host) -> int:
    """Wait for the question; its number."""
    await host.until(lambda: host.state.elicitations)
    return host.state.elicitations[0].number


@pytest.mark.check(40)
async def test_an_accepted_form_carries_values_of_its_types(play: Play) -> None:
    script = form(Script().handshake().prompt())
    script.expect_answer("ask", result={"action": "accept", "content": {"name": "Ada", "count": 2}})
    async with play(script.end_turn(), capabilities=INTERACTIVE) as host:
        await host.opened()
        host.prompt("go")
        number = await asked(host)
        question = host.state.elicitations[0]
        assert question.form is not None
        assert question.form.properties["new"].type == "hologram"
        host.do(AnswerElicitation(number, "accept", {"name": "A"}))
        assert host.state.elicitations, "a value that is too short was sent"
        host.do(AnswerElicitation(number, "accept", {"name": "Ada", "count": 2}))
        await host.turn_ended()
        assert any("Who?" in notice.title for notice in host.notices)


@pytest.mark.check(40)
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_form_can_be_declined_and_cancelled(play: Play, action: str) -> None:
    """Clients MUST give controls to decline and to cancel."""
    script = form(Script().handshake().prompt()).expect_answer("ask", result={"action": action})
    async with play(script.end_turn(), capabilities=INTERACTIVE) as host:
        await host.opened()
        host.prompt("go")
        host.do(AnswerElicitation(await asked(host), action, {"name": "not sent"}))
        await host.turn_ended()


@pytest.mark.check(40)
async def test_a_link_is_awaited_after_the_consent(play: Play) -> None:
    """Accept is the consent to open, not the completion; elicitation/complete tells of that, and
    unknown or completed ids MUST be ignored.
    """
    script = link(Script().handshake().prompt()).expect_answer("ask", result={"action": "accept"})
    script.notify("elicitation/complete", {"elicitationId": "who?"})
    for _ in range(2):
        script.notify("elicitation/complete", {"elicitationId": "e1"})
    script.expect_silence(0.2).end_turn()
    async with play(script, capabilities=INTERACTIVE) as host:
        await host.opened()
        host.prompt("go")
        number = await asked(host)
        assert host.state.elicitations[0].url == "https://example.org/login"
        host.do(AnswerElicitation(number, "accept"))
        await host.turn_ended()
        assert host.state.awaited == {}
        assert [one.title for one in host.notices].count("Done: Sign in") == 1


@pytest.mark.check(40)
async def test_modes_that_were_not_offered_are_refused(play: Play) -> None:
    """The Agent MUST NOT request a mode the Client has not advertised: -32602."""
    script = form(Script().handshake().prompt()).expect_answer("ask", error={"code": -32602})
    async with play(script.end_turn()) as host:
        await host.turn("go")
        assert host.state.elicitations == []


@pytest.mark.check(40)
@pytest.mark.parametrize(
    "params",
    [
        {"mode": "telepathy", "message": "?", "sessionId": "s1"},
        {"mode": "form", "message": "?", "sessionId": "s1"},
        {"mode": "url", "message": "?", "sessionId": "s1", "url": "https://x.org"},
        {"message": "?"},
    ],
)
async def test_unknown_modes_and_broken_questions_are_refused(
    play: Play, params: dict[str, Any]
) -> None:
    script = Script().handshake().prompt().request("elicitation/create", params, save="ask")
    script.expect_answer("ask", error={"code": -32602}).end_turn()
    async with play(script, capabilities=INTERACTIVE) as host:
        await host.turn("go")


async def test_a_cancelled_turn_cancels_its_questions(play: Play) -> None:
    script = form(Script().handshake().prompt()).expect("session/cancel")
    script.expect_answer("ask", result={"action": "cancel"})
    form(script, message="Late?").expect_answer("ask", result={"action": "cancel"})
    async with play(script.end_turn("cancelled"), capabilities=INTERACTIVE) as host:
        await host.opened()
        host.prompt("go")
        await asked(host)
        host.do(Cancel("s1"))
        await host.turn_ended()
        assert host.state.elicitations == []


async def test_the_agent_takes_a_question_back(play: Play) -> None:
    """The receiver of $/cancel_request MUST answer; here as if a person had cancelled."""
    script = form(Script().handshake().prompt())
    script.notify("$/cancel_request", {"requestId": "${ask}"})
    script.expect_answer("ask", result={"action": "cancel"}).end_turn()
    async with play(script, capabilities=INTERACTIVE) as host:
        await host.turn("go")


@pytest.mark.check(65)
async def test_a_question_for_a_request_of_ours_goes_with_it(play: Play) -> None:
    offered = {"agentCapabilities": {"sessionCapabilities": {"list": {}}}}
    script = Script().handshake(offered).expect("session/list")
    params = {"requestId": 2, "message": "Which?", "mode": "form", "requestedSchema": {}}
    script.request("elicitation/create", params, save="ask").expect("$/cancel_request")
    script.expect_answer("ask", result={"action": "cancel"})
    script.reply("list", error={"code": -32800, "message": "Request cancelled"})
    async with play(script, capabilities=INTERACTIVE) as host:
        await host.opened()
        host.do(ListSessions())
        await asked(host)
        host.do(CancelRequest(next(iter(host.state.calls))))
        await host.until(lambda: not host.state.calls)


async def test_a_free_question_is_answered_in_words(play: Play) -> None:
    params = {"sessionId": "s1", "question": "Which?", "options": ["red", "blue"], "multiple": True}
    script = Script().handshake().prompt().request("_agentao.cn/ask_user", params, save="ask")
    script.expect_answer("ask", result={"outcome": "answered", "text": "red, blue, green"})
    async with play(script.end_turn()) as host:
        await host.opened()
        host.prompt("go")
        content = {"choice": ["red", "blue"], "words": "green"}
        host.do(AnswerElicitation(await asked(host), "accept", content))
        await host.turn_ended()


def test_without_a_person_a_free_question_is_cancelled(tmp_path: Any) -> None:
    params = {"sessionId": "s1", "question": "Which?"}
    script = Script().handshake().prompt().request("_agentao.cn/ask_user", params, save="ask")
    script.expect_answer("ask", result={"outcome": "cancelled"}).end_turn()
    ran = run_turn(argv=script.argv(tmp_path))
    assert ran.code == 0
    assert "Which?" in ran.err
