import pytest

from acp_tui.protocol.frames import Direction
from acp_tui.protocol.initialization import AgentCapabilities, AuthMethod
from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.process_events import Disconnected, ProcessExited, RestartPlanned
from acp_tui.protocol.setup import SessionParams
from acp_tui.protocol.updates import AvailableCommand
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.authentication import Program
from acp_tui.state.changes import EntryChanged
from acp_tui.state.commands import (
    Authenticate,
    Cancel,
    CancelRequest,
    ListSessions,
    NewSession,
    Restart,
    StopRestarting,
    TerminalSignedIn,
)
from acp_tui.state.entries import TurnEndEntry
from acp_tui.ui.app import AcpApp
from acp_tui.ui.sessions.picker import SessionPicker
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


async def test_who_goes_on_typing_when_the_agent_dies_writes_on() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.press("y", "backspace")
        session.turn = None
        state.peer.process.exit = ProcessExited(states.NOW, 3, None)
        await it.changed()
        for key in "quit":
            it.clock.now += 0.45
            await it.press(key)
        assert it.app.is_running
        assert (it.prompt, it.asked) == ("quit", [])


async def test_a_text_that_is_typed_at_the_trouble_neither_restarts_nor_leaves() -> None:
    state, _ = states.died()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press("=")
        assert it.prompt == "", "what compares two runs is no text"
        shown = it.screen
        assert "nothing to compare" in shown or "Alt+R sends it again" in shown
        await it.press(*"very quick r")
        assert it.app.is_running
        assert (it.prompt, it.asked) == ("very quick r", [])


async def test_keys_are_named_where_they_work_and_none_behind_a_box() -> None:
    state, session = states.died()
    session.commands = [AvailableCommand(name="memory", description="What it knows")]
    async with running(state) as it:
        conversation = it.app.conversation
        assert "r restart" in it.screen
        conversation.prompt.focus()
        await it.changed()
        assert "Tab comes here" in it.screen
        await it.press("tab")
        assert conversation.focused is conversation.trouble
        await it.wait_until_armed()
        await it.press("tab")
        assert conversation.focused is conversation.transcript
        assert "Tab twice comes here" in it.screen
        await it.press("tab", "tab")
        assert conversation.focused is conversation.trouble
        for focus in (conversation.trouble, conversation.prompt):
            focus.focus()
            await it.changed()
            assert str(conversation.trouble.render()).split("\n")[-1]
            await it.press("f8")
            assert not str(conversation.trouble.render()).split("\n")[-1]
            await it.press("escape")
        await it.write("/mem")
        assert "comes here" not in it.screen
        await it.press("tab")
        assert it.prompt == "/memory "


async def test_how_the_agent_went_stands_in_the_transcript_once_nothing_else_says_it() -> None:
    state, session = states.died()
    assert state.peer.process.exit is not None
    lost = TurnEndEntry(
        state.peer.process.exit.at, states.NOW - 9, lost="the agent exited with code 0"
    )
    session.entries.append(lost)
    async with running(state) as it:
        assert "── interrupted after 9.0s ──" in it.screen
        assert it.screen.count("exited with code 0") == 1
        state.peer.process.exit = None
        it.app.changed(
            it.app.tabs.agent, [EntryChanged(session.session_id, len(session.entries) - 1)]
        )
        await it.changed()
        assert "✗ The agent exited with code 0." in it.screen


async def test_a_restart_is_offered_wherever_one_is_and_nothing_is_to_be_sent() -> None:
    state, session = states.died()
    assert session.config.mode
    async with running(state, (200, 24)) as it:
        conversation = it.app.conversation
        assert conversation.transcript is not None
        it.app.tabs.shown.queue.waiting.append("Go on")
        await it.changed()
        for focus in (conversation.trouble, conversation.prompt, conversation.transcript):
            focus.focus()
            await it.changed()
            assert it.row_of_keys.startswith("Alt+A restart")
            assert "send" not in it.row_of_keys
            assert "mode" not in it.row_of_keys
        for key in ("f6", "alt+slash"):
            await it.press(key)
            assert it.row_of_keys.startswith("Alt+A restart")
            assert "send" not in it.row_of_keys


