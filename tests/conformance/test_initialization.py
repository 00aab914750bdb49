"""Initialization, Session Setup and Authentication."""

from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.state.commands import Authenticate
from tests.conformance.conftest import Play
from tests.fake_agent.script import Played, Script
from tests.hosting import run_turn

pytestmark = pytest.mark.anyio
Wire = Callable[[], Played]
AGENT_METHOD = {"id": "key", "name": "API key"}
AUTH_REQUIRED = {"code": -32000, "message": "Authentication required"}


@pytest.mark.check(1)
async def test_initialize_comes_first(play: Play, played: Wire) -> None:
    """Before a Session can be created, Clients MUST initialize the connection."""
    async with play(Script().handshake()) as host:
        await host.opened()
    first = played().messages[0]
    assert first["jsonrpc"] == "2.0"
    assert first["method"] == "initialize"
    assert type(first["id"]) in (int, str)
    assert type(first["params"]["protocolVersion"]) is int
    assert first["params"]["protocolVersion"] == 1


@pytest.mark.check(2)
async def test_the_client_says_who_it_is(play: Play, played: Wire) -> None:
    """Clients SHOULD provide a name and version in clientInfo."""
    async with play(Script().initialize()) as host:
        await host.until(lambda: host.state.peer.initialized)
    info = played().messages[0]["params"]["clientInfo"]
    assert info["name"] == "acp-tui"
    assert info["version"]


@pytest.mark.check(13)
async def test_capabilities_are_honest(play: Play, played: Wire) -> None:
    """Capabilities omitted in initialize are UNSUPPORTED; only what is there may be claimed."""
    async with play(Script().initialize()) as host:
        await host.until(lambda: host.state.peer.initialized)
    claimed = played().messages[0]["params"]["clientCapabilities"]
    assert claimed["fs"] == {"readTextFile": True, "writeTextFile": True}
    assert claimed["terminal"] is True
    booleans = {"boolean": {}}
    assert claimed["session"] == {"notices": {}, "compaction": {}, "configOptions": booleans}
    assert claimed["subagents"] == {}
    assert set(claimed) == {"fs", "terminal", "session", "subagents"}  # nothing of a person's


@pytest.mark.check(4)
async def test_nothing_else_is_sent_before_initialize_is_answered(play: Play) -> None:
    """Before creating a session, Clients MUST first complete the initialization phase."""
    script = Script().expect("initialize").expect_silence(0.3)
    async with play(script.reply("initialize", {"protocolVersion": 1}).new_session()) as host:
        await host.opened()


@pytest.mark.check(5)
def test_another_version_ends_the_connection_and_is_told(tmp_path: Path) -> None:
    """If the Client doesn't support the version, it SHOULD close the connection and inform the
    user about it.
    """
    script = Script().initialize({"protocolVersion": 99}).expect_eof(3).expect_silence(0)
    ran = run_turn(argv=script.argv(tmp_path))
    Played(tmp_path).check()
    assert ran.code == 1
    assert "99" in ran.err
    assert "version 1" in ran.err


@pytest.mark.check(6)
async def test_a_minimal_agent_gets_only_what_every_agent_supports(
    play: Play, played: Wire
) -> None:
    """Clients MUST NOT call what the Agent didn't advertise."""
    script = Script().expect("initialize").reply("initialize", {"protocolVersion": 1})
    script.new_session().prompt().end_turn().expect_silence(0.2)
    async with play(script) as host:
        await host.turn("hello")
    messages = played().messages
    methods = [message["method"] for message in messages]
    assert methods == ["initialize", "session/new", "session/prompt"]
    assert [block["type"] for block in messages[2]["params"]["prompt"]] == ["text"]


@pytest.mark.check(6)
@pytest.mark.parametrize(
    ("file", "sent"), [("tea.txt", ["text", "resource_link"]), ("cup.png", [])]
)
def test_a_minimal_agent_gets_no_content_but_text_and_links(
    tmp_path: Path, file: str, sent: list[str]
) -> None:
    """The Client MUST restrict types of content according to the Prompt Capabilities."""
    (tmp_path / file).write_bytes(b"oolong")
    script = Script().expect("initialize").reply("initialize", {"protocolVersion": 1})
    script.new_session()
    if sent:
        script.prompt().end_turn()
    ran = run_turn(argv=script.argv(tmp_path), prompt=f"see @{file}", cwd=tmp_path)
    assert (ran.code == 0) == bool(sent)
    assert sent or "is an image, and the agent takes none" in ran.err
    prompts = Played(tmp_path).calls("session/prompt")
    assert [block["type"] for one in prompts for block in one["params"]["prompt"]] == sent


@pytest.mark.check(9)
def test_the_working_directory_is_absolute(tmp_path: Path) -> None:
    """cwd MUST be an absolute path; mcpServers is always there; additionalDirectories MUST only
    be sent when the Agent advertises it.
    """
    (tmp_path / "sub").mkdir()
    script = Script().handshake().prompt().end_turn()
    assert run_turn("--cwd", "sub", argv=script.argv(tmp_path), cwd=tmp_path).code == 0
    (new,) = Played(tmp_path).calls("session/new")
    assert new["params"] == {"cwd": str((tmp_path / "sub").resolve()), "mcpServers": []}


@pytest.mark.check(11)
async def test_sign_in_by_an_offered_method_and_then_the_session(play: Play, played: Wire) -> None:
    """authenticate MUST name an advertised method; what was refused is tried again."""
    script = Script().initialize({"authMethods": [AGENT_METHOD]})
    script.expect("session/new").reply("new", error=AUTH_REQUIRED).expect_silence(0.2)
    script.update("session_info_update", title="silent")
    script.expect("authenticate", {"methodId": "key"}).reply("authenticate").new_session()
    async with play(script) as host:
        await host.until(lambda: host.state.peer.sign_in)
        sign_in = host.state.peer.sign_in
        assert sign_in is not None
        assert [method.id for method in sign_in.methods] == ["key"]
        await host.until(lambda: host.state.session("s1").title == "silent")
        host.do(Authenticate("key"))
        await host.opened()
        assert host.state.peer.sign_in is None
    first, second = played().calls("session/new")
    assert first["params"] == second["params"]
    assert first["id"] != second["id"]


@pytest.mark.check(12)
def test_a_terminal_method_is_never_sent(tmp_path: Path) -> None:
    """Clients MUST NOT pass a terminal method to authenticate."""
    method = {"id": "login", "name": "Log in", "type": "terminal", "args": ["login"]}
    script = Script().initialize({"authMethods": [method]})
    script.expect("session/new").reply("new", error=AUTH_REQUIRED).expect_eof()
    ran = run_turn("--auth", "login", argv=script.argv(tmp_path))
    played = Played(tmp_path)
    played.check()
    assert ran.code == 1
    assert played.calls("authenticate") == []


@pytest.mark.check(14)
async def test_an_update_before_the_session_is_known_is_kept(play: Play) -> None:
    """Updates may come before the answer to session/new; nothing of them is lost."""
    commands = [{"name": "plan", "description": "Make a plan"}]
    script = Script().initialize().expect("session/new")
    script.update("available_commands_update", availableCommands=commands)
    script.update("usage_update", used=5, size=10).reply("new", {"sessionId": "s1"})
    async with play(script) as host:
        session = await host.opened()
        assert [one.name for one in session.commands] == ["plan"]
        assert session.usage.used == 5
