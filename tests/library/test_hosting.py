"""Agents hosted by the library, under asyncio and trio."""

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.from_thread import start_blocking_portal

import acp_tui
from acp_tui.client.process.watchdog import watchdog
from tests.fake_agent.script import Played, Script
from tests.hosting import alive
from tests.remote.bridge import Bridge, bridged
from tests.remote.proxy import Proxy, proxied

pytestmark = pytest.mark.anyio

BACKENDS = [
    "asyncio",
    pytest.param(
        "trio",
        marks=pytest.mark.skipif(
            not __import__("importlib.util").util.find_spec("trio"), reason="trio is not installed"
        ),
    ),
]
AUTH = {"code": -32000, "message": "Authentication required"}
METHODS = {"authMethods": [{"id": "key", "name": "By key"}]}
FORM = {
    "mode": "form",
    "sessionId": "s1",
    "message": "How many?",
    "requestedSchema": {
        "type": "object",
        "properties": {"cups": {"type": "integer", "minimum": 1}},
        "required": ["cups"],
    },
}


@pytest.fixture(params=BACKENDS)
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


async def test_a_turn_has_all_that_followed_its_prompt(tmp_path: Path, work: Path) -> None:
    diff = {"type": "diff", "path": f"{work}/tea.txt", "oldText": "a", "newText": "b"}
    script = (
        Script()
        .handshake()
        .prompt()
        .thought("hm")
        .update("plan", entries=[{"content": "Boil", "priority": "high", "status": "pending"}])
        .tool_call(kind="edit", status="pending", content=[diff], rawInput={"cups": 2})
        .tool_call_update(status="completed")
        .chunk("do")
        .chunk("ne")
        .update("usage_update", used=5, size=10)
        .end_turn()
        .prompt()
        .chunk("again")
        .end_turn("max_tokens")
    )
    file = tmp_path / "session.jsonl"
    argv = script.argv(tmp_path)
    async with acp_tui.open_agent(argv, work, record=file) as agent:
        session = await agent.new_session()
        first = await session.prompt("make tea")
        second = await session.prompt("and again")
    assert (agent.name, agent.version, agent.recording) == ("Fake agent", "1", file)
    assert (first.prompt, first.text, first.thoughts) == ("make tea", "done", "hm")
    assert [(one.content, one.status) for one in first.plan] == [("Boil", "pending")]
    call = first.tool_calls.one(kind="edit")
    assert (call.title, call.status, call.raw_input) == ("Work", "completed", {"cups": 2})
    assert [one.new_text for one in first.diffs] == ["b"]
    assert (first.usage.used, first.usage.size) == (5, 10)
    assert (first.stop_reason, second.stop_reason) == ("end_turn", "max_tokens")
    assert (second.text, second.tool_calls, second.plan) == ("again", (), ())
    assert first.findings == ()
    assert 0 < (first.timings.first_token or 0) <= first.timings.seconds
    assert b"make tea" in first.frames[0].raw
    assert b"end_turn" in first.frames[-1].raw
    assert session.turns == [first, second]
    log = acp_tui.read_recording(file)
    assert log.facts["cwd"] == str(work)
    (read,) = acp_tui.replay(log).sessions
    assert read.turns == (first, second)
    assert acp_tui.lint(log) == ()


async def test_a_broken_rule_is_found_in_its_turn(tmp_path: Path, work: Path) -> None:
    script = Script().handshake().prompt().garbage("noise").end_turn().prompt().end_turn()
    async with acp_tui.open_agent(script.argv(tmp_path), work) as agent:
        session = await agent.new_session()
        first, second = await session.prompt("a"), await session.prompt("b")
        assert [one.rule.id for one in first.findings] == ["stdout-noise"]
        assert "error stdout-noise" in repr(first.findings)
        assert second.findings == ()
        assert agent.findings == first.findings


async def test_an_edit_that_was_allowed_and_never_written_is_found_in_its_turn(
    tmp_path: Path, work: Path
) -> None:
    path, file = work / "tea.txt", tmp_path / "session.jsonl"
    path.write_text("black\n")
    diff = {"type": "diff", "path": str(path), "oldText": "black\n", "newText": "green\n"}
    script = (
        Script()
        .handshake()
        .prompt()
        .ask_permission({"title": "Edit", "kind": "edit", "content": [diff]})
    )
    script.expect_answer("ask").tool_call_update(status="completed").end_turn()

    argv = script.argv(tmp_path)
    async with acp_tui.open_agent(argv, work, permissions="allow", record=file) as agent:
        session = await agent.new_session()
        turn = await session.prompt("make it green")
    assert [one.rule.id for one in turn.findings] == ["edit-not-as-shown"]
    (read,) = acp_tui.replay(acp_tui.read_recording(file)).sessions
    assert read.turns == (turn,)


