"""What the screen shows of agents of version 2, and what its keys ask of them."""

from typing import Any

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
from tests.unit.ui.app.running import Running, running

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


async def test_a_key_stops_what_is_under_the_cursor_or_its_terminal_once_and_while_it_runs() -> (
    None
):
    talk = version_2.working()
    async with running(talk.state) as it:
        await it.press("tab", "end", "x")
        assert "the agent offers no way to stop this alone" in it.screen
        assert it.asked == []
        await it.press("T", "x")
        assert it.asked == [CancelToolCall("s", "warm")]
        talk.update("tool_call_update", toolCallId="warm", capabilities=None)
        await it.changed()
        await it.press("x")
        assert it.asked[1:] == [CancelTerminal("s", "s/warm")]
        talk.call("terminal/cancel", {"sessionId": "s", "terminalId": "warm"})
        await it.press("x")
        assert "asked to stop; waiting for the agent" in it.screen
        assert len(it.asked) == 2
        talk.update("tool_call_update", toolCallId="warm", status="completed")
        talk.update("terminal_update", terminalId="warm", exitStatus={"exitCode": 0})
        await it.changed()
        await it.press("x")
        assert "nothing to stop here" in it.screen
        assert len(it.asked) == 2


async def test_escape_stops_what_an_agent_does_by_itself_and_is_offered_only_then() -> None:
    talk = Conversation.opened_in_2()
    talk.update("state_update", state="idle")
    async with running(talk.state) as it:
        assert "Esc" not in it.screen
        talk.update("state_update", state="running")
        await it.changed()
        assert "Esc cancel" in it.screen
        await it.press("escape")
        assert it.asked == [Cancel("s")]


async def asked(it: Running, talk: Conversation, subject: dict[str, Any], **said: str) -> int:
    """Have the agent ask about something, instead of what it asked about before."""
    for before in talk.state.waiting_permissions():
        talk.settle(before.number, result={"outcome": {"outcome": "cancelled"}})
    said = {"title": "Throw the old tea away?", "description": "It is from yesterday.", **said}
    number = talk.asks(
        "session/request_permission", **said, subject=subject, options=version_2.OPTIONS
    )
    await it.changed()
    return number


COMMAND = {"type": "command", "command": "rm -r old-tea", "cwd": "/tmp"}


async def test_a_question_shows_its_words_and_what_would_be_run() -> None:
    talk = version_2.working()
    async with running(talk.state) as it:
        await asked(it, talk, COMMAND)
        shown = it.screen
        for words in ("Throw the old tea away?", "It is from yesterday", "$ rm -r old-tea"):
            assert words in shown
        await asked(it, talk, {**COMMAND, "cwd": ""})
        assert "execute in a folder without a name" in it.screen
        await asked(it, talk, {**COMMAND, "terminalId": "warm"})
        shown = it.screen
        assert "$ rm -r old-tea" in shown
        assert "The terminal that it names runs another command:" in shown
        assert "│▌$ keep-warm --at 80" in shown
        (question,) = talk.state.waiting_permissions()
        assert "  $ keep-warm --at 80" in describe_request(talk.state, question)
        call = {"toolCallId": "warm", "title": "Go on", "kind": "execute"}
        await asked(it, talk, {"type": "tool_call", "toolCall": call})
        assert "The terminal that it names runs:" in it.screen


async def test_a_long_description_stands_whole_at_the_end() -> None:
    talk = version_2.working()
    words = "\n".join(f"reason {number}" for number in range(12))
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    talk.asks("session/request_permission", title="May I?", description=words, options=options)
    async with running(talk.state, (100, 60)) as it:
        assert "… (the whole text: at the end)" in it.screen
        assert "reason 11" in it.screen
        assert "is not in a form that acp-tui knows" in it.screen


async def test_a_long_description_pushes_nothing_that_would_be_done_out_of_view() -> None:
    diff = {
        "type": "diff",
        "changes": [{"operation": "modify", "path": "/work/src/tea.py", "fileType": "text"}],
        "patch": {"format": "git_patch", "text": version_2.PATCH.partition("\n\ndiff")[0] + "\n "},
    }
    call = {"toolCallId": "new", "title": "Edit tea " * 30, "kind": "edit", "content": [diff]}
    edit = {"type": "tool_call", "toolCall": call}
    subjects = {"old-tea": COMMAND, '+     return "tea"': edit}
    talk = version_2.working()
    reasons = "It is needed, and for many reasons. " * 30
    async with running(talk.state) as it:
        for shown, subject in subjects.items():
            number = await asked(it, talk, subject, title="May I? " * 50, description=reasons)
            await it.wait_until_armed()
            assert shown in it.screen
            while "Enter read on" in it.screen:
                await it.press("enter")
                it.clock.now += 1  # to read what Enter has shown
            it.asked.clear()
            await it.press("enter")
            assert it.asked == [AnswerPermission(number, "yes")]


async def test_an_agents_words_for_those_of_the_person_are_marked_as_its_own_unless_they_are_an_echo() -> (
    None
):
    talk = version_2.working()
    echo = [{"type": "text", "text": "Make tea, and keep it warm."}]
    talk.update("user_message", messageId="u", content=echo)
    async with running(talk.state, (100, 50)) as it:
        assert "The agent says" not in it.screen
        told = [{"type": "text", "text": "Make coffee."}]
        it.app.changed(it.app.tabs.agent, talk.update("user_message", messageId="u", content=told))
        await it.changed()
        rows = ["▌ Make tea, and keep", "The agent says that you wrote:", "Make coffee."]
        shown = it.screen
        at = [shown.index(row) for row in rows]
        assert at == sorted(at)
        prompt = talk.session.entries[0]
        assert "Make tea, and keep it warm." in "".join(full_text(prompt, talk.state))
        copied = entry_markdown(prompt, talk.state)
        assert copied.startswith("Make tea, and keep it warm.\n\n⚠ The agent says")
        assert copied.endswith("\n\n> Make coffee.")


async def test_output_is_drawn_anew_when_a_snapshot_replaces_it() -> None:
    talk = version_2.working()
    async with running(talk.state) as it:
        assert "80 °C" in it.screen
        changes = talk.update("terminal_update", terminalId="warm", output={"data": "OTAgQw=="})
        it.app.changed(it.app.tabs.agent, changes)
        await it.until(lambda: "90 C" in it.screen)
        assert "80 °C" not in it.screen
