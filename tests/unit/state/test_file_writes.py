"""Writes of the agent in the state: what is told of them, and which can be undone."""

import pytest

from acp_tui.protocol.file_events import BackupDropped, FileWritten, UndoRefused, WriteUndone
from acp_tui.state.changes import Change, EntryChanged
from acp_tui.state.entries import NoticeEntry
from acp_tui.state.reducers import file_writes
from acp_tui.state.reducers.file_writes import CAN_UNDO, CHANGED, newest_write
from tests.unit.state.conversation import STARTED, Conversation


def write(talk: Conversation, request: int, path: str = "/work/a", **more: object) -> list[Change]:
    facts = {"created": False, "old_text": "old", "text": "new", **more}
    return talk.happened(FileWritten(1.0, request, "s", path, **facts))  # type: ignore[arg-type]


def told(talk: Conversation) -> list[tuple[str, str, str | None]]:
    entries = [one for one in talk.session.entries if isinstance(one, NoticeEntry)]
    return [(one.severity, one.title, one.description) for one in entries]


def next_number(talk: Conversation) -> int | None:
    found = newest_write(talk.session)
    return found.number if found is not None else None


def test_an_ordinary_write_says_nothing() -> None:
    talk = Conversation.opened()
    write(talk, 5)
    assert told(talk) == []
    (kept,) = talk.session.writes
    assert (kept.number, kept.path, kept.old_text, kept.text) == (5, "/work/a", "old", "new")


def test_what_a_person_should_know_is_told_where_it_happened() -> None:
    talk = Conversation.opened()
    write(talk, 5, remark="Its line ends are still CRLF.")
    write(talk, 6, changed=True, remark="And more.")
    write(talk, 7, kept=False, remark="No backup.")
    changed = f"{CHANGED} And more. {CAN_UNDO}"
    assert told(talk) == [
        ("info", "Written: /work/a", "Its line ends are still CRLF."),
        ("warning", "Written: /work/a", changed),
        ("warning", "Written: /work/a", "No backup."),
    ]


def test_the_newest_that_is_kept_is_taken_back_first() -> None:
    talk = Conversation.opened()
    for number in (5, 6, 7):
        write(talk, number)
    talk.happened(BackupDropped(2.0, 5, "s"))
    talk.happened(WriteUndone(3.0, 7, "s"))
    found = newest_write(talk.session)
    assert found is not None
    assert found.number == 6
    talk.happened(WriteUndone(3.0, 6, "s"))
    assert newest_write(talk.session) is None
    assert [one.undone for one in talk.session.writes] == [False, True, True]


def test_the_end_of_a_turn_counts_again_once_a_write_of_it_is_undone() -> None:
    talk = Conversation.opened()
    id = talk.prompt()
    number = talk.number
    talk.happened(FileWritten(number, 5, "s", "/work/a", False, "old", "new", kept=True))
    talk.answer(id, result={"stopReason": "end_turn"})
    assert EntryChanged("s", 1) in talk.happened(WriteUndone(number + 5.0, 5, "s"))


def test_a_file_that_others_changed_is_passed_over_until_the_agent_writes_it_again() -> None:
    talk = Conversation.opened()
    for number, path in ((4, "/work/a"), (5, "/work/b"), (6, "/work/a")):
        write(talk, number, path)
    assert next_number(talk) == 6
    talk.happened(UndoRefused(2.0, 6, "s", "It has changed."))
    assert told(talk) == [("error", "Not undone: /work/a", "It has changed.")]
    assert next_number(talk) == 5
    talk.happened(WriteUndone(3.0, 5, "s"))
    assert next_number(talk) is None  # 4 is not what stands in the file
    write(talk, 7)
    assert next_number(talk) == 7
    talk.happened(WriteUndone(4.0, 7, "s"))
    assert next_number(talk) is None
    talk.happened(WriteUndone(5.0, 6, "s"))  # once the file was put back
    assert next_number(talk) == 4


def test_an_older_write_is_not_offered_under_one_without_a_backup() -> None:
    talk = Conversation.opened()
    write(talk, 5)
    write(talk, 6, kept=False)
    assert next_number(talk) is None


def test_the_texts_of_old_writes_make_room_for_those_of_new_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file_writes, "TEXTS", 10)
    talk = Conversation.opened()
    for number, text in enumerate(["12345", "6", "78"]):
        write(talk, number, old_text="", text=text)
    assert [one.text for one in talk.session.writes] == ["12345", "6", "78"]
    write(talk, 4, old_text="ab", text="cde")
    assert [one.text for one in talk.session.writes] == [None, "6", "78", "cde"]


def test_what_a_bad_recording_says_of_no_write_changes_nothing() -> None:
    talk = Conversation.opened()
    assert talk.happened(WriteUndone(3.0, 7, "s")) == []
    assert talk.happened(UndoRefused(3.0, 7, "s", "gone")) == []
    assert talk.happened(BackupDropped(3.0, 7, "s")) == []


def test_writes_stay_when_the_session_goes_on_elsewhere() -> None:
    talk = Conversation.opened()
    write(talk, 5)
    talk.call("session/load", {"sessionId": "s", "cwd": "/work"}, result={})
    assert [one.number for one in talk.session.writes] == [5]
    talk.happened(STARTED)
    talk.call("session/new", {"cwd": "/work"}, result={"sessionId": "t"})
    assert [one.number for one in talk.state.sessions["t"].writes] == [5]


def test_a_part_that_a_person_took_back_is_told_as_theirs() -> None:
    talk = Conversation.opened()
    write(talk, -1, by_person=True)
    assert told(talk) == [("info", "You took back a part: /work/a", None)]
    assert next_number(talk) == -1
