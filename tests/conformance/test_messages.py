"""JSON-RPC over stdio: framing, ids, and what a client does with what it doesn't know."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_tui.client.capabilities import capabilities_to_offer
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.initialization import ClientCapabilities
from acp_tui.protocol.wire_events import Stray, Unreadable
from acp_tui.state.commands import SendPrompt
from acp_tui.state.entries import ToolCallEntry
from tests.conformance.conftest import Play
from tests.examples import parametrize
from tests.fake_agent.script import Played, Script

pytestmark = pytest.mark.anyio
Wire = Callable[[], Played]

ROOTS = {
    "initialize": {"protocolVersion", "clientCapabilities", "clientInfo"},
    "session/new": {"cwd", "mcpServers"},
    "session/prompt": {"sessionId", "prompt"},
    "session/cancel": {"sessionId"},
}


def whole_turn() -> Script:
    return Script().handshake().prompt().end_turn()


@pytest.mark.check(3)
async def test_one_line_a_message_in_utf_8(play: Play, played: Wire) -> None:
    """Messages are delimited by newlines and MUST NOT contain embedded newlines; UTF-8."""
    text = "a\nb\r\nc\u2028d\u2029e\u0085f 🦜 \x00 end"
    async with play(whole_turn()) as host:
        await host.turn(TextContent(text=text))
    lines = played().lines
    assert len(lines) == 3
    assert all(isinstance(json.loads(line), dict) for line in lines)
    assert not set("\r\u2028\u2029\u0085") & set(lines[2])
    (prompt,) = played().calls("session/prompt")
    assert prompt["params"]["prompt"][0]["text"] == text


@pytest.mark.check(3)
async def test_half_a_character_is_replaced(play: Play, played: Wire) -> None:
    """What is no Unicode can't be sent as UTF-8; the rest of the text arrives."""
    async with play(whole_turn()) as host:
        await host.turn(TextContent(text="a\ud83eb"))
    (prompt,) = played().calls("session/prompt")
    assert prompt["params"]["prompt"][0]["text"] == "a\ufffdb"


@pytest.mark.check(15)
async def test_an_update_for_an_unknown_session_is_not_answered(play: Play) -> None:
    """Notifications never receive a response."""
    other = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "who?"}}
    script = Script().handshake()
    script.notify("session/update", {"sessionId": "never-opened", "update": other})
    async with play(script.expect_silence(0.2).chunk("silent").prompt().end_turn()) as host:
        await host.until(lambda: "silent" in host.said)
        assert not host.state.sessions["never-opened"].opened
        assert [one.session_id for one in host.state.sessions.values() if one.opened] == ["s1"]
        await host.turn()


@pytest.mark.check(16)
async def test_unknown_notifications_are_ignored(play: Play) -> None:
    """Implementations SHOULD ignore unrecognized notifications."""
    script = Script().handshake().notify("foo/bar", {}).notify("_x/y", {"a": 1})
    script.send({"method": "$/progress"}).expect_silence(0.2).chunk("quiet")
    async with play(script) as host:
        await host.until(lambda: host.said == "quiet")


@pytest.mark.check(17)
@parametrize(3, "id", ["a-1", 0, 7, "7", None, -3, 1.5, 2**60, ""])
async def test_an_unknown_extension_is_answered_with_its_own_id(
    play: Play, played: Wire, id: Any
) -> None:
    """A request MUST be answered with the provided id; -32601 where the method isn't known."""
    script = Script().handshake()
    script.steps.append({"do": "request", "save": "odd", "id": id, "method": "_x/y", "params": {}})
    script.expect_answer("odd", error={"code": -32601})
    async with play(script.prompt().end_turn().expect_silence(0.05)) as host:
        await host.turn()
    assert len(played().answers(id)) == 1


@pytest.mark.check(18)
async def test_an_unknown_method_is_refused(play: Play) -> None:
    """-32601: the method does not exist."""
    script = Script().handshake()
    for method in ("foo/bar", "craft/drainMidTurnQueue", "session/prompt", "elicitation/listen"):
        script.request(method, {"sessionId": "s1"}).expect_answer(
            method.rpartition("/")[2], error={"code": -32601}
        )
    async with play(script.chunk("done")) as host:
        await host.until(lambda: host.said == "done")


