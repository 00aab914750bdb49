"""What the screens of a kept run see, and what becomes of what they ask for."""

from pathlib import Path

import anyio
import pytest

from acp_tui import __version__
from acp_tui.config.settings import AgentSettings
from acp_tui.kept.messages import (
    BATCH_BYTES,
    SocketConnection,
    format_hello,
    format_message,
    read_message,
    read_record,
)
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.events import TrustAsked
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state.commands import (
    AnswerElicitation,
    AnswerPermission,
    AnswerTrust,
    Cancel,
    Command,
    NewSession,
    SendPrompt,
)
from tests.hosting import eventually
from tests.unit.kept.kept import Kept, Talk, kept

pytestmark = pytest.mark.anyio

OPTIONS = [
    {"optionId": "y", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "n", "name": "Reject", "kind": "reject_once"},
]


def begun(run: Kept) -> Talk:
    talk = run.add(Talk())
    talk.begin()
    return talk


def asking(talk: Talk) -> int:
    """Have the agent ask for permission in a turn."""
    talk.prompt()
    call = {"toolCallId": "t", "title": "Boil"}
    return talk.asks("session/request_permission", toolCall=call, options=OPTIONS)


def prompt(text: str) -> SendPrompt:
    return SendPrompt("s", (TextContent(text=text),))


