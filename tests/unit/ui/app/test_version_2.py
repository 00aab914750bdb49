"""What the screen shows of agents of version 2, and what its keys ask of them."""

import pytest

from acp_tui.config.limits import Limits
from acp_tui.headless.permission import describe_request
from acp_tui.state.commands import AnswerPermission, Cancel, CancelTerminal, CancelToolCall
from acp_tui.ui.export.about import heading_of
from acp_tui.ui.tabs import activity, status
from acp_tui.ui.transcript.entry_markdown import entry_markdown
from acp_tui.ui.transcript.full_text import full_text
from tests.unit.state.conversation import Conversation
from tests.unit.ui.app import version_2
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


def line(talk: Conversation, now: float = 100.0) -> str:
    parts = [
        activity.describe_activity(talk.state, talk.session, Limits(), now, 0.0),
        *status.status_facts(talk.state, talk.session, Limits(), now, (0, 0)),
    ]
    return "  ".join(text for text in status.fit_parts(parts, 200) if text)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("running", "working by itself"),
        ("idle", "○ ready"),
        ("requires_action", "◆ needs an action from you"),
        ("unknown", "◌ unknown activity"),
        ("_\x1b[2Jbrewing", "busy: _brewing by itself"),
    ],
)
async def test_each_state_has_its_words(state: str, words: str) -> None:
    talk = Conversation.opened_in_2()
    talk.update("state_update", state=state)
    assert words in line(talk)


@pytest.mark.parametrize(
    ("work", "words"),
    [
        ([], ""),
        ([{"type": "tool_call", "toolCallId": "c"}], "1 in the background: Boil water"),
        ([{"type": "tool_call", "toolCallId": "unheard-of"}], "1 in the background"),
        ([{"type": "terminal", "terminalId": "t"}], "1 in the background: make tea"),
        ([{"type": "subagent", "sessionId": "s2"}], "1 in the background: The helper"),
        ([{"type": "_timer"}, {"type": "_timer"}], "2 in the background: _timer and 1 more"),
    ],
)
async def test_what_goes_on_beside_is_named(work: list[dict[str, str]], words: str) -> None:
    talk = Conversation.opened_in_2()
    talk.update("tool_call_update", toolCallId="c", title="Boil water")
    talk.update("terminal_update", terminalId="t", command="make tea")
    talk.update("subagent_update", sessionId="s2", title="The helper")
    talk.update("state_update", state="idle", background=work)
    assert ("in the background" in line(talk)) is bool(words)
    assert words in line(talk)


async def test_the_version_is_told_where_it_is_another() -> None:
    talk = Conversation.opened_in_2()
    assert "ACP 2 preview" in line(talk)
    assert ("Protocol", "ACP 2 (preview)") in heading_of(talk.state, talk.session, None).facts
    talk = Conversation.opened()
    assert "ACP" not in line(talk)
    assert "Protocol" not in dict(heading_of(talk.state, talk.session, None).facts)


async def test_a_key_stops_what_is_under_the_cursor_and_nothing_else() -> None:
    talk = version_2.working()
    async with running(talk.state) as it:
        await it.press("tab", "end", "x")
        assert "the agent offers no way to stop this alone" in it.screen
        assert it.asked == []
        await it.press("T", "x")
        assert it.asked == [CancelToolCall("s", "warm")]


async def test_what_is_over_is_not_said_to_be_unstoppable() -> None:
    talk = version_2.working()
    talk.update("tool_call_update", toolCallId="warm", status="completed", capabilities=None)
    talk.update("terminal_update", terminalId="warm", exitStatus={"exitCode": 0})
    async with running(talk.state) as it:
        await it.press("tab", "end", "T", "x")
        assert "nothing to stop here" in it.screen
        assert it.asked == []


async def test_a_terminal_is_stopped_where_its_tool_call_cant_be() -> None:
    talk = version_2.working()
    talk.update("tool_call_update", toolCallId="warm", capabilities=None)
    async with running(talk.state) as it:
        await it.press("tab", "end", "T", "x")
        assert it.asked == [CancelTerminal("s", "s/warm")]
        talk.call("terminal/cancel", {"sessionId": "s", "terminalId": "warm"})
        await it.press("x")
        assert "asked to stop; waiting for the agent" in it.screen
        assert len(it.asked) == 1


async def test_escape_stops_what_an_agent_does_by_itself() -> None:
    talk = Conversation.opened_in_2()
    talk.update("state_update", state="running")
    async with running(talk.state) as it:
        assert "Esc cancel" in it.screen
        await it.press("escape")
        assert it.asked == [Cancel("s")]


