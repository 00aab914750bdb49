"""Authentication by programs on a terminal, logout, and what is tried again."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_tui.client.capabilities import capabilities_to_offer
from acp_tui.state.authentication import sign_in_method, sign_in_program
from acp_tui.state.commands import Authenticate, Logout, TerminalSignedIn
from tests.conformance.conftest import Play
from tests.e2e.terminal import terminal
from tests.fake_agent.script import Played, Script
from tests.hosting import Host, hosting, run_turn

pytestmark = pytest.mark.anyio
Wire = Callable[[], Played]
LOGIN = {"id": "login", "name": "Log in", "type": "terminal", "args": ["login"], "env": {"A": "1"}}
AUTH_REQUIRED = {"code": -32000, "message": "Authentication required", "data": {"reason": "new"}}


async def sign_in_wanted(host: Host) -> None:
    await host.until(lambda: host.state.peer.sign_in and not host.state.peer.sign_in.trying)


@pytest.mark.check(12)
async def test_a_terminal_method_runs_the_agent_s_own_command(tmp_path: Path, work: Path) -> None:
    """Same program, base args and the method's args, env on top; after exit 0 reconnect,
    initialize and retry. Clients MUST NOT pass a terminal method to authenticate.
    """
    first = Script().initialize({"authMethods": [LOGIN]})
    first.expect("session/new").reply("new", error=AUTH_REQUIRED).expect_eof()
    argv = first.argv(tmp_path, Script().handshake())
    async with hosting(argv, work, capabilities=capabilities_to_offer(person=True)) as host:
        await sign_in_wanted(host)
        peer = host.state.peer
        method = sign_in_method(peer, "login")
        assert method is not None
        assert peer.sign_in is not None
        assert peer.sign_in.error.data == {"reason": "new"}
        wanted = sign_in_program(peer, method)
        assert wanted is not None
        assert wanted.argv == (*argv, "login")
        assert wanted.env == {"A": "1"}
        assert not wanted.named_by_agent
        host.do(Authenticate("login"))
        assert "terminal" in str(host.state.notices[-1].description)
        host.do(TerminalSignedIn("login", 1))
        assert peer.sign_in.failure is not None
        assert "code 1" in peer.sign_in.failure.message
        host.do(TerminalSignedIn("login", 0))
        await host.opened()
        assert host.state.peer.sign_in is None
    assert Played(tmp_path, 1).calls("authenticate") == []
    Played(tmp_path, 1).check()
    Played(tmp_path, 2).check()


async def test_a_prompt_that_was_refused_goes_on_after_the_sign_in(
    tmp_path: Path, work: Path
) -> None:
    first = Script().handshake({"authMethods": [LOGIN]}).prompt()
    first.reply("prompt", error=AUTH_REQUIRED).expect_eof()
    offered = {"agentCapabilities": {"sessionCapabilities": {"resume": {}}}}
    second = Script().initialize(offered).expect("session/resume", {"sessionId": "s1"})
    second.reply("resume").prompt().end_turn()
    async with hosting(first.argv(tmp_path, second), work) as host:
        await host.turn("Do it")
        host.do(TerminalSignedIn("login", 0))
        await host.turn_ended(before=1)
        assert host.ends[-1].stop_reason == "end_turn"
    Played(tmp_path, 2).check()
    (prompt,) = Played(tmp_path, 2).calls("session/prompt")
    assert prompt["params"]["prompt"] == [{"type": "text", "text": "Do it"}]


async def test_a_program_that_the_agent_names_is_to_be_agreed_to(play: Play) -> None:
    named = {"command": "/bin/rm", "args": ["-rf", "x"], "env": {"B": "2"}, "label": "Log in"}
    method = {"id": "old", "name": "Old", "_meta": {"terminal-auth": named}}
    other = {"id": "odd", "name": "Odd", "type": "carrier-pigeon"}
    script = Script().initialize({"authMethods": [method, other]})
    async with play(script.expect("session/new").reply("new", error=AUTH_REQUIRED)) as host:
        await sign_in_wanted(host)
        peer = host.state.peer
        found = [sign_in_method(peer, name) for name in ("old", "odd")]
        assert found[0] is not None
        assert found[1] is not None
        wanted = sign_in_program(peer, found[0])
        assert wanted is not None
        assert wanted.named_by_agent
        assert wanted.argv == ("/bin/rm", "-rf", "x")
        assert wanted.env == {"B": "2"}
        assert sign_in_program(peer, found[1]) is None, "an unknown kind is driven by the agent"


@pytest.mark.check(13)
@pytest.mark.parametrize(
    ("claimed", "terminal"),
    [(capabilities_to_offer(), None), (capabilities_to_offer(person=True), {"terminal": True})],
)
async def test_terminal_sign_in_is_claimed_only_with_a_person(
    play: Play, played: Wire, claimed: object, terminal: object
) -> None:
    """Only when the client can run the agent's command in an interactive terminal."""
    async with play(Script().handshake(), capabilities=claimed) as host:
        await host.opened()
    sent = played().messages[0]["params"]["clientCapabilities"]
    assert sent.get("auth") == terminal
    assert sent.get("_meta", {}).get("terminal-auth") == (True if terminal else None)


