"""Session List, Load, Resume, Fork, Close and Delete; what sessions are opened with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_tui.client.launch import McpServers
from acp_tui.protocol.content import TextContent
from acp_tui.state.commands import (
    CancelRequest,
    CloseSession,
    ContinueSession,
    DeleteSession,
    ForkSession,
    ListSessions,
    NewSession,
    OpenSession,
    SendPrompt,
)
from acp_tui.state.entries import MessageEntry, NoticeEntry
from acp_tui.state.peer import Phase
from tests.conformance.conftest import Play
from tests.fake_agent.script import Played, Script
from tests.hosting import run_turn

pytestmark = pytest.mark.anyio
Wire = Callable[[], Played]


def offering(*names: str, load: bool = False) -> dict[str, object]:
    """An initialize result that offers these session capabilities."""
    capabilities = {name: {} for name in names}
    return {"agentCapabilities": {"loadSession": load, "sessionCapabilities": capabilities}}


@pytest.mark.check(7)
async def test_load_names_the_session_and_where_it_works(
    play: Play, played: Wire, work: Path
) -> None:
    """session/load carries sessionId, an absolute cwd and mcpServers, if only an empty list."""
    script = Script().initialize(offering(load=True)).expect("session/load").reply("load")
    async with play(script, opening=OpenSession("s1")) as host:
        await host.opened()
    (load,) = played().calls("session/load")
    assert load["params"] == {"sessionId": "s1", "cwd": str(work.resolve()), "mcpServers": []}
    assert played().calls("session/new") == []


@pytest.mark.check(39)
async def test_a_history_is_replayed_once_however_often_it_is_loaded(play: Play) -> None:
    """The Agent MUST replay the entire conversation, before it responds."""
    script = Script().initialize(offering(load=True))
    for name in ("first", "second"):
        script.expect("session/load", save=name)
        script.update("user_message_chunk", content={"type": "text", "text": "Hello"})
        script.chunk("Good day").reply(name, {"modes": None})
    async with play(script, opening=OpenSession("s1")) as host:
        await host.opened()
        host.do(OpenSession("s1"))
        await host.until(lambda: host.state.sessions["s1"].opening.loading is not None)
        await host.until(lambda: host.state.sessions["s1"].opening.loading is None)
        texts = [entry.text for entry in host.entries if isinstance(entry, MessageEntry)]
        assert texts == ["Hello", "Good day"]


async def test_a_failed_load_leaves_what_was_there(play: Play) -> None:
    script = Script().handshake(offering(load=True)).prompt().chunk("Kept").end_turn()
    script.expect("session/load").chunk("half").reply(
        "load", error={"code": -32603, "message": "x"}
    )
    async with play(script) as host:
        await host.turn()
        host.do(OpenSession("s1"))
        await host.until(lambda: any("session/load" in one.title for one in host.notices))
        assert host.said == "Kept"
        assert host.session.opened


async def test_a_list_that_fails_is_not_taken_for_an_empty_one(play: Play, played: Wire) -> None:
    no = {"code": -32603, "message": "disk full"}
    script = Script().initialize(offering("list", load=True)).expect("session/list")
    script.reply("list", error=no).new_session()
    async with play(script, opening=ContinueSession()) as host:
        await host.until(lambda: host.state.peer.phase is Phase.NO_SESSION)
        assert "disk full" in str(host.state.peer.trouble)
        host.do(NewSession())
        await host.opened()
    assert len(played().calls("session/new")) == 1


@pytest.mark.check(8)
async def test_nothing_is_loaded_where_that_is_not_offered(play: Play) -> None:
    """If loadSession is false or absent, Clients MUST NOT attempt to call session/load."""
    script = Script().initialize().expect_silence(0.3)
    async with play(script, opening=OpenSession("old")) as host:
        await host.until(lambda: host.state.peer.trouble)
        assert "session/load" in str(host.state.peer.trouble)


async def test_resume_stands_in_for_load(play: Play, played: Wire) -> None:
    """session/resume goes on without a replay."""
    script = Script().initialize(offering("resume")).expect("session/resume").reply("resume")
    script.prompt().end_turn()
    async with play(script, opening=OpenSession("s1")) as host:
        assert (await host.turn()).stop_reason == "end_turn"
    assert played().calls("session/load") == []


@pytest.mark.check(39)
async def test_a_list_is_followed_to_its_end(play: Play, played: Wire) -> None:
    """Clients MUST treat a missing nextCursor as the end, and cursors as opaque."""
    script = Script().handshake(offering("list"))
    pages = [("p1", "a", "==/opaque "), ("p2", "b", "2"), ("p3", "c", None)]
    for save, session_id, cursor in pages:
        info = {"sessionId": session_id, "cwd": "/x", "title": session_id.upper()}
        page = {"sessions": [info, {"sessionId": 3}], **({"nextCursor": cursor} if cursor else {})}
        script.expect("session/list", save=save).reply(save, page)
    async with play(script) as host:
        await host.opened()
        host.do(ListSessions())
        await host.until(lambda: len(host.state.catalogue.sessions) == 3)
        assert not host.state.catalogue.loading
        assert [one.title for one in host.state.catalogue.sessions.values()] == ["A", "B", "C"]
    cursors = [call["params"].get("cursor") for call in played().calls("session/list")]
    assert cursors == [None, "==/opaque ", "2"]


async def test_a_list_that_goes_round_in_circles_ends(play: Play, played: Wire) -> None:
    script = Script().handshake(offering("list"))
    for save in ("p1", "p2"):
        page = {"sessions": [], "nextCursor": "again"}
        script.expect("session/list", save=save).reply(save, page)
    script.expect_silence(0.3)
    async with play(script) as host:
        await host.opened()
        host.do(ListSessions())
        await host.until(lambda: len(played().calls("session/list")) == 2)


async def test_the_newest_session_of_the_folder_goes_on(play: Play, work: Path) -> None:
    here = str(work.resolve())
    sessions = [
        {"sessionId": "old", "cwd": here, "updatedAt": "2026-01-01T00:00:00Z"},
        {"sessionId": "s1", "cwd": here, "updatedAt": "2026-02-01T00:00:00Z"},
        {"sessionId": "elsewhere", "cwd": "/", "updatedAt": "2026-03-01T00:00:00Z"},
    ]
    script = Script().initialize(offering("list", load=True))
    script.expect("session/list", {"cwd": here}).reply("list", {"sessions": sessions})
    script.expect("session/load", {"sessionId": "s1"}).reply("load")
    async with play(script, opening=ContinueSession()) as host:
        await host.opened()


async def test_the_newest_session_is_known_by_its_time_however_time_and_folder_are_written(
    play: Play, work: Path
) -> None:
    here = str(work.resolve())
    sessions = [
        {"sessionId": "old", "cwd": here, "updatedAt": "2026-01-02T00:30:00+09:00"},
        {"sessionId": "s1", "cwd": f"{here}/", "updatedAt": "2026-01-01T20:00:00Z"},
        {"sessionId": "unknown", "cwd": here, "updatedAt": "yesterday"},
    ]
    script = Script().initialize(offering("list", load=True))
    script.expect("session/list", {"cwd": here}).reply("list", {"sessions": sessions})
    script.expect("session/load", {"sessionId": "s1"}).reply("load")
    async with play(script, opening=ContinueSession()) as host:
        await host.opened()


async def test_without_an_earlier_session_a_new_one_begins(play: Play) -> None:
    script = Script().initialize(offering("list"))
    script.expect("session/list").reply("list", {"sessions": []}).new_session()
    async with play(script, opening=ContinueSession()) as host:
        await host.opened()
        await host.until(lambda: host.session.entries)
        (notice,) = host.session.entries
        assert isinstance(notice, NoticeEntry)
        assert notice.description == "There is no earlier session in this directory."


async def test_an_agent_without_a_list_goes_on_with_the_session_that_was_recorded(
    play: Play,
) -> None:
    script = Script().initialize(offering(load=True))
    script.expect("session/load", {"sessionId": "s1"}).reply("load")
    async with play(script, opening=ContinueSession("s1")) as host:
        await host.opened()


async def test_an_agent_whose_list_fails_goes_on_with_the_session_that_was_recorded(
    play: Play,
) -> None:
    script = Script().initialize(offering("list", load=True))
    script.expect("session/list")
    script.reply("list", error={"code": -32601, "message": "Method not found"})
    script.expect("session/load", {"sessionId": "s1"}).reply("load")
    async with play(script, opening=ContinueSession("s1")) as host:
        await host.opened()


async def test_a_new_session_in_place_of_an_earlier_one_has_that_at_its_top(play: Play) -> None:
    async with play(Script().handshake(offering(load=True)), opening=ContinueSession()) as host:
        await host.opened()
        await host.until(lambda: host.session.entries)
        (notice,) = host.session.entries
        assert isinstance(notice, NoticeEntry)
        assert notice.title == "This is a new session"
        assert "no list of sessions" in str(notice.description)


@pytest.mark.check(51)
async def test_a_session_is_closed_deleted_and_forked_only_where_offered(
    play: Play, played: Wire
) -> None:
    """Clients MUST NOT call what the Agent didn't advertise."""
    async with play(Script().handshake().expect_silence(0.3)) as host:
        await host.opened()
        for command in (CloseSession("s1"), DeleteSession("s1"), ForkSession("s1"), ListSessions()):
            host.do(command)
        said = [one.description or "" for one in [*host.notices, *host.state.notices]]
        for method in ("close", "delete", "fork", "list"):
            assert any(f"session/{method}" in words for words in said)


