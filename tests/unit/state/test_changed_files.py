"""Which files the agent changed: from writes through us, and from what its own tools show."""

from acp_tui.protocol.content import ContentItem, Diff, TextContent
from acp_tui.protocol.file_events import EditCompared, EditLooked, EditVerdict
from acp_tui.state.changed_files import ChangedFile, changed_files, times_of_changes
from acp_tui.state.entries import EditFacts, Status, ToolCallEntry, diff_key
from acp_tui.state.session import FileWrite, Session


def write(
    session: Session, number: int, path: str, old: str | None, new: str | None, **more: bool
) -> FileWrite:
    facts = {"has_backup": True, **more}
    found = FileWrite(number, float(number), path, old is None, old, new, **facts)
    session.writes.append(found)
    return found


def edit(
    session: Session, at: float, *diffs: Diff | ContentItem, status: Status = "completed"
) -> None:
    entry = ToolCallEntry(f"t{at}", at, status=status, content=[*diffs], ended=at + 2)
    session.entries.append(entry)


def diffs(file: ChangedFile) -> list[tuple[str | None, str]]:
    return [(one.old_text, one.new_text) for one in file.diffs]


def test_writes_that_go_on_from_each_other_are_one_change() -> None:
    session = Session("s", "/w")
    write(session, 1, "/w/a", "1", "2")
    write(session, 2, "/w/b", None, "new")
    write(session, 3, "/w/a", "2", "3")
    write(session, 4, "/w/a", "mine", "4")
    first, second = changed_files(session)
    assert (first.path, diffs(first)) == ("/w/a", [("1", "3"), ("mine", "4")])
    assert (second.path, diffs(second)) == ("/w/b", [(None, "new")])
    assert first.undoable_write is session.writes[-1]


def test_what_was_taken_back_is_no_change_any_more() -> None:
    session = Session("s", "/w")
    write(session, 1, "/w/a", "1", "2")
    write(session, 2, "/w/a", "2", "3", undone=True, has_backup=False)
    (file,) = changed_files(session)
    assert (diffs(file), file.undone, file.undoable_write) == (
        [("1", "2")],
        False,
        session.writes[0],
    )
    session.writes[0].undone, session.writes[0].has_backup = True, False
    (file,) = changed_files(session)
    assert (diffs(file), file.undone, file.undoable_write) == ([], True, None)
    assert not file.unchanged  # it is told as undone


def test_what_the_agent_made_as_it_was_is_no_change() -> None:
    session = Session("s", "/w")
    write(session, 1, "/w/a", "1", "2")
    assert not changed_files(session)[0].unchanged
    write(session, 2, "/w/a", "2", "1")
    (file,) = changed_files(session)
    assert (diffs(file), file.undone, file.unchanged) == ([], False, True)


def test_when_files_were_changed_is_known_of_all_kinds_of_changes() -> None:
    session = Session("s", "/w")
    write(session, 5, "/w/a", "1", "2")
    edit(session, 1, Diff(path="/w/b", old_text="1", new_text="2"))
    times = times_of_changes(session)
    assert times == sorted(one.at for one in changed_files(session))
    assert len(times) == 2


def test_an_older_write_is_not_taken_back_under_one_that_cannot_be() -> None:
    session = Session("s", "/w")
    write(session, 1, "/w/a", "1", "2")
    write(session, 2, "/w/a", None, None, has_backup=False)
    (file,) = changed_files(session)
    assert (file.undoable_write, file.textless_changes) == (None, 1)


def test_the_agents_own_tools_count_when_they_are_done() -> None:
    session = Session("s", "/w")
    said = ContentItem(content=TextContent(text="edited"))
    edit(session, 1, said, Diff(path="a", old_text="1", new_text="2"))
    edit(session, 2, Diff(path="/w/sub/../b", old_text=None, new_text="2"))
    edit(session, 3, Diff(path="/w/c", old_text="1", new_text="2"), status="failed")
    edit(session, 3, Diff(path="/w/d", old_text="1", new_text="2"), status="cancelled")
    edit(session, 3, Diff(path="/w/e", old_text="1", new_text="2"), status="in_progress")
    found = changed_files(session)
    assert [one.path for one in found] == ["/w/b", "/w/a"]
    assert all(one.by_tools and one.undoable_write is None and not one.undone for one in found)


def test_a_tool_call_that_shows_what_it_writes_through_us_is_told_once() -> None:
    session = Session("s", "/w")
    write(session, 2, "/w/a", "whole 1", "whole 2")
    edit(session, 1, Diff(path="/w/a", old_text="1", new_text="2"))
    edit(session, 9, Diff(path="/w/a", old_text="2", new_text="3"))
    (file,) = changed_files(session)
    assert diffs(file) == [("whole 1", "whole 2"), ("2", "3")]
    assert (file.by_tools, file.undoable_write) == (True, session.writes[0])


def looked(path: str, **facts: object) -> EditLooked:
    return EditLooked(1.0, "s", "t", path, **facts)  # type: ignore[arg-type]


def compared(path: str, **facts: object) -> EditCompared:
    return EditCompared(1.0, "s", "t", path, EditVerdict.DIFFERS, "more", **facts)  # type: ignore[arg-type]


def entry_of(session: Session) -> ToolCallEntry:
    entry = session.entries[-1]
    assert isinstance(entry, ToolCallEntry)
    return entry


