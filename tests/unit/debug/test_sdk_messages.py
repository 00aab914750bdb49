"""What the SDK behind an adapter said, as rows beside what the adapter made of it."""

from typing import Any

import pytest

from acp_tui.debug.columns import excerpt_group, summarize_group
from acp_tui.debug.filters.completion import complete_filter
from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.debug.view import LogView
from tests.unit.debug.scenes import Wire

METHOD = "_claude/sdkMessage"
INIT = {"type": "system", "subtype": "init", "model": "large", "tools": ["Read"]}


def delta(text: str) -> dict[str, Any]:
    return {"type": "stream_event", "event": {"type": "d", "delta": {"text": text}}}


def said(*blocks: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"content": list(blocks)}}


def wire(*messages: Any) -> Wire:
    it = Wire().prompted()
    for message in messages:
        it.got(method=METHOD, params={"sessionId": "s", "message": message})
    return it


def rows(it: Wire, filter_text: str = "sdk:*", *, fold: bool = True) -> list[tuple[str, str]]:
    log = Log(it.records, Linter())
    log.catch_up()
    log.finish()
    assert [finding.message for finding in log.findings if finding.rule.id != "unanswered"] == []
    view = LogView(log, compile_filter(filter_text), fold=fold)
    view.catch_up()
    return [(summarize_group(view[at]), excerpt_group(view[at])) for at in range(len(view))]


def test_each_message_of_the_sdk_has_its_type_and_its_words() -> None:
    block = {"type": "tool_use", "name": "Read", "input": {}}
    told = rows(
        wire(
            INIT,
            said({"type": "text", "text": "I read."}, block, {"type": "image"}, 7),
            {"type": "user", "message": {"content": "go"}},
            {"type": "stream_event", "event": {"type": "message_start"}},
            {"type": "result", "subtype": "success", "result": "Done."},
            {"type": "keep_alive"},
        )
    )
    assert told == [
        ("sdk system.init", "large"),
        ("sdk assistant", "I read. Read image"),
        ("sdk user", "go"),
        ("sdk stream_event", "message_start"),
        ("sdk result.success", "Done."),
        ("sdk keep_alive", ""),
    ]


@pytest.mark.parametrize(
    ("filter_text", "count"),
    [("sdk:system", 1), ("sdk:system.init", 1), ("sdk:/init/", 1), ("sdk:*", 2), ("sdk:user", 0)],
)
def test_a_filter_selects_them_by_type(filter_text: str, count: int) -> None:
    assert len(rows(wire(INIT, said()), filter_text)) == count


def test_what_is_no_message_of_an_sdk_is_none_whatever_it_says() -> None:
    it = wire()
    it.out(id=9, method=METHOD, params={"sessionId": "s", "message": INIT})
    it.got(id=9, error={"code": -32601, "message": "no"})
    log = Log(it.records)
    log.catch_up()
    assert [row.index for row in map(log.__getitem__, range(len(log))) if "sdk" in row.kind] == []


def test_repeated_messages_of_a_type_are_folded_beside_the_chunks_that_are_made_of_them() -> None:
    it = wire()
    for text in ("Tea", " is", " ready"):
        it.got(method=METHOD, params={"sessionId": "s", "message": delta(text)})
        it.update("agent_message_chunk", content={"type": "text", "text": text})
    assert rows(it) == [("sdk stream_event x3", "Tea  is  ready")]
    assert rows(it, "kind:agent_message_chunk") == [("agent_message_chunk x3", "Tea is ready")]
    assert len(rows(it, fold=False)) == 3


@pytest.mark.parametrize("message", [None, 7, [], {}, {"type": 7}, {"message": {"content": [7]}}])
def test_whatever_it_holds_it_is_not_checked_as_acp(message: Any) -> None:
    assert rows(wire(message)) == [("sdk message", "")]


def test_types_are_completed() -> None:
    log = Log(wire(INIT, said()).records)
    log.catch_up()
    assert [one.text for one in complete_filter("sdk:", 4, log)] == [
        "*",
        "assistant",
        "system.init",
    ]