async def test_a_note_is_no_finding(tmp_path: Path, work: Path) -> None:
    script = Script().handshake().prompt()
    script.reply(
        "prompt",
        {
            "stopReason": "end_turn",
            "usage": {"totalTokens": 5, "inputTokens": 2, "outputTokens": 3},
        },
    )
    file = tmp_path / "session.jsonl"
    async with acp_tui.open_agent(script.argv(tmp_path), work, record=file) as agent:
        turn = await (await agent.new_session()).prompt("a")
        assert (turn.findings, agent.findings) == ((), ())
    assert turn.usage.tokens == {"totalTokens": 5, "inputTokens": 2, "outputTokens": 3}
    assert {one.rule.id for one in turn.notes} == {"unstable"}
    log = acp_tui.read_recording(file)
    assert (acp_tui.lint(log), acp_tui.lint(log, notes=True)) == ((), turn.notes)


async def test_changes_are_told_in_their_order(tmp_path: Path, work: Path) -> None:
    script = Script().handshake().prompt().chunk("a").tool_call(kind="read").chunk("b").end_turn()
    async with acp_tui.open_agent(script.argv(tmp_path), work) as agent:
        session = await agent.new_session()
        changes = session.changes()
        turn = await session.prompt("go")
    told = [one async for one in changes]
    assert [one.kind for one in told] == [
        "agent_message_chunk",
        "tool_call",
        "agent_message_chunk",
        "turn_ended",
    ]
    assert (told[0].text, told[2].text, told[3].turn) == ("a", "b", turn)
    assert told[1].tool_call is not None
    assert told[1].tool_call.kind == "read"
    assert told[1].update["toolCallId"] == "t1"


def asking(outcome: dict[str, Any]) -> Script:
    return (
        Script()
        .handshake()
        .prompt()
        .tool_call(kind="edit", locations=[{"path": "/tea"}])
        .ask_permission()
        .expect_answer("ask", result={"outcome": outcome})
        .end_turn()
    )


YES, NO = {"outcome": "selected", "optionId": "yes"}, {"outcome": "selected", "optionId": "no"}
CANCELLED = {"outcome": "cancelled"}


async def _always(request: acp_tui.PermissionRequest) -> acp_tui.PermissionOption | None:
    await anyio.lowlevel.checkpoint()
    return request.options[1]


@pytest.mark.parametrize(
    ("permissions", "outcome"),
    [
        ("reject", NO),
        ("allow", YES),
        ("allow-reads", NO),
        (lambda request: request.allow, YES),
        (lambda request: None, CANCELLED),
        (_always, {"outcome": "selected", "optionId": "always"}),
    ],
)
async def test_permissions_are_answered(
    tmp_path: Path, work: Path, permissions: Any, outcome: dict[str, Any]
) -> None:
    argv = asking(outcome).argv(tmp_path)
    async with acp_tui.open_agent(argv, work, permissions=permissions) as agent:
        await (await agent.new_session()).prompt("go")
    Played(tmp_path).check()


async def test_without_a_word_about_permissions_all_are_rejected(
    tmp_path: Path, work: Path
) -> None:
    async with acp_tui.open_agent(asking(NO).argv(tmp_path), work) as agent:
        await (await agent.new_session()).prompt("go")
    Played(tmp_path).check()


async def test_what_a_callback_raises_is_raised_by_the_prompt_and_allows_nothing(
    tmp_path: Path, work: Path
) -> None:
    def broken(_: acp_tui.PermissionRequest) -> None:
        raise ZeroDivisionError("the kettle is broken")

    script = asking(CANCELLED)
    async with acp_tui.open_agent(script.argv(tmp_path), work, permissions=broken) as agent:
        session = await agent.new_session()
        with pytest.raises(ZeroDivisionError, match="kettle"):
            await session.prompt("go")
    Played(tmp_path).check()