@pytest.mark.check(19)
async def test_what_was_not_offered_is_not_served(play: Play, work: Path) -> None:
    """Capabilities omitted are UNSUPPORTED: their methods fail with -32601."""
    (work / "a.txt").write_text("secret")
    script = Script().handshake()
    for method in ("fs/read_text_file", "fs/write_text_file", "terminal/create"):
        params = {"sessionId": "s1", "path": f"{work}/a.txt", "content": "x", "command": "true"}
        script.request(method, params).expect_answer(
            method.rpartition("/")[2], error={"code": -32601}
        )
    script.prompt().end_turn()
    async with play(script, capabilities=ClientCapabilities()) as host:
        await host.turn()
    assert (work / "a.txt").read_text() == "secret"
    assert capabilities_to_offer().terminal


async def test_bad_params_are_refused(play: Play) -> None:
    """-32602: invalid method parameters."""
    script = Script().handshake()
    for method in ("fs/read_text_file", "terminal/output", "session/request_permission"):
        script.request(method, {"sessionId": 5}).expect_answer(
            method.rpartition("/")[2], error={"code": -32602}
        )
    async with play(script.chunk("done")) as host:
        await host.until(lambda: host.said == "done")


@pytest.mark.check(36)
async def test_noise_on_stdout_is_survived_and_kept(play: Play, played: Wire) -> None:
    """The session goes on after lines that are no ACP messages, and nothing is said to them."""
    chunk = json.dumps(
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {
                "sessionId": "s1",
                "update": {
                    "sessionUpdate": "agent_message_chunk",
                    "content": {"type": "text", "text": "CRLF"},
                },
            },
        }
    ).encode()
    script = Script().garbage("npm warn deprecated", "42", "null", "true", '"x"', "{", "{}")
    script.handshake().raw(b"\xff\xfe\x00\n\n \t \n\r\n").raw(chunk + b"\r\n")
    script.garbage("x" * 5 * 2**20).prompt().chunk(" and on").end_turn().expect_silence(0.1)
    async with play(script) as host:
        await host.turn()
        assert host.said == "CRLF and on" or host.said == "CRLF\n and on"
        assert len(host.problems) == 9
    assert [message.get("method") for message in played().messages] == [
        "initialize",
        "session/new",
        "session/prompt",
    ]


@pytest.mark.check(36)
async def test_a_line_of_five_mebibytes_is_one_message(play: Play) -> None:
    """There is no limit to a line in the protocol; big ones must arrive whole."""
    script = Script().handshake().prompt().chunk("0123456789abcdef" * 327_680).end_turn()
    async with play(script) as host:
        await host.turn()
        assert len(host.said) == 5 * 2**20


async def test_a_line_over_the_limit_is_told_and_the_session_goes_on(play: Play) -> None:
    """Too long a line is an error with a way on past it, never a dead reader."""
    script = Script().handshake().prompt().chunk("x" * 3000).chunk("after").end_turn()
    async with play(script, line_limit=2048) as host:
        await host.turn()
        assert host.said == "after"
        problem, answer = host.problems
        assert isinstance(problem, Unreadable)
        assert "over the limit" in problem.reason
        assert isinstance(answer, Stray)
        assert answer.error is not None
        assert answer.error.code == -32700


@pytest.mark.check(37)
async def test_unknown_kinds_are_survived(play: Play) -> None:
    """Unknown updates, contents, tool kinds and statuses, and null fields never end a session."""
    entries = [{"content": "a", "priority": "high", "status": "pending"}]
    done = [{"content": "b", "priority": "odd", "status": "completed"}]
    script = Script().handshake({"futureField": [1]}, {"models": {"currentModelId": "m"}})
    script.prompt()
    script.update("telepathy", wave=7).update("agent_message_chunk", content={"type": "smell"})
    script.tool_call("t1", "Odd", kind="dance", status="paused", content=None, locations=None)
    script.tool_call_update("t2", title="Late", status="completed").tool_call_update(
        "t1", kind=None
    )
    script.update("plan", entries=entries).update("plan", entries=done)
    script.notify("session/update", {"sessionId": "s1"})
    script.notify("session/update", {"sessionId": "s1", "update": {"sessionUpdate": None}})
    script.chunk("well", messageId=None, _meta=None, schema_version=3).end_turn()
    async with play(script.prompt().chunk(" again").end_turn()) as host:
        assert (await host.turn()).stop_reason == "end_turn"
        session = host.session
        assert [entry.content for entry in session.plan.steps] == ["b"]
        calls = [one for one in host.entries if isinstance(one, ToolCallEntry)]
        assert [one.title for one in calls] == ["Odd", "Late"]
        assert (await host.turn()).stop_reason == "end_turn"
        assert "well" in host.said
        assert "again" in host.said