async def test_escape_is_not_offered_while_nothing_could_be_cancelled() -> None:
    talk = Conversation.opened_in_2()
    talk.update("state_update", state="idle")
    async with running(talk.state) as it:
        assert "Esc" not in it.screen


async def test_a_question_shows_its_words_and_what_would_be_run() -> None:
    async with running(version_2.asking("command")) as it:
        for words in ("Throw the old tea away?", "It is from yesterday", "$ rm -r old-tea"):
            assert words in it.screen


async def test_a_long_description_stands_whole_at_the_end() -> None:
    talk = version_2.working()
    words = "\n".join(f"reason {number}" for number in range(12))
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    talk.asks("session/request_permission", title="May I?", description=words, options=options)
    async with running(talk.state, (100, 60)) as it:
        assert "… (the whole text: at the end)" in it.screen
        assert "reason 11" in it.screen
        assert "is not in a form that acp-tui knows" in it.screen


REASONS = "It is needed, and for many reasons. " * 100
COMMAND = {"type": "command", "command": "rm -r old-tea", "cwd": "/tmp"}


async def test_a_long_description_pushes_nothing_that_would_be_done_out_of_view() -> None:
    diff = {
        "type": "diff",
        "changes": [{"operation": "modify", "path": "/work/src/tea.py", "fileType": "text"}],
        "patch": {"format": "git_patch", "text": version_2.PATCH.partition("\n\ndiff")[0] + "\n "},
    }
    call = {"toolCallId": "new", "title": "Edit tea " * 30, "kind": "edit", "content": [diff]}
    edit = {"type": "tool_call", "toolCall": call}
    words = {"old-tea": COMMAND, '+     return "tea"': edit}
    for shown, subject in words.items():
        state = version_2.asking_for(subject, title="May I? " * 50, description=REASONS)
        async with running(state, (80, 24)) as it:
            await it.wait_until_armed()
            assert shown in it.screen
            while "Enter read on" in it.screen:
                await it.press("enter")
                it.clock.now += 1  # to read what Enter has shown
            await it.press("enter")
            assert it.asked == [AnswerPermission(state.waiting_permissions()[0].number, "yes")]


async def test_a_terminal_that_runs_another_command_than_is_asked_about_is_told() -> None:
    state = version_2.asking_for({**COMMAND, "terminalId": "warm"})
    async with running(state) as it:
        assert "$ rm -r old-tea" in it.screen
        assert "The terminal that it names runs another command:" in it.screen
        assert "│▌$ keep-warm --at 80" in it.screen
    (question,) = state.waiting_permissions()
    assert "  $ keep-warm --at 80" in describe_request(state, question)
    call = {"toolCallId": "warm", "title": "Go on", "kind": "execute"}
    state = version_2.asking_for({"type": "tool_call", "toolCall": call})
    async with running(state) as it:
        assert "The terminal that it names runs:" in it.screen


async def test_a_folder_without_a_name_is_told() -> None:
    state = version_2.asking_for({**COMMAND, "cwd": ""})
    async with running(state) as it:
        assert "execute in a folder without a name" in it.screen


async def test_an_agents_words_for_those_of_the_person_are_marked_as_its_own() -> None:
    talk = version_2.working()
    told = [{"type": "text", "text": "Make coffee."}]
    talk.update("user_message", messageId="u", content=told)
    async with running(talk.state, (100, 50)) as it:
        rows = ["▌ Make tea, and keep", "The agent says that you wrote:", "Make coffee."]
        at = [it.screen.index(row) for row in rows]
        assert at == sorted(at)
        prompt = talk.session.entries[0]
        assert "Make tea, and keep it warm." in "".join(full_text(prompt, talk.state))
        copied = entry_markdown(prompt, talk.state)
        assert copied.startswith("Make tea, and keep it warm.\n\n⚠ The agent says")
        assert copied.endswith("\n\n> Make coffee.")


async def test_an_echo_of_what_was_sent_is_no_word_of_the_agents() -> None:
    talk = version_2.working()
    told = [{"type": "text", "text": "Make tea, and keep it warm."}]
    talk.update("user_message", messageId="u", content=told)
    async with running(talk.state, (100, 50)) as it:
        assert "The agent says" not in it.screen


async def test_output_is_drawn_anew_when_a_snapshot_replaces_it() -> None:
    talk = version_2.working()
    async with running(talk.state) as it:
        assert "80 °C" in it.screen
        changes = talk.update("terminal_update", terminalId="warm", output={"data": "OTAgQw=="})
        it.app.changed(it.app.tabs.agent, changes)
        await it.until(lambda: "90 C" in it.screen)
        assert "80 °C" not in it.screen
