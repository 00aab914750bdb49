"""Whole turns with an agent over a network: what goes over the line, and what is told of it."""

from pathlib import Path

import anyio
import pytest

from acp_tui.client.remote import carrier
from acp_tui.config.remote import Remote
from acp_tui.config.settings import Protocol
from acp_tui.state.commands import OpenSession
from tests.fake_agent.script import Played, Script
from tests.hosting import eventually
from tests.remote.bridge import COOKIE, Answer, Seen, bridged
from tests.remote.hosts import LATER, SCHEMES, SOON, reaching
from tests.remote.proxy import proxied

pytestmark = pytest.mark.anyio
TOKEN = "very-secret-4711"


def working() -> Script:
    script = Script().handshake().prompt().ask_permission()
    script.expect_answer("ask", result={"outcome": {"outcome": "selected", "optionId": "yes"}})
    return script.chunk("done ✓").end_turn()


@pytest.mark.parametrize("protocol", ["1", "2"])
@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_whole_turn(tmp_path: Path, scheme: str, protocol: Protocol) -> None:
    async with bridged(working().argv(tmp_path), tmp_path) as bridge:
        async with reaching(bridge.url(scheme), tmp_path, protocol=protocol) as host:
            await host.opened()
            host.prompt()
            await host.allow()
            assert (await host.turn_ended()).stop_reason == "end_turn"
            assert host.said == "done ✓"
        assert host.facts[0].startswith("connected: ")
        assert "connection-1" in host.facts[0]
        assert [(end.why, end.asked) for end in host.lost] == [
            ("acp-tui ended the connection", True)
        ]
        await eventually(lambda: bridge.agents["connection-1"].process.returncode is not None)
    Played(tmp_path).check()


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_an_agent_of_version_1_is_connected_to_again(tmp_path: Path, scheme: str) -> None:
    again = Script().only_version_1().handshake().prompt().chunk("back").end_turn()
    argv = Script().only_version_1().initialize().expect_eof().argv(tmp_path, again)
    async with (
        bridged(argv, tmp_path) as bridge,
        reaching(bridge.url(scheme), tmp_path, protocol="auto") as host,
    ):
        await host.opened()
        await host.turn("hello")
        assert host.said == "back"
        assert host.attempts == 2
        assert host.state.peer.version == 1


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_server_that_misreads_version_2_is_asked_in_version_1(
    tmp_path: Path, scheme: str
) -> None:
    argv = Script().only_version_1().handshake().prompt().chunk("back").end_turn().argv(tmp_path)
    async with bridged(argv, tmp_path) as bridge:
        answers = iter([Answer(400, b"which version is that?")])
        bridge.bend = lambda _: next(answers, None)
        async with reaching(bridge.url(scheme), tmp_path, protocol="auto") as host:
            await host.opened()
            await host.turn("hello")
            assert host.said == "back"
            assert host.state.peer.version == 1
            assert [lost.misread for lost in host.lost] == [True]


async def test_over_http_each_message_says_where_it_belongs(tmp_path: Path) -> None:
    async with bridged(working().argv(tmp_path), tmp_path) as bridge:
        async with reaching(bridge.url("http"), tmp_path) as host:
            await host.opened()
            host.prompt()
            await host.allow()
            await host.turn_ended()
        ways = [(one.method, one.rpc, one.session) for one in bridge.seen]
        assert ways[0] == ("POST", "initialize", None)
        assert sorted(ways[1:3]) == [("GET", "", None), ("POST", "session/new", None)]
        assert ways[3:] == [
            ("GET", "", "s1"),
            ("POST", "session/prompt", "s1"),
            ("POST", "", "s1"),  # the answer to the permission
            ("DELETE", "", None),
        ]
        ids = {one.headers.get("Acp-Connection-Id") for one in bridge.seen[1:]}
        assert ids == {"connection-1"}


@pytest.mark.parametrize("known", [True, False])
async def test_what_is_loaded_is_streamed_from_before(tmp_path: Path, known: bool) -> None:
    """A server that learns of the session only by the request gets that first."""
    script = Script().initialize({"agentCapabilities": {"loadSession": True}})
    script.expect("session/load", {"sessionId": "s1"}).chunk("from before").reply("load", {})

    def bend(seen: Seen) -> Answer | None:
        loads = any(one.rpc == "session/load" for one in bridge.seen)
        unknown = seen.method == "GET" and seen.session == "s1" and not (known or loads)
        return Answer(404, b"Unknown session id") if unknown else None

    async with bridged(script.argv(tmp_path), tmp_path) as bridge:
        bridge.bend = bend
        async with reaching(
            bridge.url("http"), tmp_path, opening=OpenSession("s1", history=True)
        ) as host:
            await host.opened()
            await host.until(lambda: host.said == "from before")
            ways = [(one.method, one.rpc) for one in bridge.seen if one.session == "s1"]
            loaded = [("GET", ""), ("POST", "session/load")]
            await eventually(
                lambda: len([w for w in bridge.seen if w.method == "GET"]) >= 2 + (not known)
            )
            assert ways[:2] == (loaded if known else [("GET", ""), ("GET", "")][: len(ways[:2])])