async def test_exit_in_mid_turn_is_told_once_with_what_the_agent_said_last_until_a_restart() -> (
    None
):
    state, session = states.died()
    async with running(state) as it:
        shown = it.screen
        assert "Gemini CLI exited with code 0" in shown
        assert shown.count("exited with code 0") == 1
        assert "TypeError: x is undefined" in shown
        assert "Fix the loop in note G." in shown
        assert "✗ not running" in shown
        assert "No agent now: what is written here is kept" in shown
        state.peer.process.exit, session.lost = None, False
        await it.changed()
        shown = it.screen
        assert not it.app.conversation.trouble.display
        assert "exited" not in shown
        assert "Ask the agent" in shown
        await it.press("a")
        assert it.prompt == "a", "the prompt has the keys"


async def test_command_that_cannot_be_started_is_named_once_and_enter_leads_to_the_prompt() -> None:
    state = states.not_found()
    async with running(state) as it:
        assert "✗ gemeni: command not found." in next(row for row in it.rows() if "✗" in row)
        state.peer.trouble = "Can't start 'gemeni': permission denied"
        await it.changed()
        assert "✗ Can't start 'gemeni': permission denied" in it.screen
        assert "Enter to the prompt" in it.screen, "there is no transcript"
        await it.wait_until_armed()
        await it.press("enter", "x")
        assert it.prompt == "x"


async def test_keys_restart_the_agent_and_none_is_named_twice() -> None:
    state, _ = states.died()
    async with running(state, (120, 30)) as it:
        await it.wait_until_armed()
        shown = it.screen
        assert "r restart   Enter read on" in shown
        assert it.row_of_keys.startswith("Alt+A restart")
        assert shown.count("restart") == 2
        assert shown.count("Ctrl+Q quit") == 1
        assert "Alt+N another agent   F7 changes   F12 protocol" in shown
        await it.press("r")
        assert it.asked == [Restart()]
        await it.press("alt+a")
        assert it.asked == [Restart(), Restart()]
        it.app.conversation.prompt.focus()
        await it.pilot.pause()
        shown = it.screen
        assert "Alt+A restart   Alt+N another agent" in shown
        assert shown.count("restart") == 1
        await it.press("h", "enter")
        assert "not sent: the agent isn't running; Alt+A restarts it" in it.screen
        assert (it.prompt, it.asked) == ("h", [Restart(), Restart()])


async def test_a_restart_that_is_due_counts_down_and_can_be_stopped_or_had_now() -> None:
    state, _ = states.died()
    state.peer.restart.planned = RestartPlanned(states.NOW, 8.0, 2)
    async with running(state) as it:
        assert "restarting in 8 s, after 2 failures" in it.screen
        assert "r restart now   x don't" in it.screen
        it.clock.now += 3.2
        await it.changed()
        assert "restarting in 5 s" in it.screen
        await it.press("x", "r")
        it.app.conversation.prompt.focus()
        await it.press("escape")
        assert it.asked == [StopRestarting(), Restart(), StopRestarting()]
        planned, state.peer.restart.planned = state.peer.restart.planned, None
        state.peer.restart.stopped = "5 failures within 300 s"
        await it.changed()
        assert "not restarted: 5 failures within 300 s" in it.screen
        # a connection that is lost is told as one
        state.peer.restart.planned, state.peer.restart.stopped = planned, None
        state.peer.url = "wss://host/acp"
        closed = "the server closed the WebSocket with code 1011"
        state.peer.process.exit = Disconnected(states.NOW, closed)
        it.app.conversation.trouble.focus()
        await it.changed()
        shown = it.screen
        assert f"disconnected: {closed}" in shown
        assert "connecting again in 5 s, after 2 failures" in shown
        assert "r connect now   x don't" in shown


