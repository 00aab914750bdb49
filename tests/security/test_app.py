"""No agent byte reaches a cell of the screen uncleaned, and none is taken for markup."""

import os
import re
from collections.abc import Callable, Iterator
from itertools import cycle
from random import Random

import anyio
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from acp_tui.host.agent import Agent
from acp_tui.protocol.events import ClientNotice, LocalEvent, QuirkHelped, TrustAsked
from acp_tui.protocol.file_events import AccessAnswered
from acp_tui.protocol.process_events import (
    ProcessExited,
    ProcessFailed,
    ProcessStarted,
    RestartStopped,
    StderrLine,
)
from acp_tui.text import one_line
from acp_tui.ui.app import AcpApp
from acp_tui.ui.features import Features
from acp_tui.ui.toolkit.notes import NoteRow
from tests.examples import some_of
from tests.security import attacks, attacks_2
from tests.security.attacks import FORBIDDEN, MARKUP, SEQUENCES
from tests.unit.state.conversation import Conversation
from tests.unit.ui.app.running import Clock, Running, running

Scene = Callable[[Conversation, Callable[[], str]], None]


def sign_in(talk: Conversation, attack: Callable[[], str]) -> None:
    data = {"x": attack(), "reason": attack()}
    talk.call("session/new", {}, error={"code": -32000, "message": attack(), "data": data})


def death(talk: Conversation, attack: Callable[[], str]) -> None:
    talk.happened(StderrLine(8.0, attack()))
    talk.happened(ProcessExited(9.0, 1, None))


def trust(talk: Conversation, attack: Callable[[], str]) -> None:
    talk.happened(TrustAsked(9.0, "/" + attack(), "\n".join(attack() for _ in range(9))))


def rules(talk: Conversation, attack: Callable[[], str]) -> None:
    attacks.facts(talk, attack)
    talk.happened(AccessAnswered(11.0, 900, "reject_once"))


def writes(talk: Conversation, attack: Callable[[], str]) -> None:
    from acp_tui.protocol.file_events import FileWritten

    for number, (old, new) in enumerate(((attack(), attack()), (None, attack()), (None, None))):
        path, remark = "/work/" + attack(), attack()
        facts = (path, old is None, old, new, True, bool(number), remark)
        talk.happened(FileWritten(9.0, 900 + number, "s", *facts))


OPENING_WINDOWS = ["f4", "escape", "f7", "escape", "f8", "escape", "alt+o", "escape"]
OPENING_ENTRIES = ["end", "enter", "up", "enter", "up", "enter"]
SCENES: dict[str, tuple[Scene, list[str]]] = {
    "talk": (
        lambda talk, _: None,
        ["f2", "slash", "escape", *OPENING_WINDOWS, "tab", *OPENING_ENTRIES, "home"],
    ),
    "permission": (attacks.ask, ["pagedown", "a"]),
    "sessions": (attacks.catalogue, ["ctrl+o", "down", "escape", "ctrl+pagedown"]),
    "facts": (attacks.facts, ["pagedown"]),
    "rules": (rules, ["alt+p", "down", "d"]),
    "trust": (trust, ["pagedown"]),
    "form": (attacks.ask_form, ["pagedown"]),
    "link": (attacks.ask_link, []),
    "sign-in": (sign_in, []),
    "death": (death, []),
    "writes": (writes, ["tab", "end", "f9", "escape", "f7", "down", "down", "u"]),
}