async def test_a_fork_is_a_session_of_its_own(play: Play) -> None:
    script = Script().handshake(offering("fork"))
    script.expect("session/fork", {"sessionId": "s1"}).reply("fork", {"sessionId": "s2"})
    async with play(script) as host:
        await host.opened()
        host.do(ForkSession("s1"))
        await host.until(lambda: len(host.state.open_sessions()) == 2)
        assert host.state.sessions["s2"].cwd == host.state.sessions["s1"].cwd


@pytest.mark.check(52)
async def test_what_is_gone_already_is_deleted(play: Play) -> None:
    """session/delete is idempotent; an unknown session is a success."""
    missing = {"code": -32002, "message": "Resource not found"}
    script = Script().handshake(offering("delete", "list"))
    info = {"sessionId": "s9", "cwd": "/x"}
    script.expect("session/list").reply("list", {"sessions": [info]})
    script.expect("session/delete", {"sessionId": "s9"}).reply("delete", error=missing)
    async with play(script) as host:
        await host.opened()
        host.do(ListSessions())
        await host.until(lambda: host.state.catalogue.sessions)
        host.do(DeleteSession("s9"))
        await host.until(lambda: not host.state.catalogue.sessions)
        assert host.notices == []


async def test_a_session_that_is_only_listed_is_closed_and_the_state_stays_a_fold(
    play: Play,
) -> None:
    script = Script().handshake(offering("close")).expect("session/close", {"sessionId": "s9"})
    async with play(script.reply("close")) as host:
        await host.opened()
        host.do(CloseSession("s9"))
        await host.until(lambda: not host.state.calls)
        assert "s9" not in host.state.sessions