@pytest.mark.check(37)
async def test_a_mode_update_counts_in_both_its_spellings(play: Play) -> None:
    """The documentation's example says modeId, the schema says currentModeId."""
    modes = [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]
    new = {"modes": {"currentModeId": "ask", "availableModes": modes}}
    script = Script().handshake(None, new).update("current_mode_update", modeId="code")
    script.prompt().update("current_mode_update", currentModeId="ask").end_turn()
    async with play(script) as host:
        session = await host.opened()
        await host.until(lambda: session.config.mode == "Code")
        await host.turn()
        assert session.config.mode == "Ask"


@pytest.mark.check(44)
async def test_a_batch_gets_one_error(play: Play, played: Wire) -> None:
    """ACP has no JSON-RPC batches: one -32600 with a null id, and the session goes on."""
    batch = [{"jsonrpc": "2.0", "id": 1, "method": "_x"}, {"jsonrpc": "2.0", "method": "_y"}]
    script = Script().handshake().garbage(json.dumps(batch)).prompt().end_turn()
    async with play(script) as host:
        await host.opened()
        await host.until(lambda: host.problems)
        await host.turn()
    errors = [message["error"]["code"] for message in played().answers(None)]
    assert errors == [-32600]
    assert played().answers(1) == []


@pytest.mark.check(45)
async def test_odd_answers_are_ignored_and_flagged(play: Play, played: Wire) -> None:
    """An answer to nothing and a second answer change nothing; one with a result and an error fails."""
    script = Script().handshake().prompt()
    script.send({"id": 12345, "result": {}}).send({"id": "0", "result": {}})
    script.send({"id": "${new}", "result": {"sessionId": "other"}})
    script.send({"id": "${prompt}", "result": {}, "error": {"code": 1, "message": "x"}})
    async with play(script.end_turn().prompt().end_turn()) as host:
        failed = (await host.turn()).error
        assert failed is not None
        assert failed.result == {}
        assert (await host.turn()).stop_reason == "end_turn"
        assert len(host.problems) == 4
        assert list(host.state.sessions) == ["s1"]


@pytest.mark.check(46)
async def test_ids_are_never_used_again(play: Play, played: Wire) -> None:
    """An id MUST NOT be used again while its request is pending."""
    script = Script().handshake()
    for _ in range(3):
        script.prompt().end_turn()
    async with play(script) as host:
        for _ in range(3):
            await host.turn()
    ids = [message["id"] for message in played().messages]
    assert len(set(ids)) == len(ids) == 5


@pytest.mark.check(47)
async def test_no_fields_of_our_own_at_the_root(play: Play, played: Wire) -> None:
    """Implementations MUST NOT add any custom fields at the root of a type."""
    async with play(whole_turn()) as host:
        await host.turn()
    for message in played().messages:
        assert set(message) == {"jsonrpc", "id", "method", "params"}
        assert set(message["params"]) <= ROOTS[message["method"]]


@pytest.mark.slow
async def test_two_thousand_requests_at_once_get_one_answer_each(
    play: Play, played: Wire, work: Path
) -> None:
    """Every request is answered exactly once."""
    (work / "a.txt").write_text("hello")
    script = Script().handshake()
    for number in range(2000):
        params = {"sessionId": "s1", "path": f"{work}/a.txt"}
        script.request("fs/read_text_file", params, save=f"r{number}", id=number)
    for number in range(2000):
        script.expect_answer(f"r{number}", result={"content": "hello"})
    async with play(script.prompt().end_turn().expect_silence(0.1)) as host:
        await host.turn()
    answers = [one["id"] for one in played().messages if "method" not in one]
    assert sorted(answers) == list(range(2000))


async def test_a_prompt_waits_for_the_end_of_the_turn_before(play: Play, played: Wire) -> None:
    """A turn ends with the response to its prompt; the next begins after that."""
    script = Script().handshake().prompt().chunk("busy").expect_silence(0.2).end_turn()
    async with play(script) as host:
        await host.opened()
        host.prompt("first")
        await host.until(lambda: host.said)
        host.do(SendPrompt("s1", (TextContent(text="second"),)))
        assert [notice.title for notice in host.notices] == ["Not sent"]
        await host.turn_ended()
    assert len(played().calls("session/prompt")) == 1