async def test_what_one_stream_brings_before_another_is_put_together_all_the_same(
    tmp_path: Path,
) -> None:
    """Streams are connections of their own: an answer can overtake what was said before it."""
    script = Script().initialize({"agentCapabilities": {"loadSession": True}})
    script.expect("session/load", {"sessionId": "s1"}).chunk("from before").reply("load", {})
    script.prompt().chunk(" and now").end_turn()
    async with bridged(script.argv(tmp_path), tmp_path) as bridge:
        bridge.late = anyio.Event()
        opening = OpenSession("s1", history=True)
        async with reaching(bridge.url("http"), tmp_path, opening=opening) as host:
            await host.opened()
            assert host.said == ""
            bridge.late.set()
            await host.until(lambda: host.said == "from before")
            assert (await host.turn()).stop_reason == "end_turn"
            assert "and now" in host.said
    Played(tmp_path).check()


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_line_that_cuts_bytes_anywhere_carries_the_same(
    tmp_path: Path, scheme: str
) -> None:
    argv = working().argv(tmp_path)
    async with bridged(argv, tmp_path) as bridge, proxied(bridge.port) as line:
        line.chop = 1
        async with reaching(bridge.url(scheme, line.port), tmp_path) as host:
            await host.opened()
            host.prompt()
            await host.allow()
            await host.turn_ended()
            assert host.said == "done ✓"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("way", ["variable", "command"])
async def test_a_token_goes_with_each_request_and_into_nothing_else(
    tmp_path: Path, scheme: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_TUI_TEST_TOKEN", TOKEN)
    command = ("sh", "-c", "echo $ACP_TUI_TEST_TOKEN")
    named = {"token_env": "ACP_TUI_TEST_TOKEN"} if way == "variable" else {"token_command": command}

    def bend(seen: Seen) -> Answer | None:
        return Answer(500, f"not with {TOKEN}".encode()) if seen.rpc == "session/prompt" else None

    async with bridged(working().argv(tmp_path), tmp_path) as bridge:
        bridge.bend = bend
        remote = Remote(bridge.url(scheme), {"X-Team": "tea"}, **named)
        async with reaching(remote, tmp_path) as host:
            await host.opened()
            if scheme == "http":
                ended = await host.turn()
                assert ended.error is not None
                assert "HTTP 500 Internal Server Error: not with [masked]" in ended.error.message
        for seen in bridge.seen:
            assert seen.headers["Authorization"] == f"Bearer {TOKEN}"
            assert seen.headers["X-Team"] == "tea"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    "before", [b"x" * 180 + b" ", b" " * 8160, b""], ids=["cut", "cut off", "whole"]
)
async def test_no_part_of_a_secret_is_told_where_a_server_repeats_it(
    tmp_path: Path, scheme: str, before: bytes
) -> None:
    secret = "c2VjcmV0LXVzZXI6c2VjcmV0LXBhc3M="
    async with bridged(working().argv(tmp_path), tmp_path) as bridge:
        bridge.bend = lambda _: Answer(500, before + secret.encode())
        remote = Remote(bridge.url(scheme), {"Authorization": f"Basic {secret}"})
        async with reaching(remote, tmp_path) as host:
            why = (await host.disconnected()).why
            assert why.startswith("HTTP 500 Internal Server Error")
            assert secret[:4] not in why


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ({"token_env": "NO_SUCH_TOKEN"}, "the environment variable NO_SUCH_TOKEN should hold"),
        ({"token_command": ("false",)}, "the token's command 'false' ended with code 1"),
        ({"token_command": ("true",)}, "the token's command 'true' printed no token"),
        (
            {"token_command": ("sk-4711",)},
            "the token's command, whose first word names no program, can't be run: No",
        ),
    ],
)
async def test_without_the_token_nothing_is_sent(
    tmp_path: Path, named: dict[str, str], why: str
) -> None:
    async with bridged(working().argv(tmp_path), tmp_path) as bridge:
        async with reaching(Remote(bridge.url("ws"), **named), tmp_path, SOON) as host:
            lost = await host.disconnected()
            assert why in lost.why
            assert lost.refused
        assert bridge.seen == []


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_cookies_are_given_back_to_the_next_connection(tmp_path: Path, scheme: str) -> None:
    script = Script().handshake()
    argv = script.argv(tmp_path)
    async with bridged(argv, tmp_path) as bridge, proxied(bridge.port) as line:
        async with reaching(bridge.url(scheme, line.port), tmp_path, SOON) as host:
            await host.opened()
            await line.cut()
            await host.until(lambda: host.attempts == 2)
            await eventually(lambda: len(bridge.posts("initialize")) == 2)
        assert f"place={COOKIE}" in bridge.posts("initialize")[-1].headers["Cookie"]


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_cookie_that_a_server_repeats_is_masked_in_the_next_connection_too(
    tmp_path: Path, scheme: str
) -> None:
    argv = Script().handshake().argv(tmp_path)
    async with (
        bridged(argv, tmp_path) as bridge,
        proxied(bridge.port) as line,
        reaching(bridge.url(scheme, line.port), tmp_path, SOON) as host,
    ):
        await host.opened()
        bridge.bend = lambda _: Answer(403, f"not with {COOKIE}".encode())
        await line.cut()
        await host.until(lambda: host.lost and host.lost[-1].refused)
        assert "not with [masked]" in host.lost[-1].why


async def test_what_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise ModuleNotFoundError(name="websockets")

    monkeypatch.setattr(carrier, "_transport", missing)
    async with reaching("ws://localhost/acp", tmp_path, LATER) as host:
        lost = await host.disconnected()
        assert (
            lost.why
            == "connections need the package websockets: pip install '.[remote]' in a checkout of acp-tui"
        )
        assert lost.refused