@pytest.mark.check(52)
async def test_what_is_gone_already_is_closed(play: Play) -> None:
    """To close a session that the agent doesn't know is a success."""
    missing = {"code": -32002, "message": "Resource not found"}
    script = Script().handshake(offering("close")).expect("session/close")
    async with play(script.reply("close", error=missing)) as host:
        session = await host.opened()
        host.do(CloseSession("s1"))
        await host.until(lambda: session.closed)
        assert host.notices == []


async def test_closing_cancels_the_turn_first(play: Play) -> None:
    """The Agent MUST cancel any ongoing work, as if session/cancel had been called."""
    script = Script().handshake(offering("close")).prompt().expect("session/cancel")
    script.expect("session/close").end_turn("cancelled").reply("close")
    async with play(script) as host:
        await host.opened()
        host.prompt("work")
        host.do(CloseSession("s1"))
        await host.until(lambda: host.state.sessions["s1"].closed)
        assert not host.state.open_sessions()


async def test_a_closed_session_takes_no_prompt(play: Play, played: Wire) -> None:
    script = Script().handshake(offering("close")).expect("session/close").reply("close")
    async with play(script.expect_silence(0.2)) as host:
        await host.opened()
        host.do(CloseSession("s1"))
        await host.until(lambda: host.state.sessions["s1"].closed)
        host.do(SendPrompt("s1", (TextContent(text="Still there?"),)))
        assert host.notices[-1].description == "The session is closed."


def test_a_session_that_never_opens_ends_the_run(tmp_path: Path) -> None:
    script = Script().initialize(offering(load=True)).expect("session/load").expect_eof()
    ran = run_turn("--resume", "s1", "--timeout", "3", argv=script.argv(tmp_path))
    assert ran.code == 3
    assert "session/load" in ran.err


async def test_two_sessions_are_kept_apart(play: Play) -> None:
    """Each session maintains its own context and history."""
    script = Script().handshake().expect("session/new", save="other")
    script.reply("other", {"sessionId": "s2"}).chunk("to the first")
    async with play(script) as host:
        await host.opened()
        host.do(NewSession())
        await host.until(lambda: len(host.state.open_sessions()) == 2)
        await host.until(lambda: host.said)
        assert host.state.sessions["s2"].entries == []