@pytest.fixture(autouse=True)
def notes_that_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine they would be gone before they are looked at."""
    monkeypatch.setattr(NoteRow, "_drop_newest", lambda *_: None)


def look(it: Running) -> None:
    """Every cell is clean, and every style is ours."""
    strips = it.app.screen._compositor.render_strips()
    for strip in strips:
        assert not FORBIDDEN.search(strip.text), ascii(strip.text)
    for style in {segment.style for strip in strips for segment in strip}:
        if style is not None:
            assert re.match("(https?|file):/|None", str(style.link))
            assert "@click" not in style.meta


async def visit(scene: str, attack: Callable[[], str]) -> None:
    add, keys = SCENES[scene]
    talk = attacks.everything(attack)
    add(talk, attack)
    await walk(talk, scene, keys)


async def walk(talk: Conversation, scene: str, keys: list[str]) -> None:
    async with running(talk.state, (140, 60)) as it:
        look(it)
        assert it.app.notes or scene != "facts"
        await it.wait_until_armed()
        for key in keys:
            await it.press(key)
            look(it)
        it.app._following._title.show(it.app.tabs)
        assert not FORBIDDEN.search(it.app._following._title.shown)


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES)
def test_every_known_attack_is_only_text(scene: str) -> None:
    known: Iterator[str] = cycle(one for pair in zip(cycle(MARKUP), SEQUENCES) for one in pair)
    anyio.run(visit, scene, lambda: "x" + next(known) + next(known))


@pytest.mark.parametrize("scene", SCENES)
def test_each_place_is_clean_by_itself(scene: str) -> None:
    """Whatever place an attack comes to when they are dealt out: here each gets all."""
    anyio.run(visit, scene, lambda: f"x{attacks.EACH}")


@pytest.mark.parametrize("about", ["", "tool_call", "command", "other", "nothing"])
def test_each_place_is_clean_in_version_2(about: str) -> None:
    def attack() -> str:
        return f"x{attacks.EACH}"

    talk = attacks_2.everything(attack)
    if about:
        attacks_2.ask(talk, about, attack)
    reading = ["f2", "tab", "end", *["enter", "up"] * 6, "x", "home"]
    anyio.run(walk, talk, about, ["pagedown", "a"] if about else reading)


STARTS: list[list[LocalEvent]] = [
    [],
    [ProcessFailed(1.0, (attacks.EACH,), attacks.EACH)],
    [ProcessExited(1.0, None, attacks.EACH)],
    [RestartStopped(1.0, attacks.EACH), ProcessExited(1.0, None, attacks.EACH)],
    [ClientNotice(1.0, None, "error", attacks.EACH, attacks.EACH)],
    [TrustAsked(1.0, attacks.EACH, attacks.EACH)],
]
"""What may happen to an agent that was just started."""


@pytest.mark.parametrize("opened", [False, True])
def test_a_start_is_clean(opened: bool) -> None:
    each = attacks.EACH
    states = []
    for facts in STARTS:
        talk = Conversation()
        talk.happened(ProcessStarted(0.0, (each, each), each, 7))
        talk.happened(QuirkHelped(0.0, each, each))
        talk.happened(StderrLine(0.0, each))
        if opened:
            info = {"name": each, "version": each, "title": each}
            talk.call("initialize", {}, result={"protocolVersion": 1, "agentInfo": info})
            talk.call("session/new", {"cwd": each}, result=attacks.opened(lambda: each))
            commands = [{"name": each, "description": each}]
            talk.update("available_commands_update", session_id=each, availableCommands=commands)
        for fact in facts:
            talk.happened(fact)
        states.append(talk.state)

    async def visit() -> None:
        agents = [Agent(state, lambda _: None) for state in states]
        clock = Clock()
        app = AcpApp(agents, Features, clock=clock, theme_name="night")
        it = Running(app, states[0], clock, [])
        async with app.run_test(size=(140, 60)) as it.pilot:
            clock.now += 100
            for number, agent in enumerate(agents, 1):
                await it.press(f"alt+{number}")
                assert app.tabs.agent is agent
                await it.changed()
                look(it)

    anyio.run(visit)


def test_markup_is_shown_as_it_came() -> None:
    async def visit() -> None:
        talk = Conversation.opened()
        for number, markup in enumerate(MARKUP):
            talk.update("tool_call", toolCallId=f"t{number}", title=markup)
        async with running(talk.state, (140, 60)) as it:
            for markup in MARKUP:
                assert one_line(markup) in it.screen

    anyio.run(visit)


@pytest.mark.slow  # the same places, with other attacks than `test_each_place_is_clean_by_itself`
@settings(
    max_examples=max(1, int(os.environ.get("FUZZ_EXAMPLES", some_of(300))) // 100),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # each look takes a second: nothing is made smaller
    suppress_health_check=list(HealthCheck),
)
@given(
    st.sampled_from(list(SCENES)), st.lists(attacks.attacks, min_size=20, max_size=40), st.randoms()
)
def test_any_attack_is_only_text(scene: str, some: list[str], random: Random) -> None:
    anyio.run(visit, scene, lambda: random.choice(some))


def test_a_click_opens_pages_and_files_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from acp_tui.ui.external import openers

    for url in ("javascript:x", "vnc://a", "ssh://-oProxyCommand=x", "data:text/html,x", "x:y", ""):
        with pytest.raises(openers.CannotOpen):
            openers.link_target(url)
    assert openers.link_target("https://example.org/") == "https://example.org/"
    assert AcpApp.open_url.__qualname__ != "App.open_url"
