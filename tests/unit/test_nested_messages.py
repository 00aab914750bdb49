"""A log of messages that nest deep, through all that reads, shows and hands on."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

import pytest

from acp_tui.cli import log as log_command
from acp_tui.config.themes import load_theme
from acp_tui.debug import columns
from acp_tui.debug.bug_report import bug_report
from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.debug.view import LogView
from acp_tui.masking.redactor import Redactor
from acp_tui.masking.secrets import MASK
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction
from acp_tui.recordings.log_formats import read_log
from acp_tui.recordings.recording import format_header, format_record, read_events, read_records
from acp_tui.state.entries import RawEntry, ToolCallEntry
from acp_tui.state.fold import replay_events
from acp_tui.state.state import State
from acp_tui.ui.colors.theme import to_textual
from acp_tui.ui.export.about import heading_of
from acp_tui.ui.export.drawing import Drawing
from acp_tui.ui.export.html import html_page
from acp_tui.ui.export.markdown import markdown_page
from acp_tui.ui.export.masking import masked_at_once
from acp_tui.ui.inspector.frame_parts import frame_parts
from acp_tui.ui.inspector.history import History, StateCheckpoints
from acp_tui.ui.inspector.links import EntryFrames, entry_of
from acp_tui.ui.transcript.entries.views import document_of
from acp_tui.ui.transcript.entry_markdown import entry_markdown
from acp_tui.ui.transcript.full_text import full_text
from tests.unit.debug.scenes import Wire

SECRET = "hunter2-hunter2"
THEME = to_textual("night", load_theme("night"))
WHEN = datetime(2026, 1, 1, tzinfo=UTC)


class Deep(Wire):
    """A conversation in which "DEEP" stands for a value that nests so many levels deep."""

    def __init__(self, levels: int) -> None:
        super().__init__()
        inside = f'{{"token": "{SECRET}"}}'
        self._deep = ('{"a":[' * (levels // 2) + inside + "]}" * (levels // 2)).encode()

    def raw(self, direction: Direction, raw: bytes) -> "Wire":
        return super().raw(direction, raw.replace(b'"DEEP"', self._deep))


def talk(levels: int) -> list[Record]:
    """Deep values wherever an agent may put one."""
    content: list[Any] = [
        {"type": "content", "content": {"type": "text", "text": "x", "_meta": {"m": "DEEP"}}},
        {"type": "new", "x": "DEEP"},
        {"type": "content", "content": {"type": "newer", "y": "DEEP"}},
    ]
    error = {"code": -32000, "message": "no", "data": "DEEP"}
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once", "_meta": {"m": "DEEP"}}]
    properties = {"name": {"type": "string", "x": "DEEP"}}
    wire = (
        Deep(levels)
        .prompted()
        .chunk("hello", _meta={"m": "DEEP"})
        .update("tool_call", toolCallId="t", title="T", rawInput="DEEP", content=content)
        .update("tool_call_update", toolCallId="t", rawOutput=["DEEP"], status="completed")
        .update("tool_call_update", toolCallId="t", _meta={"terminal_output": {"data": "DEEP"}})
        .update("brand_new", x="DEEP")
        .update("plan", entries="DEEP")
        .update("agent_message_chunk", content={"type": "new", "x": "DEEP"})
        .got(
            id=90,
            method="session/request_permission",
            params={
                "sessionId": "s",
                "options": options,
                "toolCall": {"toolCallId": "t2", "rawInput": ["DEEP"]},
            },
        )
        .got(
            id=91,
            method="elicitation/create",
            params={
                "sessionId": "s",
                "mode": "form",
                "message": "m",
                "requestedSchema": {"type": "object", "properties": properties},
            },
        )
        .got(id=92, method="fs/read_text_file", params="DEEP")
        .got(id=93, method="_unknown", params={"x": "DEEP"})
        .got(method="_told", params="DEEP")
        .got(id=2, error=error)
        .got(id=77, result="DEEP")
        .got(x="DEEP")
    )
    return wire.records


@pytest.fixture(params=[180, 300, pytest.param(12_000, marks=pytest.mark.slow)])
def records(request: pytest.FixtureRequest) -> list[Record]:
    return talk(request.param)


def whole(records: list[Record]) -> bool:
    """Whether these are read."""
    return not any(b'{"a":[' * 110 in getattr(record, "raw", b"") for record in records)


def test_they_are_folded_as_they_are_played_again(records: list[Record]) -> None:
    state = replay_events(read_events(records))
    again = [format_header({}), *(f"{format_record(record)}\n" for record in records)]
    assert replay_events(read_events(read_records(again))) == state
    session = state.sessions["s"]
    calls = [one for one in session.entries if isinstance(one, ToolCallEntry)]
    unread = [one for one in session.entries if isinstance(one, RawEntry) and one.problem]
    if whole(records):
        assert [one.tool_call_id for one in calls] == ["t", "t2"]
        assert "a" in calls[0].raw_input
        assert calls[0] != calls[1]
    else:
        assert calls == []
        assert unread == []


def test_the_table_of_frames(records: list[Record]) -> None:
    log = Log(records, Linter())
    log.catch_up()
    log.finish()
    view = LogView(log, compile_filter("text:/hunter./ or finding:error or kind:plan"))
    view.catch_up()
    for at in range(len(view)):
        assert columns.summarize_group(view[at])
        assert isinstance(columns.excerpt_group(view[at]), str)
        assert list(frame_parts(view[at], raw=False))
        assert list(frame_parts(view[at], raw=True))
    found = {one.rule.id for one in log.findings}
    assert "stdout-noise" not in found
    assert ("nested-too-deep" in found) is not whole(records)
    asked = [row.method for row in (log[at] for at in range(len(log))) if row.id in (90, 92, 93)]
    if whole(records):
        assert asked == ["session/request_permission", "fs/read_text_file", "_unknown"]
        assert log.unanswered == 4
    else:
        assert asked == []
    state = replay_events(read_events(records))
    for index in range(len(log)):
        entry_of(log, state, index)
    for index in range(len(state.sessions["s"].entries)):
        search = EntryFrames(log, state.sessions["s"], index)
        search.work(float("inf"))
        assert search.found


def test_what_is_handed_on_has_no_secrets(records: list[Record]) -> None:
    redactor = Redactor()
    redactor.scan(records)
    for record in records:
        line = format_record(redactor.record(record))
        assert SECRET not in line
        assert not (SECRET in format_record(record) and MASK not in line)
    log = Log(records, Linter())
    log.catch_up()
    report = bug_report(log, len(log) - 1, {})
    assert not any(SECRET in text for text in report.files.values())
    for index in range(len(log)):
        assert json.loads(log_command._format_object(log, log[index]))["frame"]


@pytest.mark.slow
def test_the_session_is_exported_copied_and_searched(records: list[Record]) -> None:
    state = replay_events(read_events(records))
    for pages in exported(state):
        assert SECRET not in pages
    for entry in state.sessions["s"].entries:
        assert isinstance(entry_markdown(entry, state), str)
        assert isinstance("".join(full_text(entry, state)), str)


def exported(state: State) -> Iterator[str]:
    copy, its_copy = masked_at_once(state, state.sessions["s"], Redactor())
    facts = heading_of(copy, its_copy, WHEN)
    yield "".join(markdown_page(copy, its_copy, facts))
    yield "".join(html_page(Drawing(document_of(copy, its_copy, lambda: 200.0), THEME, 80), facts))


def test_the_past_is_gone_to(monkeypatch: pytest.MonkeyPatch, records: list[Record]) -> None:
    monkeypatch.setattr("acp_tui.ui.inspector.history.APART", 3)
    it = History(records, StateCheckpoints())
    for position in (len(records), 4, len(records), 0):
        while not it.seek(position, perf_counter()):
            pass
        assert it.state == replay_events(read_events(records[:position]))


def test_other_programs_logs(records: list[Record]) -> None:
    lines = [record.raw.decode() for record in records if hasattr(record, "raw")]
    zed = [
        f'{{"_direction":"incoming","_type":"notification","method":"m","params":{line}}}'
        for line in lines
    ]
    for text in ("\n".join(lines), f"[{','.join(zed)}]"):
        if whole(records) or text[0] == "{":
            assert len(read_log(text)) == len(lines)
    captured = {"direction": "agent-to-editor", "timestamp": 1, "raw": lines[-1]}
    assert len(read_log("\n".join([json.dumps(captured)] * 2))) == 2