async def test_a_request_of_ours_is_taken_back(play: Play, played: Wire) -> None:
    """$/cancel_request names the request; its answer may be an error -32800."""
    script = Script().handshake(offering("list")).expect("session/list")
    script.expect("$/cancel_request", {"requestId": 2})
    script.reply("list", error={"code": -32800, "message": "Request cancelled"})
    async with play(script) as host:
        await host.opened()
        host.do(ListSessions())
        (number,) = host.state.calls
        host.do(CancelRequest(number))
        assert set(host.state.cancelled_calls) == {number}
        await host.until(lambda: not host.state.calls)
        assert not host.state.catalogue.loading
        assert [one.severity for one in host.state.notices] == ["info"]
    assert played().calls("session/list")[0]["id"] == 2


@pytest.mark.check(9, 10)
async def test_directories_and_servers_go_only_where_they_are_taken(
    play: Play, played: Wire
) -> None:
    """additionalDirectories and http or sse servers MUST only be sent if advertised."""
    stdio = {"name": "a", "command": "/bin/cat", "args": [], "env": []}
    http = {"type": "http", "name": "b", "url": "http://localhost:1", "headers": []}
    options = {"additional_directories": ("/tmp",), "mcp": McpServers((stdio, http))}
    async with play(Script().handshake(), **options) as host:
        await host.opened()
        told = [one.title for one in host.state.notices]
        assert len(told) == 2
        assert "MCP server b" in told[1]
    (new,) = played().calls("session/new")
    assert new["params"]["mcpServers"] == [stdio]
    assert "additionalDirectories" not in new["params"]


@pytest.mark.check(10)
async def test_directories_and_servers_go_where_they_are_taken(play: Play, played: Wire) -> None:
    sse = {"type": "sse", "name": "b", "url": "http://localhost:1", "headers": []}
    offered = {
        "mcpCapabilities": {"sse": True},
        "sessionCapabilities": {"additionalDirectories": {}},
    }
    script = Script().handshake({"agentCapabilities": offered})
    options = {"additional_directories": ("/tmp",), "mcp": McpServers((sse,))}
    async with play(script, **options) as host:
        assert (await host.opened()).additional_directories == ["/tmp"]
    (new,) = played().calls("session/new")
    assert new["params"]["mcpServers"] == [sse]
    assert new["params"]["additionalDirectories"] == ["/tmp"]


@pytest.mark.check(50)
@pytest.mark.parametrize("method", ["load", "resume", "fork"])
async def test_each_way_into_a_session_names_all_directories(play: Play, method: str) -> None:
    """The full list is sent again; nothing is merged with what was there before."""
    script = Script().initialize(offering("fork", "resume", "additionalDirectories", load=True))
    call, result = {"additionalDirectories": ["/tmp"]}, {"sessionId": "s2"}
    if method == "fork":
        script.new_session().expect("session/fork", call).reply("fork", result)
        options: dict[str, Any] = {}
    else:
        script.expect(f"session/{method}", call).reply(method)
        options = {"opening": OpenSession("s2", history=method == "load")}
    async with play(script, additional_directories=("/tmp",), **options) as host:
        if method == "fork":
            await host.opened()
            host.do(ForkSession("s1"))
        await host.until(lambda: "s2" in host.state.sessions and host.state.sessions["s2"].opened)


def test_a_turn_in_an_earlier_session(tmp_path: Path) -> None:
    script = Script().initialize(offering(load=True)).expect("session/load").chunk("before")
    script.reply("load").prompt().chunk("after").end_turn()
    ran = run_turn("--resume", "s1", "--format", "json", argv=script.argv(tmp_path))
    Played(tmp_path).check()
    assert ran.code == 0
    assert ran.summary["sessionId"] == "s1"


@pytest.mark.check(69)
def test_a_trace_goes_with_every_request(tmp_path: Path) -> None:
    """traceparent, tracestate and baggage are reserved in _meta for W3C trace context."""
    trace = "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01"
    script = Script().handshake().prompt().end_turn()
    ran = run_turn(argv=script.argv(tmp_path), env={"TRACEPARENT": trace})
    assert ran.code == 0
    requests = [one for one in Played(tmp_path).messages if "id" in one]
    assert [one["params"]["_meta"]["traceparent"] for one in requests] == [trace] * 3