@pytest.mark.check(48)
@pytest.mark.parametrize("kind", ["agent", "env_var", "later!", 3])
async def test_a_kind_that_nobody_knows_is_driven_by_the_agent(play: Play, kind: Any) -> None:
    """A missing, removed or unknown type counts as the agent's own."""
    method = {"id": "key", "name": "Key", "type": kind, "vars": [{"name": "KEY"}]}
    script = Script().initialize({"authMethods": [method]}).expect("session/new")
    script.reply("new", error={"code": -32000, "message": "Authentication required"})
    script.expect("authenticate", {"methodId": "key"}).reply("authenticate").new_session()
    async with play(script) as host:
        await host.until(lambda: host.state.peer.sign_in)
        host.do(Authenticate("key"))
        await host.opened()


@pytest.mark.check(49)
async def test_logout_only_where_offered(play: Play) -> None:
    """Clients MUST NOT call logout unless the Agent advertises it."""
    async with play(Script().handshake().expect_silence(0.2)) as host:
        await host.opened()
        host.do(Logout())
        assert "logout" in str(host.state.notices[-1].description)


@pytest.mark.check(49)
async def test_after_a_logout_the_sign_in_is_offered_again(play: Play) -> None:
    offered = {
        "agentCapabilities": {"auth": {"logout": {}}},
        "authMethods": [{"id": "k", "name": "K"}],
    }
    script = Script().handshake(offered).expect("logout").reply("logout")
    script.prompt().reply("prompt", error=AUTH_REQUIRED).expect("authenticate", {"methodId": "k"})
    script.reply("authenticate").prompt(save="again").end_turn(to="again")
    async with play(script) as host:
        await host.opened()
        host.do(Logout())
        await host.until(lambda: host.state.notices)
        assert host.state.notices[-1].title == "Signed out"
        end = await host.turn("go")
        assert end.error is not None
        host.do(Authenticate("unheard-of"))
        host.do(Authenticate("k"))
        assert (await host.turn_ended(before=1)).stop_reason == "end_turn"


def test_the_program_gets_the_terminal(tmp_path: Path) -> None:
    """Signed in by a person at a terminal, without a UI."""
    first = Script().initialize({"authMethods": [LOGIN]})
    first.expect("session/new").reply("new", error=AUTH_REQUIRED).expect_eof()
    second = Script().handshake().prompt().chunk("welcome").end_turn()
    agent = first.argv(tmp_path, second)
    login = (
        "import os,sys; print('SECRET?', os.environ['A'], input(), os.tcgetpgrp(0)==os.getpgrp())"
    )
    wrapper = tmp_path / "agent.py"
    wrapper.write_text(
        "import os, sys\n"
        f"if sys.argv[1:] == ['login']:\n    {login}\n"
        f"else:\n    os.execv({agent[0]!r}, {agent!r})\n"
    )
    options = ("--no-record", "--auth", "login", "go")
    with terminal("run", *options, "--", sys.executable, "-S", str(wrapper)) as it:
        it.send("hunter2\n")
        assert it.wait_for_exit() == 0, it.text
        assert "SECRET? 1 hunter2 True" in it.text
        assert "welcome" in it.text


def test_a_prompt_that_was_refused_is_tried_again_without_a_ui(tmp_path: Path) -> None:
    script = Script().handshake({"authMethods": [{"id": "k", "name": "K"}]})
    script.prompt().reply("prompt", error=AUTH_REQUIRED).expect("authenticate")
    script.reply("authenticate").prompt(save="again").chunk("now").end_turn(to="again")
    ran = run_turn("--auth", "k", "--format", "json", argv=script.argv(tmp_path))
    Played(tmp_path).check()
    assert ran.code == 0
    assert ran.summary["text"] == "now"


def test_a_refused_prompt_without_a_way_to_sign_in_ends_the_run(tmp_path: Path) -> None:
    script = Script().handshake({"authMethods": [{"id": "k", "name": "K"}]})
    script.prompt().reply("prompt", error=AUTH_REQUIRED).expect_eof()
    ran = run_turn(argv=script.argv(tmp_path))
    assert ran.code == 1
    assert "choose one with --auth METHOD: k" in ran.err
    assert "Authentication required (-32000): new; " in ran.err
