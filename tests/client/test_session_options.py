"""Options that are chosen before the session is opened, and sent with the request that opens it."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.client.capabilities import capabilities_to_offer
from acp_tui.client.launch import SessionStart
from acp_tui.config.limits import Limits
from acp_tui.state.commands import (
    AskSessionOptions,
    Authenticate,
    CancelRequest,
    NewSession,
    OpenSession,
    Restart,
)
from tests.fake_agent.script import Played, Script
from tests.hosting import hosting

pytestmark = pytest.mark.anyio

MODEL = {
    "id": "llm",
    "name": "Model",
    "category": "model",
    "type": "select",
    "currentValue": "slow",
    "options": [{"value": "slow", "name": "Slow"}, {"value": "fast", "name": "Fast"}],
}
THRIFT = {"id": "thrift", "name": "Thrift", "type": "boolean", "currentValue": False}
OFFERED = {"configOptions": [MODEL, THRIFT]}
UNSTABLE = capabilities_to_offer(unstable=True)
NAMED = {"sessionCapabilities": {"options": {}}}
VALUES = [{"configId": "llm", "value": "fast"}]
NO_SIGN_IN = {"code": -32000, "message": "who?"}
CHOICES = (("model", "fast"), ("thrift", "true"))


def offering(result: dict[str, Any] | None = None) -> Script:
    named = {"loadSession": True, "sessionCapabilities": {"options": {}, "resume": {}}}
    script = Script().initialize({"agentCapabilities": named})
    return script.expect("session/options").reply("options", OFFERED if result is None else result)


async def test_a_session_begins_with_what_was_chosen(tmp_path: Path) -> None:
    argv = offering().new_session().argv(tmp_path)
    async with hosting(
        argv, tmp_path, capabilities=UNSTABLE, session=SessionStart(choices=CHOICES)
    ) as host:
        await host.opened()
        assert host.session.config.initial_values == {"llm", "thrift"}
    played = Played(tmp_path)
    [asked] = played.calls("session/options")
    assert asked["params"] == {"cwd": str(tmp_path)}
    [opened] = played.calls("session/new")
    assert opened["params"]["configOptions"] == [
        {"configId": "llm", "value": "fast"},
        {"configId": "thrift", "type": "boolean", "value": True},
    ]


async def test_a_session_is_opened_again_with_what_was_chosen(tmp_path: Path) -> None:
    script = offering().new_session().expect("session/options", {"sessionId": "s2"})
    script.reply("options", OFFERED).expect("session/load", {"sessionId": "s2"}).reply("load")
    argv = script.argv(tmp_path)
    async with hosting(
        argv, tmp_path, capabilities=UNSTABLE, session=SessionStart(choices=CHOICES[:1])
    ) as host:
        await host.opened()
        host.do(OpenSession("s2"))
        await host.until(lambda: "s2" in host.state.sessions and host.state.sessions["s2"].opened)
    [loaded] = Played(tmp_path).calls("session/load")
    assert loaded["params"]["configOptions"] == VALUES


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        (("model", "huge"), "The agent offers no value 'huge' of model, but slow, fast."),
        (("thrift", "very"), "thrift is either true or false."),
        (("mood", "good"), "The agent offers no option 'mood'."),
    ],
)
async def test_no_session_is_opened_with_what_is_not_offered(
    choice: tuple[str, str], why: str, tmp_path: Path
) -> None:
    argv = offering().argv(tmp_path)
    async with hosting(
        argv, tmp_path, capabilities=UNSTABLE, session=SessionStart(choices=(choice,))
    ) as host:
        await host.until(lambda: host.state.notices)
        assert host.state.notices[0].description == why
    assert Played(tmp_path).calls("session/new") == []


async def test_a_mode_that_is_no_option_is_known_before_and_set_afterward(tmp_path: Path) -> None:
    modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]}
    argv = offering({"modes": modes}).new_session().argv(tmp_path)
    known = (("mode", "ask"),)
    async with hosting(
        argv, tmp_path, capabilities=UNSTABLE, session=SessionStart(choices=known)
    ) as host:
        await host.opened()
    [opened] = Played(tmp_path).calls("session/new")
    assert "configOptions" not in opened["params"]


@pytest.mark.parametrize("refused", [False, True])
async def test_a_mode_that_is_no_option_is_set_in_the_session_that_it_was_chosen_for(
    refused: bool, tmp_path: Path
) -> None:
    asks, plans = {"id": "ask", "name": "Ask"}, {"id": "plan", "name": "Plan"}
    modes = {"currentModeId": "ask", "availableModes": [asks, plans]}
    ways = [{"id": "way", "name": "Way"}]
    script = Script().initialize({"agentCapabilities": NAMED, "authMethods": ways})
    script.expect("session/new", save="first").expect("session/options")
    script.reply("options", {"modes": modes}).expect("session/new", save="second")
    script.reply("first", {"sessionId": "s1", "modes": modes})
    if refused:
        script.reply("second", error=NO_SIGN_IN).expect("authenticate").reply("authenticate")
        script.expect("session/new", save="second")
    script.reply("second", {"sessionId": "s2", "modes": modes})
    script.expect("session/set_mode", {"sessionId": "s2", "modeId": "plan"}).reply("set_mode")
    script.stderr("planned\n")
    async with hosting(script.argv(tmp_path), tmp_path, capabilities=UNSTABLE) as host:
        calls = host.state.calls
        await host.until(lambda: any(one.call == "session/new" for one in calls.values()))
        host.do(AskSessionOptions())
        await host.until(lambda: host.state.catalogue.offer)
        offer = host.state.catalogue.offer
        assert offer is not None
        assert offer.modes is not None
        assert [one.id for one in offer.modes.available_modes] == ["ask", "plan"]
        host.do(NewSession(str(tmp_path), mode="plan"))
        if refused:
            await host.until(lambda: host.state.peer.sign_in)
            host.do(Authenticate("way"))
        await host.until(lambda: host.state.peer.output.stderr)
    played = Played(tmp_path)
    played.check()
    [chosen] = played.calls("session/set_mode")
    assert chosen["params"]["sessionId"] == "s2"


async def test_nothing_is_asked_before_a_session_where_nothing_was_chosen_or_it_is_not_wanted(
    tmp_path: Path,
) -> None:
    named = {"agentCapabilities": NAMED}
    for choices, claims in (((), UNSTABLE), (CHOICES, capabilities_to_offer())):
        argv = Script().initialize(named).new_session().argv(tmp_path)
        async with hosting(
            argv, tmp_path, capabilities=claims, session=SessionStart(choices=choices)
        ) as host:
            await host.opened()
        assert Played(tmp_path).calls("session/options") == []


async def test_a_session_is_opened_without_values_where_the_question_for_options_fails(
    tmp_path: Path,
) -> None:
    script = Script().initialize({"agentCapabilities": NAMED}).expect("session/options")
    failure = {"code": -32603, "message": "no"}
    argv = script.reply("options", error=failure).new_session().argv(tmp_path)
    async with hosting(
        argv, tmp_path, capabilities=UNSTABLE, session=SessionStart(choices=CHOICES)
    ) as host:
        await host.opened()
    [opened] = Played(tmp_path).calls("session/new")
    assert "configOptions" not in opened["params"]


async def test_the_options_are_requested_again_after_the_sign_in(tmp_path: Path) -> None:
    """Until then no session is requested: the agent would ask for a second sign-in."""
    methods = [{"id": "key", "name": "Key"}]
    script = Script().initialize({"agentCapabilities": NAMED, "authMethods": methods})
    script.expect("session/options", save="first").reply("first", error=NO_SIGN_IN)
    script.expect("authenticate").reply("authenticate")
    script.expect("session/options", save="second").reply("second", OFFERED).new_session()
    argv = script.argv(tmp_path)
    async with hosting(
        argv, tmp_path, capabilities=UNSTABLE, session=SessionStart(choices=CHOICES[:1])
    ) as host:
        await host.until(lambda: host.state.peer.sign_in)
        host.do(Authenticate("key"))
        await host.opened()
    played = Played(tmp_path)
    played.check()
    [opened] = played.calls("session/new")
    assert opened["params"]["configOptions"] == VALUES


async def test_canceled_options_open_no_session(tmp_path: Path) -> None:
    script = Script().initialize({"agentCapabilities": NAMED}).expect("session/options")
    script.expect("$/cancel_request").reply("options", error={"code": -32800, "message": "ok"})
    argv = script.expect_silence(0.2).stderr("silent\n").argv(tmp_path)
    async with hosting(
        argv, tmp_path, capabilities=UNSTABLE, session=SessionStart(choices=CHOICES)
    ) as host:
        await host.until(lambda: host.state.calls and host.state.peer.initialized)
        host.do(CancelRequest(next(iter(host.state.calls))))
        await host.until(lambda: host.state.notices)
        assert host.state.notices[0].title == "session/options was canceled"
        await host.until(lambda: host.state.peer.output.stderr)
    Played(tmp_path).check()


async def test_options_lost_with_the_agent_open_no_second_session(tmp_path: Path) -> None:
    lost = Script().initialize({"agentCapabilities": NAMED}).expect("session/options").kill()
    again = Script("s2").initialize({"agentCapabilities": NAMED}).expect("session/options")
    again.reply("options", OFFERED).new_session().expect_silence(0.2).stderr("silent\n")
    argv = lost.argv(tmp_path, again)
    launch = {"capabilities": UNSTABLE, "session": SessionStart(choices=CHOICES[:1])}
    async with hosting(argv, tmp_path, **launch) as host:
        await host.until(lambda: host.state.peer.process.exit)
        host.do(Restart())
        await host.until(lambda: host.state.peer.output.stderr)
    played = Played(tmp_path, run=2)
    played.check()
    [opened] = played.calls("session/new")
    assert opened["params"]["configOptions"] == VALUES


async def test_unanswered_options_are_an_error_after_their_time(tmp_path: Path) -> None:
    script = Script().initialize({"agentCapabilities": NAMED}).expect("session/options")
    launch = {
        "capabilities": UNSTABLE,
        "session": SessionStart(choices=CHOICES),
        "limits": Limits(other=0.2),
    }
    async with hosting(script.argv(tmp_path), tmp_path, **launch) as host:
        await host.until(lambda: host.state.peer.trouble)
        assert host.state.peer.trouble == "no answer to session/options within 0.2 s"
        assert not host.state.calls


async def test_every_session_comes_back_whatever_options_a_new_process_offers(
    tmp_path: Path,
) -> None:
    first = Script().initialize({"agentCapabilities": NAMED})
    for session in ("s1", "s2"):
        first.expect("session/options", save=session).reply(session, OFFERED)
        first.new_session({"sessionId": session})
    again = Script().initialize({"agentCapabilities": NAMED})
    again.new_session({"sessionId": "s3"}).new_session({"sessionId": "s4"})
    launch = {"capabilities": UNSTABLE, "session": SessionStart(choices=CHOICES)}
    async with hosting(first.expect_eof().argv(tmp_path, again), tmp_path, **launch) as host:
        await host.opened()
        host.do(NewSession())
        await host.until(lambda: len(host.state.open_sessions()) == 2)
        host.do(Restart())
        await host.until(lambda: set(host.state.sessions) == {"s3", "s4"})
    Played(tmp_path, run=2).check()


async def test_the_person_chooses_from_the_list_and_then_the_session_is_opened(
    tmp_path: Path,
) -> None:
    script = offering().new_session()
    launch = {"capabilities": UNSTABLE, "opening": AskSessionOptions()}
    async with hosting(script.argv(tmp_path), tmp_path, **launch) as host:
        await host.until(lambda: host.state.catalogue.offer)
        assert host.state.catalogue.offer is not None
        assert [one.id for one in host.state.catalogue.offer.options] == ["llm", "thrift"]
        host.do(NewSession(str(tmp_path), (("llm", "fast"), ("thrift", True))))
        await host.opened()
    [opened] = Played(tmp_path).calls("session/new")
    thrift = {"configId": "thrift", "type": "boolean", "value": True}
    assert opened["params"]["configOptions"] == [*VALUES, thrift]


@pytest.mark.parametrize("named", [{}, NAMED])
async def test_a_session_is_opened_all_the_same_where_no_options_are_listed(
    named: dict[str, Any], tmp_path: Path
) -> None:
    script = Script().initialize({"agentCapabilities": named})
    if named:
        script.expect("session/options").reply("options", error={"code": -32603, "message": "no"})
    argv = script.new_session().argv(tmp_path)
    launch = {"capabilities": UNSTABLE, "opening": AskSessionOptions()}
    async with hosting(argv, tmp_path, **launch) as host:
        await host.opened()
        title = "session/options failed" if named else "The agent lists no options before a session"
        assert host.state.notices[0].title == title
    Played(tmp_path).check()


async def test_options_are_for_the_folder_that_they_were_requested_for(tmp_path: Path) -> None:
    """The agent answers the second of two requests first."""
    folders = [str(tmp_path / name) for name in ("a", "b")]
    script = Script().initialize({"agentCapabilities": NAMED})
    for name, cwd in zip("ab", folders, strict=True):
        script.expect("session/options", {"cwd": cwd}, save=name)
    for name, cwd in zip("ba", reversed(folders), strict=True):
        script.reply(name, OFFERED).new_session({"sessionId": cwd})
    argv = script.argv(tmp_path)
    launch = {"capabilities": UNSTABLE, "session": SessionStart(choices=CHOICES), "opening": None}
    async with hosting(argv, tmp_path, **launch) as host:
        await host.until(lambda: host.state.peer.initialized)
        for cwd in folders:
            host.do(NewSession(cwd))
        await host.until(lambda: len(host.state.open_sessions()) == 2)
        assert {one.session_id: one.cwd for one in host.state.open_sessions()} == dict(
            zip(folders, folders, strict=True)
        )
