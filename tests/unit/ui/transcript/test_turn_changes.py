"""What a turn changed stands under it."""

from dataclasses import replace

from acp_tui.protocol.content import Diff, FileChange, ShownContent
from acp_tui.protocol.file_events import TurnCompared
from acp_tui.state.entries import ToolCallEntry, TurnEndEntry
from acp_tui.state.session import FileWrite, Session
from acp_tui.state.state import State
from acp_tui.ui.transcript.entries.context import Context
from acp_tui.ui.transcript.entries.notices import TurnEndView

END = TurnEndEntry(20.0, 10.0, "end_turn", usage={"outputTokens": 80}, ended=20.0)
"""The end of the turn from 10 to 20."""


def shown(session: Session, end: TurnEndEntry = END) -> str:
    view = TurnEndView(end, Context(State(), session, lambda: 0.0))
    while not view.lay_out(80, float("inf")):
        pass
    return view.plain(0).strip()


def write(session: Session, at: float, path: str, old: str | None, new: str | None) -> FileWrite:
    made = FileWrite(len(session.writes), at, path, old is None, old, new, has_backup=True)
    session.writes.append(made)
    return made


def edit(session: Session, at: float, *content: Diff | FileChange) -> None:
    items: list[ShownContent] = [*content]
    session.entries.append(ToolCallEntry(f"t{at}", at, status="completed", content=items, ended=at))


def test_the_files_and_lines_that_a_turn_changed_are_counted() -> None:
    session = Session("s", "/w")
    write(session, 9.0, "/w/earlier", "1\n", "2\n")
    write(session, 21.0, "/w/later", "1\n", "2\n")
    assert shown(session) == "── 10s · 80 out tokens ──"
    write(session, 11.0, "/w/a", "1\n", "2\n3\n")
    assert shown(session) == "── 10s · 1 file changed +2 −1 (F7) · 80 out tokens ──"
    edit(session, 20.0, Diff(path="b", old_text=None, new_text="new\n" * 1_200))
    assert shown(session) == "── 10s · 2 files changed +1,202 −1 (F7) · 80 out tokens ──"


def test_what_was_undone_is_not_counted() -> None:
    session = Session("s", "/w")
    write(session, 11.0, "/w/a", "1\n", "2\n").undone = True
    write(session, 12.0, "/w/b", "1\n", "2\n")
    write(session, 13.0, "/w/b", "2\n", "1\n")
    assert shown(session) == "── 10s · 80 out tokens ──"


def test_lines_are_named_only_if_all_are_known() -> None:
    session = Session("s", "/w")
    edit(session, 11.0, Diff(path="a", old_text="1\n", new_text="2\n"))
    write(session, 12.0, "/w/b", None, None)
    assert shown(session) == "── 10s · 2 files changed (F7) · 80 out tokens ──"
    edit(session, 13.0, FileChange(path="c", operation="delete"))
    assert "3 files changed (F7)" in shown(session)


def test_what_the_folder_shows_stands_there_instead_of_what_is_reported() -> None:
    session = Session("s", "/w")
    edit(session, 11.0, Diff(path="a", old_text="1\n", new_text="2\n"))

    def compared(*counts: int | None) -> str:
        return shown(session, replace(END, compared=TurnCompared(20.1, "s", *counts)))  # type: ignore[arg-type]

    assert compared(8, 12, 3) == "── 10s · 8 files changed +12 −3 (F7) · 80 out tokens ──"
    assert compared(8, None, None) == "── 10s · 8 files changed (F7) · 80 out tokens ──"
    assert compared(0, 0, 0) == "── 10s · no file changed (F7) · 80 out tokens ──"
