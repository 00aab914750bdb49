"""What updates of a session mean: what they add, replace, leave and clear."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.state.commands import Cancel
from acp_tui.state.entries import CompactionEntry, MessageEntry, NoticeEntry, ToolCallEntry
from tests.conformance.conftest import Play
from tests.fake_agent.script import Script
from tests.hosting import Host, run_turn

pytestmark = pytest.mark.anyio


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def first(host: Host, kind: type[Any]) -> Any:
    return next(entry for entry in host.entries if isinstance(entry, kind))


@pytest.mark.check(56)
async def test_a_cancel_marks_what_has_not_finished(play: Play) -> None:
    """The Client SHOULD preemptively mark all non-finished tool calls as cancelled."""
    script = Script().handshake().prompt().tool_call("a", status="completed").tool_call("b")
    script.expect("session/cancel").end_turn("cancelled")
    async with play(script) as host:
        await host.opened()
        host.prompt()
        await host.until(lambda: len(host.session.indexes.tool_calls) == 2)
        host.do(Cancel("s1"))
        await host.turn_ended()
        calls = [entry for entry in host.entries if isinstance(entry, ToolCallEntry)]
        assert [call.status for call in calls] == ["completed", "cancelled"]


@pytest.mark.check(57)
async def test_chunks_of_one_id_are_one_message(play: Play) -> None:
    """A changed messageId begins a new message; without ids, chunks of a kind go together."""
    script = Script().handshake().prompt()
    for words, message_id in (("a", "1"), ("b", "1"), ("c", "2"), ("d", "1")):
        script.chunk(words, messageId=message_id)
    script.chunk("e").chunk("f").thought("g").chunk("h").end_turn()
    async with play(script) as host:
        await host.turn()
        messages = [entry for entry in host.entries if isinstance(entry, MessageEntry)][1:]
        assert [message.text for message in messages] == ["abd", "c", "ef", "g", "h"]


@pytest.mark.check(58)
async def test_what_is_left_out_stays_and_null_clears_only_where_it_may(play: Play) -> None:
    """Of a tool call null leaves what was; of a session's info it clears."""
    item = {"type": "content", "content": text("hot")}
    script = Script().handshake().prompt().tool_call("t", "Boil", kind="execute", content=[item])
    script.tool_call_update("t", title=None, content=None, kind=None, status="completed")
    script.tool_call_update("new", title="Pour").update("session_info_update", title="Tea")
    script.update("session_info_update", updatedAt="2026-11-01T00:00:00Z").end_turn()
    script.update("session_info_update", title=None)
    async with play(script) as host:
        await host.turn()
        boil, pour = (entry for entry in host.entries if isinstance(entry, ToolCallEntry))
        assert (boil.title, boil.kind, boil.status, len(boil.content)) == (
            "Boil",
            "execute",
            "completed",
            1,
        )
        assert pour.title == "Pour"
        await host.until(lambda: host.session.title is None)
        assert host.session.updated_at == "2026-11-01T00:00:00Z"


@pytest.mark.check(59)
async def test_plans_commands_and_options_replace_what_was(play: Play) -> None:
    """The Client MUST replace the current plan completely; lists come whole."""
    option = {"id": "x", "name": "X", "type": "boolean", "currentValue": True}
    script = Script().handshake(None, {"configOptions": [{**option, "id": "y"}, option]}).prompt()
    for words in ("pour", "boil"):
        script.update("plan", entries=[{"content": words, "priority": "low", "status": "pending"}])
        script.update(
            "available_commands_update", availableCommands=[{"name": words, "description": "d"}]
        )
    script.update("config_option_update", configOptions=[option]).end_turn()
    async with play(script) as host:
        await host.turn()
        session = host.session
        assert [entry.content for entry in session.plan.steps] == ["boil"]
        assert [command.name for command in session.commands] == ["boil"]
        assert len(session.config.options or []) == 1


@pytest.mark.check(60)
async def test_notices_and_compactions_are_kept_as_they_are_patched(play: Play) -> None:
    """A notice ends no turn; a compaction's null clears, a chunk appends and may come first."""
    script = Script().handshake().prompt().update("notice", severity="error", title="No milk")
    script.update("compaction_summary_chunk", compactionId="c", content=text("old"))
    script.update("compaction_update", compactionId="c", status="in_progress", summary=None)
    script.update("compaction_summary_chunk", compactionId="c", content=text("tea"))
    script.update("compaction_update", compactionId="c", status="failed", error="cold")
    script.update("compaction_update", compactionId="c", status="completed", error=None)
    async with play(script.chunk("on").end_turn()) as host:
        assert (await host.turn()).stop_reason == "end_turn"
        assert first(host, NoticeEntry).title == "No milk"
        compaction = first(host, CompactionEntry)
        assert [block.text for block in compaction.blocks] == ["tea"]
        assert (compaction.status, compaction.error) == ("completed", None)
        assert host.said == "on"


@pytest.mark.check(60)
def test_without_a_ui_plans_notices_and_compactions_are_a_line_each(tmp_path: Path) -> None:
    step = {"content": "boil", "priority": "low", "status": "completed"}
    script = Script().handshake().prompt().update("notice", severity="info", title="No milk")
    script.update("compaction_update", compactionId="c", status="in_progress")
    script.update("compaction_update", compactionId="c", status="failed", error="too hot")
    script.update("plan_update", plan={"type": "items", "planId": "p", "entries": [step]})
    script.update("plan_removed", planId="p")
    ran = run_turn(argv=script.end_turn().argv(tmp_path))
    for line in (
        "info: No milk",
        "compaction: in_progress",
        "compaction: failed: too hot",
        "plan: 1 of 1 done",
        "plan cleared",
    ):
        assert line in ran.err


@pytest.mark.check(61)
async def test_usage_is_that_of_the_last_word(play: Play) -> None:
    """Tokens in use and the size of the context, a cost in its own currency."""
    script = Script().handshake().prompt()
    script.update("usage_update", used=10, size=100, cost={"amount": 0.5, "currency": "credits"})
    script.update("usage_update", used=20, size=100).end_turn()
    async with play(script) as host:
        await host.turn()
        session = host.session
        assert (session.usage.used, session.usage.size) == (20, 100)
        assert session.usage.cost is not None
        assert (session.usage.cost.amount, session.usage.cost.currency) == (0.5, "credits")
