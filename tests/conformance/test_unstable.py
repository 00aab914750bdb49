"""Parts of version 1 that may still change: only for those who ask for them, only where offered."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.client.capabilities import capabilities_to_offer
from acp_tui.protocol.content import TextContent
from acp_tui.state.commands import (
    ArchiveSession,
    AskAccount,
    AskStatus,
    Cancel,
    CloseSession,
    Command,
    DeleteSession,
    DisableProvider,
    ForkSession,
    ListSessions,
    OpenSession,
    RenameSession,
    SendPrompt,
    SetProvider,
)
from tests.conformance.conftest import Play
from tests.fake_agent.script import Script
from tests.hosting import Host

pytestmark = pytest.mark.anyio

UNSTABLE = capabilities_to_offer(interactive=True, unstable=True)
OFFERED: dict[str, Any] = {
    "agentCapabilities": {
        "loadSession": True,
        "providers": {},
        "auth": {"status": {}},
        "sessionCapabilities": {"list": {}, "archive": {}, "status": {}, "title": {}},
    }
}
COMMANDS = [
    ArchiveSession("s1", archived=True),
    ArchiveSession("s1", archived=False),
    RenameSession("s1", "Tea"),
    AskStatus("s1"),
    AskAccount(),
    SetProvider("main", "openai", "https://example.org"),
    DisableProvider("main"),
]
MUTATING: dict[str, Any] = {
    name: {} for name in ("archive", "title", "close", "delete", "fork", "resume")
}
OLD = {"sessionId": "old", "cwd": "/x", "title": "Old"}


def said(session_id: str, text: str) -> dict[str, Any]:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    return {"sessionId": session_id, "update": update}


def mutations(session_id: str) -> list[Command]:
    """All that changes a session, or takes hold of it."""
    return [
        ArchiveSession(session_id, archived=True),
        RenameSession(session_id, "Tea"),
        CloseSession(session_id),
        DeleteSession(session_id),
        ForkSession(session_id),
        OpenSession(session_id),
        OpenSession(session_id, history=False),
    ]


async def listed(host: Host) -> None:
    await host.opened()
    host.do(ListSessions())
    await host.until(lambda: host.state.catalogue.sessions)


@pytest.mark.check(66)
@pytest.mark.parametrize("unstable", [False, True])
async def test_nothing_is_called_that_is_not_offered_or_not_asked_for(
    play: Play, unstable: bool
) -> None:
    script = Script().handshake({} if unstable else OFFERED)
    claimed = capabilities_to_offer(interactive=True, unstable=unstable)
    async with play(script.expect_silence(0.3), capabilities=claimed) as host:
        await host.opened()
        for command in COMMANDS:
            host.do(command)


async def test_a_session_is_archived_and_brought_back_before_it_is_opened(play: Play) -> None:
    script = Script().handshake(OFFERED)
    script.expect("session/list", {"archived": "include"}).reply("list", {"sessions": [OLD]})
    script.expect("session/archive", {"sessionId": "old"}).reply("archive")
    script.expect("session/unarchive", {"sessionId": "old"}).expect_silence(0.2)
    script.reply("unarchive").expect("session/load", {"sessionId": "old"}).reply("load")
    async with play(script, capabilities=UNSTABLE) as host:
        await listed(host)
        host.do(ArchiveSession("old", archived=True))
        await host.until(lambda: host.state.catalogue.sessions["old"].archived)
        host.do(OpenSession("old"))
        await host.until(lambda: len(host.state.open_sessions()) == 2)
        assert host.state.catalogue.sessions["old"].archived is False


async def test_archiving_an_open_session_closes_it(play: Play) -> None:
    script = Script().handshake(OFFERED)
    script.expect("session/archive", {"sessionId": "s1"}).reply("archive")
    async with play(script, capabilities=UNSTABLE) as host:
        await host.opened()
        host.do(ArchiveSession("s1", archived=True))
        await host.until(lambda: not host.state.open_sessions())


@pytest.mark.check(66)
async def test_the_title_is_the_one_that_the_agent_keeps(play: Play) -> None:
    """Clients SHOULD display this value rather than the one they sent."""
    script = Script().handshake(OFFERED)
    script.expect("session/list").reply("list", {"sessions": [OLD]})
    script.expect("session/set_title", {"sessionId": "s1", "title": " Tea "})
    script.reply("set_title", {"title": "Tea"})
    script.expect("session/set_title", {"sessionId": "old"}, save="again")
    script.reply("again", {"title": "Older"})
    async with play(script, capabilities=UNSTABLE) as host:
        await listed(host)
        host.do(RenameSession("s1", " Tea "))
        await host.until(lambda: host.session.title == "Tea")
        host.do(RenameSession("old", "Older!"))
        await host.until(lambda: host.state.catalogue.sessions["old"].title == "Older")


async def test_the_status_of_a_session_is_asked_for(play: Play) -> None:
    script = Script().handshake(OFFERED)
    script.expect("session/status", {"sessionId": "s1"}).reply("status", {"status": "open"})
    async with play(script, capabilities=UNSTABLE) as host:
        await host.opened()
        host.do(AskStatus("s1"))
        await host.until(lambda: host.state.catalogue.statuses == {"s1": "open"})


@pytest.mark.check(68)
async def test_providers_are_listed_set_and_disabled(play: Play) -> None:
    config = {"apiType": "openai", "baseUrl": "https://example.org"}
    main: dict[str, Any] = {"providerId": "main", "supported": ["openai"], "required": False}
    needed = {"providerId": "needed", "supported": ["openai"], "required": True, "current": config}
    script = Script().handshake(OFFERED)
    script.expect("auth/status").reply("status", {"state": "authenticated"})
    script.expect("providers/list", save="l1").reply("l1", {"providers": [main]})
    script.expect("providers/set", {"providerId": "main", **config}).reply("set")
    script.expect("providers/list", save="l2")
    script.reply("l2", {"providers": [{**main, "current": config}, needed]})
    script.expect("providers/disable", {"providerId": "main"}).reply("disable")
    script.expect("providers/list", save="l3").reply("l3", {"providers": [main]})
    script.notify("auth/status_update", {"state": "new!", "accounts": [{"label": "Max"}, {}]})
    async with play(script, capabilities=UNSTABLE) as host:
        await host.opened()
        peer = host.state.peer
        host.do(AskAccount())
        await host.until(lambda: peer.providers)
        assert peer.auth_status is not None
        host.do(SetProvider("main", "openai", "https://example.org"))
        await host.until(lambda: peer.providers and peer.providers[0].current)
        host.do(DisableProvider("needed"))
        host.do(DisableProvider("main"))
        await host.until(lambda: peer.auth_status and peer.auth_status.state == "new!")
        assert peer.providers is not None
        assert peer.providers[0].current is None
        assert [account.label for account in peer.auth_status.accounts] == ["Max"]


@pytest.mark.check(67)
async def test_a_subagent_is_announced_and_only_cancelled_where_it_may_be(
    play: Play, work: Path
) -> None:
    """No mutation of a child without its own capability; its files are those of the parent."""
    script = Script().handshake(
        {"agentCapabilities": {"loadSession": True, "sessionCapabilities": MUTATING}}
    )
    script.update("subagent_update", sessionId="c", cwd="/", state={"state": "running"})
    script.notify("session/update", said("c", "hot"))
    file = {"sessionId": "c", "path": str(work / "tea.txt")}
    script.request("fs/read_text_file", file, save="read")
    script.expect_answer("read", result={"content": "oolong"}).expect_silence(0.2)
    script.update("subagent_update", sessionId="c", capabilities={"cancel": {}})
    script.expect("session/cancel", {"sessionId": "c"})
    script.update("subagent_update", sessionId="c", state={"state": "idle"})
    (work / "tea.txt").write_text("oolong")
    async with play(script, capabilities=UNSTABLE) as host:
        await host.until(lambda: "c" in host.state.sessions and host.state.sessions["c"].opened)
        child = host.state.sessions["c"]
        for command in (Cancel("c"), SendPrompt("c", (TextContent(text="hi"),)), *mutations("c")):
            host.do(command)
        assert "only the agent talks to it" in str(child.entries)
        assert str(child.entries).count("only the agent may do") == len(mutations("c"))
        await host.until(lambda: child.subagent and child.subagent.can_cancel)
        host.do(Cancel("c"))
        await host.until(lambda: child.subagent and child.subagent.state == "idle")
        assert "hot" in host.said