async def test_an_option_that_was_not_offered_is_no_answer(tmp_path: Path, work: Path) -> None:
    other = acp_tui.PermissionOption(option_id="yes", name="Sure", kind="allow_once")
    script = asking(CANCELLED)
    async with acp_tui.open_agent(
        script.argv(tmp_path), work, permissions=lambda _: other
    ) as agent:
        session = await agent.new_session()
        with pytest.raises(ValueError, match="one of its options"):
            await session.prompt("go")


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"cups": 2}, {"action": "accept", "content": {"cups": 2}}),
        ("decline", {"action": "decline"}),
    ],
)
async def test_elicitations_are_answered(
    tmp_path: Path, work: Path, answer: Any, result: dict[str, Any]
) -> None:
    script = Script().handshake().prompt().request("elicitation/create", FORM, save="ask")
    script.expect_answer("ask", result=result).end_turn()
    argv = script.argv(tmp_path)
    async with acp_tui.open_agent(argv, work, elicitations=lambda question: answer) as agent:
        await (await agent.new_session()).prompt("go")
    Played(tmp_path).check()


async def test_an_answer_that_does_not_fit_the_form_is_not_sent(tmp_path: Path, work: Path) -> None:
    script = Script().handshake().prompt().request("elicitation/create", FORM, save="ask")
    script.expect_answer("ask", result={"action": "cancel"}).end_turn()
    argv = script.argv(tmp_path)
    async with acp_tui.open_agent(argv, work, elicitations=lambda _: {"cups": 0}) as agent:
        session = await agent.new_session()
        with pytest.raises(ValueError, match="cups"):
            await session.prompt("go")
    Played(tmp_path).check()


async def test_nobody_who_answers_means_that_no_questions_are_offered(
    tmp_path: Path, work: Path
) -> None:
    files = acp_tui.Files(write=False)
    argv = Script().initialize().argv(tmp_path)
    async with acp_tui.open_agent(argv, work, files=files, terminals=False):
        pass
    (hello,) = Played(tmp_path).calls("initialize")
    claimed = hello["params"]["clientCapabilities"]
    assert "elicitation" not in claimed
    assert claimed["fs"] == {"readTextFile": True, "writeTextFile": False}
    assert claimed["terminal"] is False