async def test_esc_takes_back_what_the_agent_does_not_answer() -> None:
    state, session = states.talked()
    state.calls[60] = Requested(Direction.OUT, states.NOW - 9, 60, 6, "session/list", None)
    async with running(state) as it:
        await it.press("escape")
        assert it.asked == [CancelRequest(60)]
        state.cancelled_calls[60] = states.NOW
        await it.press("escape")
        assert "waiting a moment for the agent" in it.screen
        assert len(it.asked) == 1
        del state.calls[60]
        session.opened = False
        state.calls[61] = Requested(Direction.OUT, states.NOW - 9, 61, 7, "session/new", None)
        await it.press("escape")
        assert "Esc again cancels session/new" in it.screen
        await it.press("escape")
        assert it.asked == [CancelRequest(60), CancelRequest(61)]
        state.cancelled_calls[61] = states.NOW
        await it.changed()
        assert "Esc again" not in it.screen


async def test_esc_takes_back_a_request_beside_a_turn_that_is_cancelled() -> None:
    state, session = states.working()
    params = SessionParams(session_id=session.session_id)
    state.calls[60] = Requested(Direction.OUT, states.NOW, 60, 6, "session/set_mode", params)
    async with running(state) as it:
        await it.press("escape")
        assert it.asked == [Cancel(session.session_id)]
        assert session.turn is not None
        session.turn.cancelled = states.NOW
        await it.press("escape")
        assert it.asked == [Cancel(session.session_id), CancelRequest(60)]


async def test_panel_does_not_take_the_keys_of_someone_who_writes_or_typed_ahead() -> None:
    state, session = states.talked()
    async with running(state) as it:
        it.clock.now += 60  # it has been in view for long
        dead, _ = states.died()
        state.peer.process.exit, session.lost = dead.peer.process.exit, True
        await it.changed()
        await it.write("rq")
        assert it.app.is_running
        assert (it.prompt, it.asked) == ("rq", [])
        state.peer.process.exit, session.lost = None, False
        await it.changed()
        state.peer.process.exit, session.lost = dead.peer.process.exit, True
        await it.changed()
        assert it.app.focused is it.app.conversation.prompt, "something is written there"
        await it.wait_until_armed()
        await it.write("rq")
        assert (it.prompt, it.asked) == ("rqrq", [])


async def test_a_session_that_cannot_be_opened_leaves_the_choice_of_another() -> None:
    state = states.without_session()
    async with running(state) as it:
        shown = it.screen
        assert "✗ Gemini CLI: session/load failed: the history is broken" in shown
        assert "n new session   r restart   Enter to the prompt" in shown
        assert it.row_of_keys.startswith("Alt+A restart   Alt+N another agent")
        await it.wait_until_armed()
        await it.press("n")
        assert it.asked == [NewSession()]
        await it.press("alt+a", "ctrl+t")
        assert it.asked == [NewSession(), Restart(), NewSession()]
        it.app.conversation.prompt.focus()
        await it.pilot.pause()
        shown = it.screen
        assert "Ctrl+T new session   Alt+A restart" in shown
        assert "No session now: what is written here is kept" in shown
        await it.press("h", "enter")
        assert "not sent: there is no session" in it.screen
        assert it.prompt == "h"
        assert state.peer.initialized is not None
        offered = AgentCapabilities.model_validate({"sessionCapabilities": {"list": {}}})
        state.peer.initialized = state.peer.initialized.model_copy(
            update={"agent_capabilities": offered}
        )
        it.asked.clear()
        it.app.conversation.trouble.focus()
        await it.changed()
        await it.wait_until_armed()
        assert "o others" in it.screen
        await it.press("o")
        assert it.asked == [ListSessions()]
        assert isinstance(it.app.screen, SessionPicker)


async def test_keys_do_nothing_until_what_came_up_behind_another_screen_is_seen() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("f1")
        state.peer.process.exit = ProcessExited(states.NOW, 0)
        await it.changed()
        it.clock.now += 5
        await it.press("r", "r")
        assert it.asked == []
        await it.wait_until_armed()
        await it.press("escape")
        assert it.app.is_running
        await it.wait_until_armed()
        await it.press("r")
        assert it.asked == [Restart()]


