"""What was found in the files of a tool call, in the state."""

from acp_tui.protocol.content import Diff
from acp_tui.protocol.file_events import EditCompared, EditLooked, EditVerdict
from acp_tui.state import edit_facts
from acp_tui.state.changes import EntryChanged, ScreenChanged
from acp_tui.state.entries import ToolCallEntry
from tests.unit.state.conversation import Conversation

DIFF = {"type": "diff", "path": "/work/a", "oldText": "old", "newText": "new"}
TEXT = {"type": "content", "content": {"type": "text", "text": "Some"}}


def editing(*content: dict[str, object]) -> Conversation:
    talk = Conversation.opened()
    talk.prompt()
    talk.update("tool_call", toolCallId="t", title="Edit", content=[*content])
    return talk


def call(talk: Conversation) -> ToolCallEntry:
    entry = talk.session.tool_call("t")
    assert entry is not None
    return entry


def look(**facts: object) -> EditLooked:
    return EditLooked(9.0, "s", "t", "/work/a", **facts)  # type: ignore[arg-type]


def test_where_a_diff_stands_is_known_by_the_diff() -> None:
    talk = editing(TEXT, DIFF)
    (_, diff) = call(talk).content
    assert isinstance(diff, Diff)
    assert edit_facts.place_of_diff(call(talk), diff) is None
    assert talk.happened(look(item=1, line=4, new_line=5)) == [EntryChanged("s", 1)]
    for item in (0, 2, -1):
        talk.happened(look(item=item, line=7))
    place = edit_facts.place_of_diff(call(talk), diff)
    assert place is not None
    assert (place.line, place.new_line) == (4, 5)
    assert edit_facts.place_of_diff(None, diff) is None


def test_remarks_are_told_once_and_until_there_are_others() -> None:
    talk = editing(DIFF)
    assert edit_facts.edit_remarks(call(talk)) == edit_facts.derived_diffs(call(talk)) == []
    talk.happened(look(remark="It is here.", first=False))
    for _ in range(2):
        talk.happened(look(remark="It isn't there.", warns=True))
    assert edit_facts.edit_remarks(call(talk)) == [
        ("It isn't there.", True),
        ("It is here.", False),
    ]
    talk.happened(look(derived=True, old_text=None, text="new", first=True))
    assert edit_facts.edit_remarks(call(talk)) == []
    assert edit_facts.derived_diffs(call(talk)) == [Diff(path="/work/a", new_text="new")]
    edits = call(talk).edits
    assert edits is not None
    assert edits.count == 4


def test_a_question_about_the_tool_call_has_changed_with_it() -> None:
    talk = editing(DIFF)
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    talk.asks("session/request_permission", toolCall={"toolCallId": "t"}, options=options)
    talk.asks("session/request_permission", toolCall={"toolCallId": "u"}, options=options)
    assert ScreenChanged() in talk.happened(look(remark="It is here."))


def test_what_came_of_an_edit_stays_with_its_tool_call() -> None:
    talk = editing(DIFF)
    event = EditCompared(
        9.0, "s", "t", "/work/a", EditVerdict.DIFFERS, "more", before="1", shown="2", after=None
    )
    assert talk.happened(event) == [EntryChanged("s", 1)]
    edits = call(talk).edits
    assert edits is not None
    assert edits.compared == [event]
    assert edit_facts.compared_diffs(event) == (
        Diff(path="/work/a", old_text="1", new_text="2"),
        Diff(path="/work/a", old_text="1", new_text=""),
    )
    assert edit_facts.compared_diffs(event._replace(told=False)) is None


def test_what_came_of_an_edit_after_its_turn_is_counted_at_the_end_of_that() -> None:
    talk = Conversation.opened()
    id = talk.prompt()
    done = {"status": "completed", "content": [DIFF]}
    talk.update("tool_call", toolCallId="t", title="Edit", **done)
    talk.answer(id, result={"stopReason": "end_turn"})
    event = EditCompared(9.0, "s", "t", "/work/a", EditVerdict.UNWRITTEN, "")
    assert talk.happened(event) == [EntryChanged("s", 1), EntryChanged("s", 2)]


def test_what_is_said_of_no_tool_call_changes_nothing() -> None:
    talk = Conversation.opened()
    assert talk.happened(look()) == []


def test_no_more_is_said_than_is_known() -> None:
    event = EditCompared(9.0, "s", "t", "a.py", EditVerdict.DIFFERS, "it has more")
    assert event.words == (
        "a.py is not what the diff that was allowed shows: it has more. acp-tui knows this from looking "
        "at the file before and after; whether somebody else wrote it in between isn't known."
    )
    seen = event._replace(asked=False, exact=True)
    assert seen.words == (
        "a.py is not what the diff shows: it has more. acp-tui knows this from what the agent had it write."
    )
    unclear = event._replace(verdict=EditVerdict.UNCLEAR)
    assert "others were working at the same time, so it is not clear who did it" in unclear.words
    assert "is what it was before" in event._replace(verdict=EditVerdict.UNWRITTEN).words
    assert "that was not allowed" in event._replace(verdict=EditVerdict.REJECTED).words


def written_over(*content: dict[str, object]) -> Conversation:
    """A write over a file that holds "old", of which the agent shows the new text only, at first."""
    talk = editing({"type": "diff", "path": "/work/a", "newText": "new"})
    talk.happened(look(remark="a exists already: this replaces all of its text.", warns=True))
    talk.happened(look(derived=True, old_text="old", text="new", first=False))
    if content:
        talk.update("tool_call_update", toolCallId="t", content=[*content])
    return talk


def test_a_diff_is_made_only_where_it_shows_more_than_the_agents() -> None:
    made = [Diff(path="/work/a", old_text="old", new_text="new")]
    assert edit_facts.derived_diffs(call(written_over())) == made
    own = Diff(path="/work/a", new_text="new")
    assert edit_facts.shown_diffs(call(written_over())) == [own, *made]
    assert edit_facts.derived_diffs(call(written_over(DIFF))) == []
    for other in (DIFF | {"newText": "newer"}, DIFF | {"path": "/work/b"}, DIFF | {"oldText": "d"}):
        assert edit_facts.derived_diffs(call(written_over(other))) == made


def test_what_is_written_over_is_told_until_that_is_decided() -> None:
    talk = written_over()
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    number = talk.asks("session/request_permission", toolCall={"toolCallId": "t"}, options=options)
    assert len(edit_facts.edit_remarks(call(talk))) == 1
    talk.settle(number, result={"outcome": {"outcome": "selected", "optionId": "y"}})
    assert edit_facts.edit_remarks(call(talk)) == []
    never = written_over()
    never.happened(look(remark="It is here.", first=False))
    never.update("tool_call_update", toolCallId="t", status="completed")
    assert edit_facts.edit_remarks(call(never)) == [("It is here.", False)]


def test_a_diff_is_compared_unless_it_is_said_that_its_file_was_not() -> None:
    talk = editing(DIFF)
    diff = Diff(path="/work/a", old_text="old", new_text="new")
    other = Diff(path="/work/b", new_text="new")
    assert edit_facts.could_compare_file(None, diff)
    assert edit_facts.could_compare_file(call(talk), diff)
    talk.happened(look(item=0, line=1, remark="It exists already."))
    assert edit_facts.could_compare_file(call(talk), diff)
    talk.happened(look(remark="a was not compared: it is a folder."))
    assert not edit_facts.could_compare_file(call(talk), diff)
    assert edit_facts.could_compare_file(call(talk), other)