def test_where_the_diff_of_a_tool_stands_is_known_as_far_as_it_was_looked_up() -> None:
    session = Session("s", "/w")
    first = Diff(path="/w/a", old_text="4", new_text="four")
    second = Diff(path="/w/b", old_text="1", new_text="one")
    edit(session, 1, first, second)
    place = looked("/w/a", line=4, new_line=4)
    entry_of(session).edits = EditFacts(places={diff_key(first): place})
    a, b = changed_files(session)
    assert (a.places, b.places) == ({diff_key(first): place}, {diff_key(second): None})


def test_diffs_of_a_tool_that_go_on_from_each_other_stand_where_the_first_does() -> None:
    session = Session("s", "/w")
    first = Diff(path="/w/a", old_text="1", new_text="2")
    edit(session, 1, first, Diff(path="/w/a", old_text="2", new_text="3"))
    place = looked("/w/a", line=7)
    entry_of(session).edits = EditFacts(places={diff_key(first): place})
    (file,) = changed_files(session)
    assert diffs(file) == [("1", "3")]
    assert file.places[diff_key(file.diffs[0])] is place


def edited(session: Session, at: float, old: str, new: str, place: EditLooked | None) -> None:
    """A tool changed a part of a file, which was found in a place."""
    part = Diff(path="a", old_text=old, new_text=new)
    edit(session, at, part)
    entry_of(session).edits = EditFacts(places={diff_key(part): place} if place is not None else {})


def test_an_edit_of_a_new_file_leaves_one_change_against_nothing() -> None:
    session = Session("s", "/w")
    write(session, 1, "/w/a", None, "one\ntwo\nthree")
    edited(session, 5, "two", "2", looked("/w/a", line=2))
    edited(session, 9, "three", "3\n4", looked("/w/a", line=3))
    (file,) = changed_files(session)
    assert diffs(file) == [(None, "one\n2\n3\n4")]
    edited(session, 12, "one\n2\n", "", looked("/w/a", line=1))
    (file,) = changed_files(session)
    assert diffs(file) == [(None, "3\n4")]


def test_an_edit_is_a_change_of_its_own_where_it_is_not_sure_that_it_goes_on() -> None:
    for old, place in [
        ("two", None),
        ("two", looked("/w/a")),
        ("two", looked("/w/a", line=9)),
        ("two", looked("/w/a", line=1)),
        ("two", looked("/w/a", line=3)),
        ("o", looked("/w/a", line=4)),
        ("two", looked("/w/a", line=1, whole=True)),
        ("", looked("/w/a", line=2)),
    ]:
        session = Session("s", "/w")
        write(session, 1, "/w/a", None, "one\ntwo\nthree\noo")
        edited(session, 5, old, "2", place)
        (file,) = changed_files(session)
        assert len(file.diffs) == 2, (old, place)
    for first in (None, looked("/w/a", line=1)):
        session = Session("s", "/w")
        edited(session, 1, "1", "one\ntwo", first)
        edited(session, 5, "two", "2", looked("/w/a", line=2))
        (file,) = changed_files(session)
        assert len(file.diffs) == 2, "it is a part of a part"


def test_what_the_client_made_of_an_input_for_a_question_is_no_report() -> None:
    session = Session("s", "/w")
    edit(session, 1)
    made = looked("/w/a", derived=True, old_text="1\n", text="2\n")
    entry_of(session).edits = EditFacts(observations=[made])
    assert changed_files(session) == []


def test_what_a_file_was_after_an_edit_counts_more_than_what_was_shown_of_it() -> None:
    session = Session("s", "/w")
    shown = [Diff(path=path, old_text="1", new_text="2") for path in ("/w/a", "/w/b", "/w/c")]
    edit(session, 1, *shown)
    entry_of(session).edits = EditFacts(
        compared=[
            compared("/w/a", before="1", shown="2", after="3"),
            compared("/w/b", before="1", shown="2", after="1"),
            compared("/w/c", told=False),
        ]
    )
    (file,) = changed_files(session)
    assert (file.path, diffs(file)) == ("/w/a", [("1", "3")])


def test_what_subagents_changed_is_listed_with_their_names() -> None:
    session, ada, bo = Session("s", "/w"), Session("c", "/w", title="Ada"), Session("d", "/w")
    write(session, 1, "/w/a", "1", "2")
    write(ada, 2, "/w/a", "2", "3")
    edit(ada, 3.0, Diff(path="b", old_text=None, new_text="tea\n"))
    edit(bo, 6.0, Diff(path="b", old_text="tea\n", new_text="coffee\n"))
    write(bo, 9, "/w/c", None, "x", undone=True)
    found = {one.path: one for one in changed_files(session, subagents=[ada, bo])}
    a, b, c = (found[path] for path in ("/w/a", "/w/b", "/w/c"))
    assert (a.writers, a.reporters, diffs(a)) == (["", "Ada"], [], [("1", "3")])
    assert (b.writers, b.reporters, diffs(b)) == ([], ["Ada", "d"], [(None, "coffee\n")])
    assert (a.subagents, b.subagents, c.subagents) == (["Ada"], ["Ada", "d"], [])
    assert times_of_changes(session, [ada, bo]) == [1.0, 2.0, 5.0, 8.0, 9.0]
    assert [one.path for one in changed_files(session)] == ["/w/a"]


def test_subagents_with_the_same_title_are_told_apart() -> None:
    session, children = Session("s", "/w"), [Session(id, "/w", title="Ada") for id in "cd"]
    for number, child in enumerate(children):
        write(child, number, "/w/a", str(number), str(number + 1))
    (file,) = changed_files(session, subagents=children)
    assert file.subagents == ["Ada", "Ada 2"]
