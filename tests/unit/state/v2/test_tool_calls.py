"""Tool calls of version 2: null clears, what is missing stays, and pieces are appended."""

from typing import Any

import pytest

from acp_tui.edits.edits import describe_file_change
from acp_tui.protocol.content import ContentItem, Diff, FileChange, TerminalRef, UnknownContent
from acp_tui.state.commands import CancelTerminal, CancelToolCall
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.stops import ASKED, stopping
from tests.unit.state.conversation import Conversation

PATCH = """\
diff --git /work/tea.txt /work/tea.txt
index 3367afd..3e75765 100644
--- /work/tea.txt
+++ /work/tea.txt
@@ -1,2 +1,2 @@
 kettle
-old
+new
"""


def call(talk: Conversation, id: str = "c") -> ToolCallEntry:
    entry = talk.session.tool_call(id)
    assert entry is not None
    return entry


def changed(talk: Conversation, **fields: Any) -> ToolCallEntry:
    talk.update("tool_call_update", toolCallId="c", **fields)
    return call(talk)


def text(words: str) -> dict[str, Any]:
    return {"type": "content", "content": {"type": "text", "text": words}}


def test_a_new_one_has_the_protocols_defaults() -> None:
    entry = changed(Conversation.opened_in_2())
    assert (entry.title, entry.name, entry.kind, entry.status) == ("", None, "other", "pending")
    assert (entry.content, entry.locations, entry.raw_input) == ([], [], None)


@pytest.mark.check(125)
def test_fields_are_left_cleared_or_replaced() -> None:
    talk = Conversation.opened_in_2()
    given = {
        "title": "Make tea",
        "name": "kettle",
        "kind": "execute",
        "status": "in_progress",
        "content": [text("Boiling")],
        "locations": [{"path": "/work/tea.txt", "line": 0}],
        "rawInput": {"cups": 2},
        "rawOutput": "hot",
    }
    changed(talk, **given)
    malformed = {"title": 1, "kind": 2, "status": 3, "content": 4, "locations": 5, "name": 6}
    entry = changed(talk, **malformed)
    assert (entry.title, entry.name, entry.kind) == ("Make tea", "kettle", "execute")
    assert (entry.status, entry.raw_input, entry.raw_output) == ("in_progress", {"cups": 2}, "hot")
    assert [(place.path, place.line) for place in entry.locations] == [("/work/tea.txt", None)]
    assert len(entry.content) == 1
    entry = changed(talk, **dict.fromkeys(given))
    assert (entry.title, entry.name, entry.kind, entry.status) == ("", None, "other", "pending")
    assert (entry.content, entry.locations) == ([], [])
    assert (entry.raw_input, entry.raw_output) == (None, None)


@pytest.mark.check(126)
def test_pieces_are_appended_also_to_one_that_is_new() -> None:
    talk = Conversation.opened_in_2()
    for piece in (text("One"), {"type": "_chart", "bars": 3}):
        talk.update("tool_call_content_chunk", toolCallId="c", content=piece)
    first, second = call(talk).content
    assert isinstance(first, ContentItem)
    assert isinstance(second, UnknownContent)
    assert second.wire() == {"type": "_chart", "bars": 3}


@pytest.mark.check(127)
@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_what_is_over_has_an_end(status: str) -> None:
    entry = changed(Conversation.opened_in_2(), status=status, capabilities={"cancel": {}})
    assert entry.finished
    assert entry.ended is not None
    assert not entry.can_cancel


@pytest.mark.check(127)
def test_what_is_paused_may_go_on() -> None:
    talk = Conversation.opened_in_2()
    assert changed(talk, status="paused").status == "paused"
    assert not call(talk).finished
    assert changed(talk, status="in_progress").status == "in_progress"


@pytest.mark.check(129)
def test_words_that_are_new_are_kept_and_taken_for_what_they_are_not_less() -> None:
    talk = Conversation.opened_in_2()
    entry = changed(talk, status="_brewing", kind="_kettle")
    assert (entry.status, entry.kind) == ("in_progress", "other")
    assert entry.new_words == {"status": "_brewing", "kind": "_kettle"}
    entry = changed(talk, status="completed", kind="read")
    assert entry.new_words == {}