async def test_a_screen_that_comes_in_the_middle_has_the_same_state(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        talk = begun(run)
        first = await run.attach("pts/1")
        talk.prompt("Tea?")
        for number in range(2000):
            talk.say(f"leaf {number} ")
        talk.frame_bytes(b"x" * 3 * BATCH_BYTES)
        second = await run.attach("pts/2")
        assert second.agent.state == talk.state
        talk.say("and water")
        talk.answer(talk.id, result={"stopReason": "end_turn"})
        for one in (first, second):
            await eventually(lambda one=one: one.agent.state == talk.state)
            assert list(one.agent.records) == list(talk.log)
        assert (first.hosts.is_first, second.hosts.is_first) == (True, False)


async def test_one_screen_alone_shows_a_session_that_the_agent_does_not_open(
    tmp_path: Path,
) -> None:
    async with kept(tmp_path) as run:
        begun(run).agent.resumed = "old"
        shown = [await run.attach(f"pts/{number}") for number in range(2)]
        assert [one.agent.resumed for one in shown] == ["old", ""]


async def test_many_agents_are_told_apart(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        talks = [begun(run) for _ in range(3)]
        for at, talk in enumerate(talks):
            talk.prompt(f"of {at}")
        screen = await run.attach("pts/1")
        assert [one.state for one in screen.hosts.agents] == [talk.state for talk in talks]


async def test_a_screen_that_takes_nothing_holds_up_nobody(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        talk = begun(run)
        stuck = run.connect()
        await stuck.send(b'{"acp-tui": 1, "wants": "attach", "screen": "pts/1"}\n')
        other = await run.attach("pts/2")
        talk.prompt()
        for _ in range(100):
            talk.say("x" * BATCH_BYTES)
        await eventually(lambda: other.agent.state == talk.state)
        got = []
        async for line in stuck.lines():  # it missed nothing
            if not line.startswith(b"{"):
                got.append(read_record(line)[1])
            if len(got) == len(talk.log):
                break
        assert got == list(talk.log)


async def test_the_first_answer_counts_and_all_are_told_whose_it_was(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        talk = begun(run)
        first, second = await run.attach("pts/1"), await run.attach("pts/2")
        number = asking(talk)
        await eventually(lambda: second.agent.state.waiting_permissions())

        def settle(command: object) -> None:
            assert command == AnswerPermission(number, "y", screen="pts/2")
            talk.done.append(NewSession())
            talk.settle(number, result={"outcome": {"outcome": "selected", "optionId": "y"}})

        talk.agent.do = settle  # type: ignore[assignment]
        second.agent.do(AnswerPermission(number, "y"))
        await first.hears("pts/2 answered: Allow once")
        first.agent.do(AnswerPermission(number, "n"))
        await first.hears("pts/2 answered that before: Allow once")
        assert talk.done == [NewSession()]
        assert not any("answered" in one for one in second.words)


async def test_of_two_answers_at_once_one_counts_and_the_other_screen_is_told_which(
    tmp_path: Path,
) -> None:
    """As from a terminal and a browser within one millisecond: both are on their way before either is read."""
    async with kept(tmp_path) as run:
        talk = begun(run)
        screens = [await run.attach("pts/1"), await run.attach("web")]
        number = asking(talk)
        await eventually(lambda: all(one.agent.state.waiting_permissions() for one in screens))
        given: list[AnswerPermission] = []

        def settle(command: object) -> None:
            assert isinstance(command, AnswerPermission)
            given.append(command)
            talk.settle(
                number, result={"outcome": {"outcome": "selected", "optionId": command.option_id}}
            )

        talk.agent.do = settle  # type: ignore[assignment]
        for screen, option in zip(screens, ("y", "n"), strict=True):
            screen.agent.do(AnswerPermission(number, option))
        await eventually(
            lambda: any("answered" in one for one in screens[0].words + screens[1].words)
        )
        (first,) = given
        winner, loser = (0, 1) if first.screen == "pts/1" else (1, 0)
        name, words = ("pts/1", "Allow once") if first.option_id == "y" else ("web", "Reject")
        assert first.screen == name
        await screens[loser].hears(f"{name} answered that before: {words}")
        assert not any("before" in one for one in screens[winner].words)
        assert len(given) == 1


async def test_an_answer_on_the_only_screen_is_nothing_to_tell(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        talk = begun(run)
        screen = await run.attach("pts/1")
        number = talk.asks("elicitation/create", message="Who?", mode="form", requestedSchema={})
        screen.agent.do(AnswerElicitation(number, "decline"))
        await eventually(lambda: talk.done)
        assert talk.done == [AnswerElicitation(number, "decline")]
        screen.agent.do(AnswerElicitation(99, "decline"))
        await screen.hears("that was over before you answered")


async def test_a_prompt_that_comes_in_a_turn_waits_for_its_end(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        talk = begun(run)
        screen = await run.attach("pts/1")
        turn = talk.prompt("first")
        screen.agent.do(prompt("second"))
        await screen.hears("waits for the end of the turn, from pts/1: second")
        assert (await run.asked("send", prompt="third"))["waits"] is True
        assert [one["waiting"] for one in (await run.asked("status"))["sessions"]] == [2]  # type: ignore[attr-defined]
        assert talk.done == []
        sent: list[Command] = []

        def send(command: Command) -> None:
            sent.append(command)
            talk.prompt()

        talk.agent.do = send
        talk.answer(turn, result={"stopReason": "end_turn"})
        assert sent == [prompt("second")]
        talk.answer(talk.id, result={"stopReason": "end_turn"})
        assert sent == [prompt("second"), prompt("third")]


@pytest.mark.parametrize("ending", ["cancel", "exit", "close"])
async def test_a_prompt_that_waits_is_given_back_if_the_turn_is_cut(
    tmp_path: Path, ending: str
) -> None:
    async with kept(tmp_path) as run:
        talk = begun(run)
        screen = await run.attach("pts/1")
        talk.prompt("first")
        screen.agent.do(prompt("second"))
        if ending == "cancel":
            screen.agent.do(Cancel("s"))
        elif ending == "close":
            screen.hosts.close(screen.agent)
        else:
            await screen.hears("waits")
            talk.happened(ProcessExited(9.0, 1))
        await eventually(lambda: run.notes)
        ((title, words),) = run.notes
        assert title.startswith("Prompt from pts/1 not sent")
        assert words == "second"
        assert talk.done == ([Cancel("s")] if ending == "cancel" else [])


async def test_agents_are_started_and_ended_for_all_screens(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        begun(run)
        first, second = await run.attach("pts/1"), await run.attach("pts/2")
        settings = AgentSettings(command=["bread"])
        mine = first.hosts.open(settings, "bread")
        await eventually(lambda: second.new)
        (talk,) = run.opened
        talk.begin()
        await eventually(lambda: mine.state == talk.state == second.new[0].state)
        assert first.new == []
        first.hosts.close(mine)
        await eventually(lambda: second.gone == second.new)
        assert run.closed == [talk.agent]
        await second.hears("pts/1 ended")
        hasty = first.hosts.open(settings)
        first.hosts.close(hasty)  # before it was told that it began
        await eventually(lambda: len(run.closed) == 2)


async def test_others_are_told_who_comes_and_goes(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        begun(run)
        first, second = await run.attach("pts/1"), await run.attach("pts/2 from ::1")
        await first.hears("pts/2 from ::1 is attached, too")
        second.leave()
        await first.hears("pts/2 from ::1 has left")


async def test_what_makes_no_sense_is_told_to_its_screen_alone(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        begun(run)
        screen = await run.attach("pts/1")
        for body in (
            {"do": 1, "command": "Fly", "given": {}},
            {"do": 1, "command": "Cancel", "given": {}},
        ):
            await screen.connection.send(format_message(**body))
        await screen.connection.send(b"no JSON\n")
        await screen.hears("not done: there is no command 'Fly'")
        await screen.hears("not done: Cancel can't be read")
        await screen.hears("not done: not JSON")
        assert (await run.asked("dance"))["error"] == "what is it to do? It knows no 'dance'"


async def test_a_screen_of_another_version_is_told_what_to_do(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        begun(run)
        old = run.connect()
        await old.send(format_message(**{"acp-tui": 0, "version": "0.0.1", "wants": "attach"}))
        async for line in old.lines():
            assert (
                f"tea is kept by acp-tui {__version__}, and this is acp-tui 0.0.1".encode() in line
            )
            assert b"acp-tui stop tea" in line
        async with anyio.create_task_group():
            assert (await run.asked("status"))["name"] == "tea"


async def test_the_status_says_what_waits_for_whom(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        talk = begun(run)
        waits = run.add(Talk())

        async def states() -> list[object]:
            told = await run.asked("status")
            return [one["state"] for one in told["sessions"]]  # type: ignore[attr-defined]

        assert await states() == ["ready", "starting"]
        waits.happened(ProcessExited(3.0, 3))
        number = asking(talk)
        told = await run.asked("status")
        assert told["sessions"][0]["title"] == "Hello"  # type: ignore[index]
        assert await states() == ["waits for you: Boil", "the agent exited with code 3"]
        talk.settle(number, result={"outcome": {"outcome": "cancelled"}})
        assert (await states())[0] == "working"
        talk.asks("elicitation/create", message="Who?", mode="form", requestedSchema={})
        assert (await states())[0] == "waits for you: Who?"


async def test_a_prompt_is_sent_where_it_is_clear_which_session_is_meant(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        talk = run.add(Talk())
        assert "has no open session" in str((await run.asked("send", prompt="go"))["error"])
        talk.begin()
        assert await run.asked("send", prompt="go") == {"sent": "s", "waits": False}
        assert talk.done == [prompt("go")]
        other = run.add(Talk())
        other.begin()
        talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "b1"})
        unclear = await run.asked("send", prompt="go")
        assert "several sessions: name one by --session ID" in str(unclear["error"])
        assert (await run.asked("send", prompt="go", session="b"))["sent"] == "b1"
        nowhere = await run.asked("send", prompt="go", session="x")
        assert "no single session begins with 'x'" in str(nowhere["error"])


async def test_a_run_ends_when_its_agents_have_and_somebody_has_seen_it(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        talk = begun(run)
        screen = await run.attach("pts/1")
        screen.leave()
        await eventually(lambda: run.server.status()["screens"] == [])
        talk.happened(ProcessExited(9.0, 1))
        assert not run.server.over.is_set()
        screen = await run.attach("pts/1")
        screen.leave()
        await run.server.over.wait()


async def test_a_run_is_ended_from_a_screen_or_without_one(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        begun(run)
        screen = await run.attach("pts/1")
        assert await run.asked("stop") == {"stopping": "tea"}
        await eventually(lambda: screen.hosts.end_reason)
        assert screen.hosts.end_reason == "stopped by pts/9"
        late = await run.attach("pts/2")
        await eventually(lambda: late.hosts.end_reason)
    async with kept(tmp_path) as run:
        begun(run)
        screen = await run.attach("pts/1")
        screen.hosts.stop()
        await run.server.over.wait()
        assert run.server.why == "stopped by pts/1"


async def test_another_user_is_not_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with kept(tmp_path) as run:
        begun(run)
        monkeypatch.setattr("os.getuid", lambda: 12345)
        with pytest.raises((EOFError, OSError)):
            await run.asked("status")


async def test_others_are_told_who_trusts_a_project(tmp_path: Path) -> None:
    async with kept(tmp_path) as run:
        talk = begun(run)
        first, second = await run.attach("pts/1"), await run.attach("pts/2")
        talk.happened(TrustAsked(9.0, "/work/.mcp.json", "{}"))
        first.agent.do(AnswerTrust(trusted=False))
        await second.hears("pts/1 does not trust /work/.mcp.json")
        assert talk.done == [AnswerTrust(trusted=False)]


async def test_a_line_without_an_end_is_refused_in_words_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SocketConnection.lines, "__defaults__", (1000,))
    async with kept(tmp_path) as run:
        begun(run)
        attached, connection = run.connect(), run.connect()
        await attached.send(format_hello("attach", "pts/1"))
        await eventually(lambda: run.server.status()["screens"] == ["pts/1"])
        await attached.send(b"x" * 1001)
        await eventually(lambda: run.server.status()["screens"] == [])
        await connection.send(b"x" * 1001)
        (line,) = [line async for line in connection.lines()]
        assert read_message(line)["error"] == "a line is longer than 1.0 kB"
        assert run.faults == []