async def test_a_slow_start_is_told_and_what_is_sent_before_waits_and_can_be_taken_back() -> None:
    state = states.initializing()
    state.peer.output.stderr.append("downloading \x1b[2Jhalf the internet")
    async with running(state) as it:
        shown = it.screen
        assert "Waiting for the agent to answer initialize …" in shown
        assert shown.count("12s of 1m 00s") == 1
        assert "Keep typing: sent as soon as the agent is ready" in shown
        assert it.row_of_keys.startswith("Enter send when it is ready")
        assert "Esc twice cancels" in shown
        await it.press("H", "enter")
        shown = it.screen
        assert "Sent as soon as the agent is ready; Esc takes it back" in shown
        assert it.row_of_keys.startswith("Esc take back   Enter send when it is ready")
        assert "Esc twice cancels" not in shown
        await it.press("escape")
        assert (it.prompt, it.asked) == ("H", [])
        it.clock.now += 6
        await it.changed()
        assert "downloading half the internet" in it.screen
        state.peer.output.stderr.clear()
        state.peer.output.noise = "The agent printed this, and has not ended the line:", "Press:"
        state.peer.output.noise_before.append("Sign in at https://example.org/a")
        await it.changed()
        _, _, shown = it.screen.partition("has not ended the line:")
        assert "Press:" in shown
        assert "Sign in at https://example.org/a" in shown.partition("Before that:")[2]


async def test_a_sign_in_that_is_wanted_before_the_screen_is_ready_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ready = AcpApp.on_conversation_screen_ready

    def quick(app: AcpApp) -> None:
        app.refresh_view()  # what an agent leads to that answers in this very moment
        ready(app)

    monkeypatch.setattr(AcpApp, "on_conversation_screen_ready", quick)
    async with running(states.signing_in()) as it:
        assert "no API key was found" in it.screen


async def test_terminal_sign_in_runs_the_agents_command_or_one_that_it_names_after_a_yes() -> None:
    state = states.signing_in()
    ran: list[Program] = []

    async def run(program: Program) -> int:
        ran.append(program)
        return 0

    async with running(state, (120, 24), run_program=run) as it:
        assert "runs npx @google/gemini-cli --experimental-acp login" in it.screen
        await it.wait_until_armed()
        await it.press("3")
        await it.pilot.pause()
        assert [one.argv[-1] for one in ran] == ["login"]
        assert it.asked == [TerminalSignedIn("tty", 0)]
        named = {"terminal-auth": {"command": "rm", "args": ["-rf", "my home"], "env": {"A": "b"}}}
        assert state.peer.sign_in is not None
        state.peer.sign_in.methods = [AuthMethod(id="odd", name="Log in", _meta=named)]
        await it.changed()
        await it.wait_until_armed()
        await it.press("1")
        assert "A=b rm -rf 'my home'" in it.screen
        await it.wait_until_armed()
        await it.press("1")
        assert (len(ran), len(it.asked)) == (1, 1)
        await it.wait_until_armed()
        await it.press("1")
        await it.wait_until_armed()
        await it.press("2")
        await it.pilot.pause()
        assert [one.argv for one in ran[1:]] == [("rm", "-rf", "my home")]
        assert it.asked[1:] == [TerminalSignedIn("odd", 0)]


async def test_all_of_a_command_and_all_ways_to_sign_in_can_be_seen() -> None:
    state = states.signing_in()
    assert state.peer.sign_in is not None
    words = [f"--option-{number}" for number in range(20)]
    named = {"terminal-auth": {"command": "/opt/bin/agent", "args": words}}
    state.peer.sign_in.methods = [
        AuthMethod(id="odd", name="Log in", _meta=named),
        *(AuthMethod(id=f"m{at}", name=f"Way {at}", description="Somehow") for at in range(12)),
    ]
    async with running(state) as it:
        assert "wants a sign-in" in it.screen
        assert all(f"{word} " in it.screen for word in words)
        assert "Way 11" not in it.screen
        await it.wait_until_armed()
        await it.press("up")
        assert "▌ 13  ▸ Way 11" in it.screen
        await it.press("enter")
        assert it.asked == [Authenticate("m11")]