@pytest.mark.parametrize("backups", [False, True])
async def test_files_are_written_without_a_shell_and_backups_unless_asked(
    tmp_path: Path, work: Path, backups: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    monkeypatch.setattr(watchdog, "pid", None)
    (work / "tea.txt").write_text("green")
    params = {"sessionId": "s1", "path": f"{work}/tea.txt", "content": "black"}
    script = Script().handshake().prompt().request("fs/write_text_file", params)
    script.expect_answer("write_text_file", result={}).end_turn()
    files = acp_tui.Files(backups=backups)
    async with acp_tui.open_agent(script.argv(tmp_path), work, files=files) as agent:
        await (await agent.new_session()).prompt("go")
        assert [one.is_dir() for one in state.glob("*/*")] == [True] * backups
    assert (work / "tea.txt").read_text() == "black"
    assert watchdog.pid is None


async def test_signing_in_by_the_method_that_was_named(tmp_path: Path, work: Path) -> None:
    script = Script().initialize(METHODS).expect("session/new").reply("new", error=AUTH)
    script.expect("authenticate", {"methodId": "key"}).reply("authenticate")
    script.new_session().prompt().end_turn()
    async with acp_tui.open_agent(script.argv(tmp_path), work, auth="key") as agent:
        session = await agent.new_session()
        assert (await session.prompt("go")).stop_reason == "end_turn"
    Played(tmp_path).check()


async def test_an_agent_that_wants_a_sign_in_says_how(tmp_path: Path, work: Path) -> None:
    script = Script().initialize(METHODS).expect("session/new").reply("new", error=AUTH)
    with pytest.raises(acp_tui.SignInRequiredError, match="key") as caught:
        async with acp_tui.open_agent(script.argv(tmp_path), work) as agent:
            await agent.new_session()
    assert (caught.value.code, caught.value.methods) == (-32000, ("key",))


async def test_a_cancelled_wait_cancels_the_turn(tmp_path: Path, work: Path) -> None:
    script = Script().handshake().prompt().chunk("long").expect("session/cancel")
    script.end_turn("cancelled").prompt().end_turn()
    async with acp_tui.open_agent(script.argv(tmp_path), work) as agent:
        session = await agent.new_session()
        async with anyio.create_task_group() as tasks:
            changes = session.changes()
            tasks.start_soon(session.prompt, "go")
            await anext(changes)
            tasks.cancel_scope.cancel()
        assert [one.stop_reason for one in session.turns] == ["cancelled"]
        assert (await session.prompt("again")).stop_reason == "end_turn"
    Played(tmp_path).check()


async def test_one_turn_at_a_time(tmp_path: Path, work: Path) -> None:
    script = Script().handshake().prompt().chunk("busy").expect("session/cancel")
    script.end_turn("cancelled")
    async with acp_tui.open_agent(script.argv(tmp_path), work) as agent:
        session = await agent.new_session()
        async with anyio.create_task_group() as tasks:
            changes = session.changes()
            tasks.start_soon(session.prompt, "go")
            await anext(changes)
            with pytest.raises(acp_tui.NotPossibleError, match="has not ended the previous turn"):
                await session.prompt("more")
            await session.cancel()


@pytest.mark.parametrize(
    ("argv", "limits", "kind", "words"),
    [
        (["no-such-agent"], {}, acp_tui.AgentStartError, "no such command"),
        (["sh", "-c", "echo oh >&2; exit 3"], {}, acp_tui.AgentExitedError, "code 3.*\n  oh"),
        (["sleep", "60"], {"initialize": 0.2}, acp_tui.AgentTimeoutError, "within 0.2 s"),
        ([], {}, ValueError, "list of words"),
        ("demo", {}, ValueError, "list of words"),
    ],
)
async def test_an_agent_that_does_not_start(
    work: Path, argv: Any, limits: dict[str, float], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=f"(?s){words}"):
        async with acp_tui.open_agent(argv, work, limits=acp_tui.Limits(**limits)):
            pass


async def test_bad_words_for_permissions_are_told(work: Path) -> None:
    with pytest.raises(ValueError, match="'allow', 'allow-reads', 'reject', not 'yes'"):
        async with acp_tui.open_agent(["true"], work, permissions="yes"):  # type: ignore[arg-type]
            pass


async def _dies(session: acp_tui.Session) -> None:
    await session.prompt("go")


async def _goes_on(session: acp_tui.Session) -> None:
    with pytest.raises(acp_tui.AgentExitedError):
        await session.prompt("go")
    assert session.turns[0].lost is not None
    await session.prompt("again")


@pytest.mark.parametrize("use", [_dies, _goes_on])
async def test_an_agent_that_goes_ends_the_wait(
    tmp_path: Path, work: Path, use: Callable[[acp_tui.Session], Awaitable[None]]
) -> None:
    script = Script().handshake().prompt().stderr("oh dear\n").exit(7)
    with pytest.raises(acp_tui.AgentExitedError, match="oh dear") as caught:
        async with acp_tui.open_agent(script.argv(tmp_path), work) as agent:
            await use(await agent.new_session())
    assert (caught.value.exit_code, caught.value.signal) == (7, None)


async def test_an_error_in_the_block_is_raised_as_it_is_and_leaves_nothing(
    tmp_path: Path, work: Path
) -> None:
    pids = []

    async def use() -> None:
        async with acp_tui.open_agent(Script().initialize().argv(tmp_path), work) as agent:
            pids.append(agent.pid or 0)
            raise KeyError("milk")

    with pytest.raises(KeyError, match="milk"):
        await use()
    assert not alive(pids[0])


async def test_a_session_that_the_agent_keeps_is_loaded_if_that_is_offered(
    tmp_path: Path, work: Path
) -> None:
    can = {"agentCapabilities": {"loadSession": True}}
    script = Script().initialize(can).expect("session/load").chunk("old").reply("load")
    async with acp_tui.open_agent(script.argv(tmp_path), work) as agent:
        assert (await agent.load_session("s1")).session_id == "s1"
    Played(tmp_path).check()


LISTS = {"agentCapabilities": {"sessionCapabilities": {"list": {}}}}


def page(session_id: str, **more: Any) -> dict[str, Any]:
    return {"sessions": [{"sessionId": session_id, "cwd": "/w", "title": "Tea"}], **more}


async def test_the_sessions_that_an_agent_keeps_are_listed(tmp_path: Path, work: Path) -> None:
    script = Script().initialize(LISTS)
    script.expect("session/list", {"cwd": str(work)}).reply("list", page("s1", nextCursor="2"))
    script.expect("session/list", {"cursor": "2"}).reply("list", page("s2"))
    async with acp_tui.open_agent(script.argv(tmp_path), work) as agent:
        found = await agent.list_sessions(work)
    assert [(one.session_id, one.title) for one in found] == [("s1", "Tea"), ("s2", "Tea")]
    Played(tmp_path).check()


async def test_a_list_that_ends_early_is_no_list(tmp_path: Path, work: Path) -> None:
    script = Script().initialize(LISTS)
    script.expect("session/list").reply("list", page("s1", nextCursor="2"))
    script.expect("session/list").reply("list", error={"code": -32603, "message": "lost it"})
    async with acp_tui.open_agent(script.argv(tmp_path), work) as agent:
        with pytest.raises(acp_tui.NotPossibleError, match="didn't send all of its list"):
            await agent.list_sessions()


NEW = {"sessionId": "s1"}


async def test_each_session_gets_the_system_prompt(tmp_path: Path, work: Path) -> None:
    offered = {"agentCapabilities": {"sessionCapabilities": {"systemPrompt": {}}}}
    content = [{"type": "text", "text": "Be brief."}]
    params = {"systemPrompt": {"mode": "append", "content": content}}
    script = Script().initialize(offered).expect("session/new", params).reply("new", NEW)
    async with acp_tui.open_agent(script.argv(tmp_path), work, system_prompt="Be brief.") as agent:
        assert (await agent.new_session()).session_id == "s1"
    Played(tmp_path).check()


async def test_no_session_is_opened_where_a_system_prompt_is_not_offered(
    tmp_path: Path, work: Path
) -> None:
    argv = Script().initialize().argv(tmp_path)
    async with acp_tui.open_agent(argv, cwd=work, system_prompt="Be brief.") as agent:
        with pytest.raises(acp_tui.NotPossibleError, match="it doesn't offer systemPrompt"):
            await agent.new_session()


async def test_what_the_agent_does_not_offer_is_not_sent(tmp_path: Path, work: Path) -> None:
    async with acp_tui.open_agent(Script().handshake().argv(tmp_path), work) as agent:
        session = await agent.new_session()
        with pytest.raises(acp_tui.NotPossibleError, match="doesn't offer session/close"):
            await session.close()


def test_without_async(tmp_path: Path, work: Path) -> None:
    asked = []

    def answer(request: acp_tui.PermissionRequest) -> acp_tui.PermissionOption | None:
        asked.append((request.subject, os.getpid()))
        return request.allow

    opening = acp_tui.open_agent(asking(YES).argv(tmp_path), work, permissions=answer)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opening) as agent:
        session = portal.call(agent.new_session)
        changes = portal.call(session.changes)
        turn = portal.call(session.prompt, "go")
        assert portal.call(lambda: agent.findings) == turn.findings
        assert portal.call(changes.__anext__).kind == "tool_call"
    assert asked == [("edit: /tea", os.getpid())]
    assert turn.tool_calls.one().decisions == ("Allow once",)
    Played(tmp_path).check()
    opening = acp_tui.open_agent(["no-such"], work)
    with start_blocking_portal() as portal, pytest.raises(acp_tui.AgentStartError):
        portal.wrap_async_context_manager(opening).__enter__()


def test_facts_of_tool_calls_that_there_are_not_are_told() -> None:
    with pytest.raises(TypeError, match="has no sort"):
        acp_tui.ToolCalls().of(sort="edit")
    assert sys.modules["acp_tui"].ToolCalls is acp_tui.ToolCalls


@pytest.mark.parametrize("scheme", ["ws", "http"])
async def test_an_agent_elsewhere_is_reached(tmp_path: Path, work: Path, scheme: str) -> None:
    script = Script().handshake().prompt().chunk("from afar").end_turn().prompt()
    async with bridged(script.argv(tmp_path), tmp_path) as bridge, proxied(bridge.port) as line:
        remote = acp_tui.Remote(bridge.url(scheme, line.port))
        async with acp_tui.open_agent(remote, work) as agent:
            session = await agent.new_session()
            assert (await session.prompt("go")).text == "from afar"
            assert (agent.pid, agent.stderr) == (None, ())
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_cut_later, bridge, line)
                with pytest.raises(acp_tui.AgentExitedError, match="disconnected: "):
                    await session.prompt("again")


async def _cut_later(bridge: Bridge, line: Proxy) -> None:
    while len(bridge.posts("session/prompt")) < 2:
        await anyio.sleep(0.01)
    await line.cut()
