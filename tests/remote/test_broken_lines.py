"""Lines that break: what happened is told, nothing waits for ever, and the transcript goes on."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import anyio
import httpx2
import pytest
from websockets.http11 import Request
from websockets.server import ServerProtocol

from acp_tui.client.errors import LineBroken
from acp_tui.client.remote import carrier, http, websocket
from acp_tui.client.remote.credentials import Credentials
from acp_tui.client.remote.streams import Stream
from acp_tui.config.settings import Protocol, RestartSettings
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.protocol.frames import Flaw, Frame
from acp_tui.protocol.process_events import RestartPlanned
from acp_tui.state.commands import Restart
from acp_tui.state.entries import MessageEntry
from tests.examples import parametrize
from tests.fake_agent.script import Script
from tests.hosting import eventually
from tests.remote.bridge import Answer, Bridge, Seen, bridged
from tests.remote.hosts import LATER, NEVER, SCHEMES, SOON, RemoteHost, reaching
from tests.remote.proxy import Proxy, proxied

pytestmark = pytest.mark.anyio
LOADS = {"agentCapabilities": {"loadSession": True}}


def findings(host: RemoteHost) -> list[str]:
    log = Log(host.records, Linter())
    log.catch_up()
    log.finish()
    return [found.message for found in log.findings]


def asking() -> Script:
    """In the middle of a turn it asks, and then waits."""
    return Script().handshake(LOADS).prompt().chunk("begun").ask_permission().expect("never")


def loading() -> Script:
    script = Script().initialize(LOADS).expect("session/load", {"sessionId": "s1"})
    script.update("user_message_chunk", content={"type": "text", "text": "go"})
    return script.reply("load", {}).prompt().chunk("back").end_turn()


@asynccontextmanager
async def on_a_line(
    argv: list[str],
    folder: Path,
    scheme: str,
    restart: RestartSettings = NEVER,
    *,
    is_down: bool = False,
    protocol: Protocol = "1",
) -> AsyncIterator[tuple[RemoteHost, Bridge, Proxy]]:
    """Reach an agent over a line that can be broken."""
    async with bridged(argv, folder) as bridge, proxied(bridge.port) as line:
        line.is_down = is_down
        url = bridge.url(scheme, line.port)
        async with reaching(url, folder, restart, protocol=protocol) as host:
            yield host, bridge, line


async def goes_on(host: RemoteHost, bridge: Bridge) -> None:
    """What was lost is told, and the transcript goes on in the same session."""
    assert host.ends[0].lost is not None
    assert host.ends[0].lost.startswith("disconnected: ")
    assert not host.state.waiting_permissions()
    await host.until(lambda: host.attempts > 1 and host.state.peer.initialized)
    await host.opened()
    await host.turn("again")
    assert host.said == "begun\nback"
    assert "Connected again" in [notice.title for notice in host.notices]
    said = [one.message["params"]["prompt"][0]["text"] for one in bridge.posts("session/prompt")]
    assert said == ["go", "again"]  # what may have arrived is not sent again
    assert not [one for one in bridge.seen if one.message.get("result", {}).get("outcome")]


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_cut_in_a_turn_with_a_question_open(tmp_path: Path, scheme: str) -> None:
    argv = asking().argv(tmp_path, loading())
    async with on_a_line(argv, tmp_path, scheme, SOON) as (host, bridge, line):
        await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        await line.cut()
        await host.turn_ended()
        assert host.state.permission(permission.number) is None
        lost = await host.disconnected()
        assert f"the connection ended during a turn: {lost.why}" in findings(host)
        await goes_on(host, bridge)


SESSIONS = {"agentCapabilities": {"sessionCapabilities": {"resume": {}}}}


def resuming() -> Script:
    return (
        Script().initialize(SESSIONS).expect("session/resume", {"sessionId": "s1"}).reply("resume")
    )


def keys(bridge: Bridge) -> list[str | None]:
    """The idempotency keys of the prompts that were sent."""
    return [one.message["params"].get("idempotencyKey") for one in bridge.posts("session/prompt")]


@asynccontextmanager
async def cut_before_the_answer(
    tmp_path: Path, *later: Script, protocol: Protocol = "2"
) -> AsyncIterator[tuple[RemoteHost, Bridge, Proxy]]:
    """The line is cut once the agent has a prompt, and before it answers."""
    first = Script().handshake(SESSIONS)
    first.expect("session/prompt", acknowledged=False).expect("never")
    argv = first.argv(tmp_path, *later)
    async with on_a_line(argv, tmp_path, "ws", SOON, protocol=protocol) as (host, bridge, line):
        await host.opened()
        host.prompt()
        await eventually(lambda: bridge.posts("session/prompt"))
        await line.cut()
        yield host, bridge, line


async def test_a_prompt_whose_answer_was_lost_is_sent_again_with_its_key(tmp_path: Path) -> None:
    again = resuming().prompt().chunk("back").end_turn()
    async with cut_before_the_answer(tmp_path, again) as (host, bridge, _):
        await host.until(lambda: len(host.ends) == 2)
        first, second = keys(bridge)
        assert first is not None
        assert first == second
        assert host.said == "back"
        assert host.ends[0].lost is not None
        assert host.ends[1].stop_reason == "end_turn"
        prompts = [one for one in host.entries if isinstance(one, MessageEntry) and one.ours]
        assert len(prompts) == 1, "it stands in the transcript once"
        [notice] = [one for one in host.notices if one.title == "Connected again"]
        assert "is sent again, with its key: it counts once." in (notice.description or "")


async def test_a_prompt_is_sent_again_once(tmp_path: Path) -> None:
    again = resuming().expect("session/prompt", acknowledged=False).expect("never")
    last = resuming().expect("never")
    async with cut_before_the_answer(tmp_path, again, last) as (host, bridge, line):
        await eventually(lambda: len(keys(bridge)) == 2)
        await line.cut()
        await host.until(lambda: host.attempts > 2 and host.state.peer.initialized)
        await host.opened()
        assert len(keys(bridge)) == 2
        assert "The turn that was lost is not sent again." in str(host.notices[-1].description)


async def test_a_prompt_without_a_key_is_not_sent_again(tmp_path: Path) -> None:
    again = resuming().expect("never")
    async with cut_before_the_answer(tmp_path, again, protocol="1") as (host, bridge, _):
        await host.until(lambda: host.attempts > 1 and host.state.peer.initialized)
        await host.opened()
        assert keys(bridge) == [None]
        assert "The turn that was lost is not sent again." in str(host.notices[-1].description)


async def test_an_agent_that_was_done_with_the_prompt_ends_its_turn(tmp_path: Path) -> None:
    again = Script().initialize(SESSIONS).expect("session/resume", {"sessionId": "s1"})
    again.update("state_update", state="idle", stopReason="end_turn").reply("resume")
    async with cut_before_the_answer(tmp_path, again.prompt().expect("never")) as (host, _, _line):
        await host.until(lambda: len(host.ends) == 2)
        assert host.ends[1].stop_reason == "end_turn"


async def test_a_turn_that_goes_on_when_the_line_is_back_is_shown_to_its_end(
    tmp_path: Path,
) -> None:
    def chunk(script: Script, text: str) -> Script:
        content = {"type": "text", "text": text}
        return script.update("agent_message_chunk", messageId="m", content=content)

    again = Script().initialize(SESSIONS).expect("session/resume", {"sessionId": "s1"})
    chunk(again.update("state_update", state="running").reply("resume"), "lo")
    again.update("state_update", state="idle", stopReason="end_turn")
    argv = chunk(Script().handshake(SESSIONS).prompt(), "Hel").expect("never").argv(tmp_path, again)
    async with on_a_line(argv, tmp_path, "ws", SOON, protocol="2") as (host, _, line):
        await host.opened()
        host.prompt()
        await host.until(lambda: host.said == "Hel")
        await line.cut()
        await host.until(lambda: len(host.ends) == 2)
        assert host.said == "Hel\nlo"


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_cut_in_the_middle_of_a_message(tmp_path: Path, scheme: str) -> None:
    argv = asking().argv(tmp_path, loading())
    async with on_a_line(argv, tmp_path, scheme, SOON) as (host, _, line):
        await host.opened()
        await eventually(lambda: scheme == "ws" or "event stream of session s1" in host.facts[-1])
        line.room = 300 if scheme == "http" else 150
        host.prompt()
        await host.turn_ended()
        assert "cut" in (host.ends[0].lost or "") or "message" in (host.ends[0].lost or "")
        kept = [one for one in host.records if isinstance(one, Frame) and one.flaw]
        assert [one.flaw for one in kept] == [Flaw.UNFINISHED] * len(kept)


async def test_a_websocket_that_stalls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "SILENCE_TIMEOUT", 0.4)
    argv = Script().handshake().prompt().argv(tmp_path)
    async with on_a_line(argv, tmp_path, "ws") as (host, _, line):
        await host.opened()
        line.stalled = True
        host.prompt()
        lost = "disconnected: the server has been silent for 0.4 s, even to a ping"
        assert (await host.turn_ended()).lost == lost


async def test_a_server_whose_signs_of_life_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "KEEP_ALIVE_INTERVAL", 0.01)
    async with on_a_line(Script().handshake().argv(tmp_path), tmp_path, "http") as (
        host,
        bridge,
        _,
    ):
        bridge.keeps_alive = True
        await host.opened()
        await host.until(lambda: host.facts[-1].startswith("event stream of session s1"))
        assert not host.lost
        monkeypatch.setattr(http, "SILENCE_TIMEOUT", 0.05)
        lost = await host.disconnected()
        assert lost.why == "the server has been silent for 0.05 s"


async def test_a_page_in_place_of_an_event_stream_is_told(tmp_path: Path) -> None:
    argv = Script().handshake().argv(tmp_path)
    page = Answer(200, b"<html>Welcome</html>", ("Content-Type: text/html; charset=utf-8",))
    async with on_a_line(argv, tmp_path, "http") as (host, bridge, _):
        bridge.bend = lambda seen: page if seen.method == "GET" else None
        told = "event stream of the connection: HTTP/1.1 200, but its type is text/html"
        await host.until(lambda: told in host.facts)


async def test_a_post_whose_answer_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    argv = Script().handshake().prompt().argv(tmp_path)
    async with on_a_line(argv, tmp_path, "http") as (host, bridge, _):
        await host.opened()
        await host.until(lambda: host.facts[-1].startswith("event stream of session s1"))
        monkeypatch.setattr(http, "SILENCE_TIMEOUT", 0.2)
        slow = Answer(202, b" " * 10_000, pause=0.02)
        bridge.bend = lambda seen: slow if seen.rpc == "session/prompt" else None
        host.prompt()
        lost = "disconnected: no answer to a POST of session/prompt within 0.2 s"
        assert (await host.turn_ended()).lost == lost


async def test_a_post_that_stalls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    argv = Script().handshake().prompt().argv(tmp_path)
    async with on_a_line(argv, tmp_path, "http") as (host, _, line):
        await host.opened()
        await host.until(lambda: host.facts[-1].startswith("event stream of session s1"))
        monkeypatch.setattr(http, "SILENCE_TIMEOUT", 0.05)
        monkeypatch.setattr(carrier, "DISCONNECT_TIMEOUT", 0.05)
        line.stalled = True
        host.prompt()
        lost = "disconnected: no answer to a POST of session/prompt within 0.05 s"
        assert (await host.turn_ended()).lost == lost


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_server_that_is_down_is_tried_until_it_is_up(tmp_path: Path, scheme: str) -> None:
    argv = Script().handshake().argv(tmp_path)
    async with on_a_line(argv, tmp_path, scheme, SOON, is_down=True) as (host, _, line):
        await host.until(lambda: len(host.lost) > SOON.most)
        waits = [one.seconds for one in host.events if isinstance(one, RestartPlanned)]
        assert waits[:4] == [0.01, 0.02, 0.04, 0.05]
        line.is_down = False
        await host.opened()


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_where_nothing_listens_that_is_said(tmp_path: Path, scheme: str) -> None:
    async with bridged([], tmp_path) as bridge:
        pass
    async with reaching(bridge.url(scheme), tmp_path, LATER) as host:
        lost = await host.disconnected()
        assert lost.why == f"nothing listens at 127.0.0.1 port {bridge.port}: connection refused"
        await host.until(lambda: host.state.peer.restart.planned)


@parametrize(1, "scheme", SCHEMES)
@parametrize(
    1,
    ("status", "words", "refused"),
    [
        (401, "the server wants other credentials (HTTP 401 Unauthorized: no)", True),
        (403, "the server doesn't let us in (HTTP 403 Forbidden: no)", True),
        (404, "there is no agent at this address (HTTP 404 Not Found: no)", True),
        (409, "HTTP 409 Conflict: no", True),
        (410, "there is no agent at this address (HTTP 410 Gone: no)", True),
        (500, "HTTP 500 Internal Server Error: no", False),
        (503, "HTTP 503 Service Unavailable: no", False),
        (308, "the agent is at another address, 'https://else.example/acp'", True),
    ],
)
async def test_a_server_that_takes_no_connection(
    tmp_path: Path, scheme: str, status: int, words: str, refused: bool
) -> None:
    async with bridged([], tmp_path) as bridge:
        bridge.bend = lambda _: Answer(status, b"no", ("Location: https://else.example/acp?k=1",))
        async with reaching(bridge.url(scheme), tmp_path, LATER) as host:
            lost = await host.disconnected()
            assert lost.why.startswith(words)
            assert lost.refused == refused
            if not refused:
                await host.until(lambda: host.state.peer.restart.planned)


@parametrize(
    2, ("status", "is_over"), [(401, True), (404, True), (410, True), (409, False), (500, False)]
)
async def test_a_prompt_that_the_server_refuses(tmp_path: Path, status: int, is_over: bool) -> None:
    """Those that say the connection is gone end it; any other ends the prompt alone."""
    script = Script().handshake(LOADS).prompt().chunk("back").end_turn()
    refused: list[Seen] = []

    def bend(seen: Seen) -> Answer | None:
        if seen.rpc == "session/prompt" and not refused:
            refused.append(seen)
            return Answer(status, b"not now")
        return None

    argv = script.argv(tmp_path, loading())
    async with bridged(argv, tmp_path) as bridge:
        bridge.bend = bend
        async with reaching(bridge.url("http"), tmp_path, SOON) as host:
            ended = await host.turn("first")
            told = ended.lost if is_over or ended.error is None else ended.error.message
            assert f"HTTP {status}" in (told or "")
            if status == 401:
                assert host.state.peer.restart.planned is None
                host.do(Restart())
            if is_over:
                await host.until(lambda: host.attempts == 2 and host.state.peer.initialized)
            await host.opened()
            await host.turn("second")
            assert host.said.endswith("back")
            assert host.attempts == 1 + is_over


async def test_an_answer_that_the_server_refuses_is_told(tmp_path: Path) -> None:
    script = Script().handshake().prompt().ask_permission().expect("session/cancel").end_turn()

    def bend(seen: Seen) -> Answer | None:
        is_answer = seen.method == "POST" and not seen.rpc
        return Answer(502, b"<html>") if is_answer else None

    async with bridged(script.argv(tmp_path), tmp_path) as bridge:
        bridge.bend = bend
        async with reaching(bridge.url("http"), tmp_path) as host:
            await host.opened()
            host.prompt()
            await host.allow()
            await host.until(lambda: host.notices)
            assert host.notices[-1].title == "An answer to the agent did not get to the agent"
            assert host.notices[-1].description == "HTTP 502 Bad Gateway"
            assert not host.lost


async def test_a_server_that_repeats_what_was_lost_loses_nothing(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("begun ").ask_permission()
    script.expect_answer("ask", result={"outcome": {"outcome": "selected", "optionId": "yes"}})
    script.chunk("done").end_turn()
    async with on_a_line(script.argv(tmp_path), tmp_path, "http") as (host, bridge, line):
        bridge.ids = True
        await host.opened()
        host.prompt()
        await host.permission()
        await line.cut()
        await host.allow()
        assert (await host.turn_ended()).stop_reason == "end_turn"
        assert host.said == "begun \ndone"
        assert not host.lost
        assert "2" in [one.headers.get("Last-Event-ID") for one in bridge.seen]
        assert any("asked for again after event 2" in fact for fact in host.facts)


async def test_a_stream_that_ends_in_peace_is_opened_again(tmp_path: Path) -> None:
    ended: list[Seen] = []

    def bend(seen: Seen) -> Answer | None:
        if seen.method == "GET" and seen.session == "s1" and not ended:
            ended.append(seen)
            return Answer(200)
        return None

    script = Script().handshake().prompt().chunk("there").end_turn()
    async with on_a_line(script.argv(tmp_path), tmp_path, "http") as (host, bridge, _):
        bridge.bend = bend
        await host.opened()
        await eventually(lambda: len([one for one in bridge.seen if one.session == "s1"]) == 2)
        await host.turn()
        assert host.said == "there"
        assert not host.lost


async def test_a_stream_that_another_reads_ends_only_what_needs_it(tmp_path: Path) -> None:
    script = Script().handshake()
    async with on_a_line(script.argv(tmp_path), tmp_path, "http") as (host, bridge, _):
        bridge.bend = lambda seen: Answer(409, b"taken") if seen.session == "s1" else None
        ended = await host.turn()
        assert ended.error is not None
        assert ended.error.message == "HTTP 409 Conflict: taken"
        assert not host.lost
        assert bridge.posts("session/prompt") == []


@pytest.mark.parametrize("id", ["s-é", "s \ud800", "s\r\nX-More: 1"])
async def test_an_id_that_no_header_can_have_breaks_only_the_connection(
    tmp_path: Path, id: str
) -> None:
    def bend(seen: Seen) -> Answer | None:
        opened = {"jsonrpc": "2.0", "id": seen.message.get("id"), "result": {"sessionId": id}}
        return Answer(200, json.dumps(opened).encode()) if seen.rpc == "session/new" else None

    async with bridged(asking().argv(tmp_path), tmp_path) as bridge:
        bridge.bend = bend
        async with reaching(bridge.url("http"), tmp_path) as host:
            await host.until(lambda: host.lost or host.state.open_sessions())
            assert not any("X-More" in seen.headers for seen in bridge.seen)


@pytest.mark.parametrize("status", [101, 302])
async def test_a_server_that_says_a_header_twice(tmp_path: Path, status: int) -> None:
    twice = ("Location: a", "Location: b", "Acp-Connection-Id: a", "Acp-Connection-Id: b")
    async with bridged(asking().argv(tmp_path), tmp_path) as bridge:

        def bend(seen: Seen) -> Answer:
            accept = ServerProtocol().accept(Request("/acp", seen.headers)).headers
            given = [f"{name}: {value}" for name, value in accept.raw_items()]
            return Answer(status, b"", (*given, *twice))

        bridge.bend = bend
        async with reaching(bridge.url("ws"), tmp_path) as host:
            if status == 101:
                await host.until(lambda: host.facts)
                assert "Acp-Connection-Id a, b" in host.facts[0]
            else:
                assert "'a, b'" in (await host.disconnected()).why


async def test_a_server_that_ends_each_stream_at_once_is_not_asked_without_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 4:
            raise LineBroken("enough")

    monkeypatch.setattr(anyio, "sleep", wait)

    async def event() -> AsyncIterator[bytes]:
        yield b"id: 1\n\n"

    answer = httpx2.MockTransport(lambda _: httpx2.Response(200, content=event()))
    told: list[str] = []
    watcher = SimpleNamespace(limit=1000, clock=lambda: 0.0, record_fact=told.append)
    async with httpx2.AsyncClient(transport=answer) as client:
        stream = Stream(client, "http://x/acp", {}, None, None, bool, Credentials(), watcher)  # type: ignore[arg-type]
        with pytest.raises(LineBroken, match="enough"):
            await stream.run()
    assert waits == [0.0, 0.5, 0.5, 0.5]