@pytest.mark.check(128)
def test_only_what_offers_it_can_be_stopped_alone() -> None:
    talk = Conversation.opened_in_2()
    assert stopping(talk.state, talk.session, changed(talk)) is None
    entry = changed(talk, status="in_progress", capabilities={"cancel": {}})
    assert stopping(talk.state, talk.session, entry) == CancelToolCall("s", "c")
    params = {"sessionId": "s", "toolCallId": "c"}
    id = talk.call("tool_call/cancel", params)
    assert stopping(talk.state, talk.session, entry) == ASKED
    talk.answer(id, error={"code": -32602, "message": "it is over"})
    assert stopping(talk.state, talk.session, entry) == CancelToolCall("s", "c")
    talk.call("tool_call/cancel", params, result={})
    assert entry.asked_to_stop
    assert not changed(talk, status="cancelled").asked_to_stop
    talk.call("tool_call/cancel", params, result={})
    assert not entry.asked_to_stop
    for given in ({"cancel": None}, {}, None, 3):
        changed(talk, status="in_progress", capabilities={"cancel": {}})
        assert not changed(talk, capabilities=given).can_cancel


def test_a_request_that_cant_be_read_stops_nothing() -> None:
    talk = Conversation.opened_in_2()
    talk.call("tool_call/cancel", {"sessionId": "s"}, result={})
    talk.call("terminal/cancel", {"sessionId": "s", "terminalId": "unheard-of"}, result={})
    assert talk.session.entries == []


def test_a_terminal_of_a_tool_call_can_be_stopped_alone() -> None:
    talk = Conversation.opened_in_2()
    embedded = [{"type": "terminal", "terminalId": id} for id in ("t", "u", "unheard-of")]
    entry = changed(talk, content=embedded)
    assert stopping(talk.state, talk.session, entry) is None
    for id in ("t", "u"):
        talk.update("terminal_update", terminalId=id, capabilities={"cancel": {}})
    assert stopping(talk.state, talk.session, entry) == CancelTerminal("s", "s/t")
    own = talk.session.entries[-1]
    assert stopping(talk.state, talk.session, own) == CancelTerminal("s", "s/u")
    talk.call("terminal/cancel", {"sessionId": "s", "terminalId": "t"})
    assert stopping(talk.state, talk.session, entry) == CancelTerminal("s", "s/u")
    talk.update("terminal_update", terminalId="u", exitStatus={})
    assert stopping(talk.state, talk.session, entry) == ASKED
    talk.update("terminal_update", terminalId="t", exitStatus={"exitCode": 0})
    talk.call("terminal/cancel", {"sessionId": "s", "terminalId": "t"})
    assert stopping(talk.state, talk.session, entry) is None
    talk.say("No tool", messageId="m")
    assert stopping(talk.state, talk.session, talk.session.entries[-1]) is None


@pytest.mark.check(130)
def test_the_hunks_of_a_patch_are_diffs() -> None:
    diff = {
        "type": "diff",
        "changes": [{"operation": "modify", "path": "/work/tea.txt"}],
        "patch": {"format": "git_patch", "text": PATCH},
    }
    entry = changed(Conversation.opened_in_2(), content=[diff])
    old, new = "kettle\nold\n", "kettle\nnew\n"
    assert entry.content == [Diff(path="/work/tea.txt", old_text=old, new_text=new)]


@pytest.mark.check(135)
def test_terminals_of_sessions_with_the_same_id_stay_apart() -> None:
    talk = Conversation.opened_in_2()
    content = [{"type": "terminal", "terminalId": "t"}]
    talk.update("tool_call_update", toolCallId="c", content=content)
    talk.update("tool_call_update", "other", toolCallId="c", content=content)
    talk.update("terminal_update", terminalId="t", command="make tea")
    talk.update("terminal_update", "other", terminalId="t", command="make coffee")
    ours, theirs = call(talk).content[0], talk.state.session("other").entries[0]
    assert isinstance(ours, TerminalRef)
    assert isinstance(theirs, ToolCallEntry)
    assert talk.state.terminals[ours.terminal_id].command == "make tea"
    assert theirs.shows_terminal("other/t")
    assert talk.state.terminals["other/t"].command == "make coffee"


@pytest.mark.check(130)
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (FileChange(operation="add", path="/w/a"), "/w/a: new"),
        (FileChange(operation="move", path="/w/b", old_path="/w/a"), "/w/a → /w/b: moved"),
        (FileChange(operation="modify", path="/w/a", details=["binary"]), "/w/a: changed (binary)"),
        (FileChange(operation="patch", details=["ed"]), "a patch that can't be read (ed)"),
        (FileChange(operation="_swap\x1b[2J", path="/w/\x1b]0;x\x07"), "/w/␛]0;x␇: _swap␛[2J"),
    ],
)
def test_changes_of_files_are_told_in_words(change: FileChange, told: str) -> None:
    assert describe_file_change(change) == told
