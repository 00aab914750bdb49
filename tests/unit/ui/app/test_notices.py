"""What is told in passing is said at once, and kept."""

import pytest

from acp_tui.protocol.events import ClientNotice
from acp_tui.state.changes import Change
from tests.examples import parametrize
from tests.unit.ui.app.running import Running, running
from tests.unit.ui.app.test_sessions import two

pytestmark = pytest.mark.anyio


async def told(it: Running, changes: list[Change]) -> list[tuple[str, str, str]]:
    it.app.changed(it.app.agent, changes)
    await it.pilot.pause()
    await it.pilot.pause()
    return [(one.kind.word, one.title, one.words) for one in it.app.notes]


async def test_notices_of_the_agent_pass_and_are_kept() -> None:
    talk = two()
    async with running(talk.state) as it:
        fields = {"severity": "warning", "title": "Low on tea", "description": "3 cups"}
        changes = talk.update("notice", "s", **fields)
        assert await told(it, changes) == [("Warning", "agent's warning: Low on tea", "3 cups")]
        await it.press("f8")
        assert "Low on tea  Bread" in it.screen
        assert "3 cups" in it.screen
        await it.press("f8")
        assert "Low on tea  Bread" not in it.screen


@parametrize(1, "rows", [24, 7])
async def test_what_passes_leaves_the_prompt_in_sight(rows: int) -> None:
    talk = two()
    async with running(talk.state, (80, rows)) as it:
        written = "How much tea is left, " + "and where is it " * 3
        it.app.conversation.prompt.insert(written)
        fields = {"severity": "warning", "title": "Low on tea", "description": "3 cups " * 50}
        it.app.changed(it.app.agent, talk.update("notice", "s", **fields))
        await it.until(lambda: "Low on tea" in it.screen)
        assert written in it.screen


async def test_our_own_pass_only_where_they_do_not_stand_in_view_or_were_told_before_the_start() -> (
    None
):
    talk = two()
    talk.happened(ClientNotice(1.0, None, "warning", "An MCP server was left out", None))
    async with running(talk.state) as it:
        before = ("Warning", "", "An MCP server was left out")
        assert await told(it, []) == [before]
        shown = talk.happened(ClientNotice(9.0, "z", "error", "Not sent", None))
        elsewhere = talk.happened(ClientNotice(9.0, "s", "error", "Not possible", None))
        nowhere = talk.happened(ClientNotice(9.0, None, "info", "Signed out", None))
        assert await told(it, [*shown, *elsewhere, *nowhere]) == [
            before,
            ("Error", "", "Not possible"),
            ("", "", "Signed out"),
        ]


async def test_what_stands_in_the_transcript_or_is_history_is_not_told_above_it() -> None:
    talk = two()
    async with running(talk.state) as it:
        assert await told(it, talk.update("notice", "z", severity="info", title="Low")) == []
        await it.press("f12")
        passed = await told(it, talk.update("notice", "z", severity="info", title="Out"))
        assert len(passed) == 1, "the inspector is over it"
        talk.call("session/load", {"sessionId": "k", "cwd": "/work"})
        assert await told(it, talk.update("notice", "k", severity="info", title="old")) == passed


async def test_several_at_once_hide_nothing_that_is_read_or_chosen_from() -> None:
    """The newest is said above the prompt, in rows that are empty else, or above a question: nothing
    moves.
    """
    talk = two()
    talk.say("the first row", session_id="z")
    async with running(talk.state) as it:
        for asks in (False, True):
            if asks:
                it.app.conversation.notes._set_notes([])
                options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
                call = {"toolCallId": "c", "title": "Knead"}
                params = {"sessionId": "z", "toolCall": call, "options": options}
                talk.asks("session/request_permission", **params)
                await it.changed()
            await it.wait_until_armed()
            before = it.rows()
            fields = {"severity": "error", "description": "There is oolong, though.\n" * 20}
            for cups in range(4):
                notice = talk.update("notice", "s", title=f"Cups left: {cups}", **fields)
                it.app.changed(it.app.agent, notice)
            await it.until(lambda: "Cups left: 3" in it.screen)
            after = it.rows()
            told = [at for at, row in enumerate(after) if "Cups left" in row or "oolong" in row]
            top = 14 if asks else 19
            assert told == ([top] if asks else [top, top + 1])
            assert after[told[-1]].rstrip().endswith("…")
            assert after[1:top] == before[1:top]
            still = 21 if asks else 23
            assert after[still:] == before[still:]