async def test_sign_in_by_number_can_be_taken_back_put_off_and_tried_again() -> None:
    state = states.signing_in()
    async with running(state) as it:
        assert "no API key was found" in it.screen
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked == [Authenticate("key")]
        assert state.peer.sign_in is not None
        state.peer.sign_in.trying = "oauth"
        asked = Requested(Direction.OUT, states.NOW - 11, 60, 6, "authenticate", None)
        state.calls[60] = asked
        await it.changed()
        shown = it.screen
        assert "signing in: Log in with Google   authenticate 12s of 10m 00s" in shown
        assert "Esc cancel the sign-in" in shown
        await it.press("escape")
        assert it.asked[1:] == [CancelRequest(60)]
        state.cancelled_calls[60] = it.clock.now
        await it.changed()
        assert "authenticate, canceled 0s ago" in it.screen
        await it.press("escape")
        await it.changed()
        assert it.app.screen is it.app.conversation
        it.asked.clear()
        await it.press("h", "enter")
        await it.pilot.pause()
        assert "wants a sign-in" in it.screen, "it comes back with the next prompt"
        assert it.asked == []
        del state.calls[60]
        state.peer.sign_in.trying = None
        state.peer.sign_in.failure = Error(-32603, "the browser never came back")
        await it.changed()
        assert "the browser never came back" in it.screen
        await it.wait_until_armed()
        await it.press("1")
        assert it.asked == [Authenticate("oauth")]
        state.peer.sign_in = None
        await it.changed()
        assert it.app.screen is it.app.conversation


async def test_trouble_before_the_exit_is_the_headline() -> None:
    state = states.initializing()
    state.peer.trouble = "the agent speaks ACP version 99, this client speaks version 1"
    state.peer.process.exit = ProcessExited(states.NOW, 0)
    async with running(state) as it:
        first = next(row for row in it.rows() if "✗" in row)
        assert "the agent speaks ACP version 99" in first
        assert "exited with code 0" not in it.screen
        assert it.screen.count("the agent speaks ACP version 99") == 1
        assert "✗ not running" in it.rows()[-2]


async def test_only_a_command_that_ends_at_once_without_a_word_gets_a_hint() -> None:
    state = states.initializing()
    state.peer.argv, state.peer.process.started = ("false",), states.NOW
    state.peer.process.exit = ProcessExited(states.NOW + 0.1, 1)
    async with running(state, (120, 30)) as it:
        shown = it.screen
        assert "exited with code 1, at once" in shown
        assert "It wrote nothing to stderr, and answered nothing." in shown
        hint = "An ACP agent stays running: maybe this command needs an option"
        assert f"{hint}, such as --acp." in shown
        state.peer.argv = ("tea", "--acp")
        await it.changed()
        assert f"{hint}." in it.screen
        state.peer.process.exit = ProcessExited(states.NOW + 60, 1)
        await it.changed()
        shown = it.screen
        assert "exited with code 1" in shown
        assert "stays running" not in shown, "it ran for a while"
        state.peer.process.exit = ProcessExited(states.NOW + 0.1, 1)
        state.peer.output.stderr.append("no key")
        await it.changed()
        shown = it.screen
        assert "exited with code 1" in shown
        assert "stays running" not in shown, "it said something"


async def test_why_no_session_could_be_opened_takes_few_rows_and_says_nothing_twice() -> None:
    state = states.without_session()
    state.peer.trouble = (
        "Gemini CLI couldn't open a session (session/new): Internal error (-32603)\n"
        'It ended. stderr: error: "/a/b" is cut.\n' + "why " * 200
    )
    state.peer.output.stderr.extend(['error: "/a/b" is cut.', "something else"])
    async with running(state) as it:
        [at] = [at for at, row in enumerate(it.rows()) if "✗ Gemini CLI couldn't open" in row]
        rows = [row.strip("▌ ") for row in it.rows()][at:]
        assert it.screen.count("is cut.") == 1
        assert rows.index("… F12 shows all") == 4 + (rows[1] == "(-32603)")
        assert rows[rows.index("… F12 shows all") + 1] == "│ something else"


async def test_what_the_agent_said_last_is_wrapped_not_cut() -> None:
    state, _ = states.died()
    state.peer.output.stderr.extend(["too old to be told " * 30, "why " * 40 + "the end of it"])
    async with running(state) as it:
        assert "the end of it" in it.screen
        assert "too old" not in it.screen
        state.peer.output.stderr.append("word " * 300)
        await it.changed()
        rows = [row.strip("▌ ") for row in it.rows()]
        assert "│ …" in rows
        assert sum(row.startswith("│") for row in rows) == 6
