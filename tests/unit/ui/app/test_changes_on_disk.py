"""F7 lists what changed on disk, by the trees that are kept before each turn."""

import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partialmethod
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from acp_tui.protocol.content import Diff
from acp_tui.rewind import limits
from acp_tui.rewind.checkpoint import Checkpoint, CheckpointKind, Reason
from acp_tui.rewind.store import Checkpoints
from acp_tui.state.blocks import TextRun
from acp_tui.state.entries import MessageEntry, Role, ToolCallEntry
from acp_tui.state.open_questions import QuestionAnswer
from acp_tui.state.session import FileWrite, Session, Subagent
from acp_tui.ui.review import contents
from acp_tui.ui.review.file_rows import ChangedFileList
from acp_tui.ui.review.on_disk import SessionCheckpoints, read_session
from acp_tui.ui.review.screen import ReviewScreen
from tests.hosting import PATIENCE
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def however_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """All lines are counted, and what changed is read again soon."""
    monkeypatch.setattr(limits, "LINE_COUNT_TIMEOUT", 60.0)
    monkeypatch.setattr(contents, "PAUSE", 0.01)
    monkeypatch.setattr(contents, "SHARE", 0)


class Scene:
    """An app in a repository of its own."""

    def __init__(self, it: Running, session: Session, folder: Path) -> None:
        self.it, self.session, self.folder = it, session, folder
        self.turns = 0

    async def turn(self, words: str) -> None:
        """Send a prompt, before which the files are kept."""
        sent = len(self.it.asked)
        self.it.app.conversation.prompt.insert(words)
        await self.it.press("enter")
        await self.it.until(lambda: len(self.it.asked) > sent)
        self.turns += 1
        self.say(MessageEntry(Role.USER, self.now, blocks=[TextRun([words])]))
        await self.it.changed()

    @property
    def now(self) -> float:
        return states.NOW - 100 + 10 * self.turns

    def subagent(self, session_id: str, title: str) -> "Scene":
        """Announce a subagent; return a scene whose calls are its own."""
        child = self.it.app.tabs.agent.state.session(session_id)
        child.cwd, child.title, child.opened = self.session.cwd, title, True
        child.subagent = Subagent(self.session.session_id)
        scene = Scene(self.it, child, self.folder)
        scene.turns = self.turns
        return scene

    def say(self, entry: MessageEntry | ToolCallEntry) -> None:
        self.session.entries.append(entry)

    def edit(self, name: str, old: str | None, new: str, *, asked: bool | None = None) -> None:
        """Let the agent report an edit, perhaps one that was allowed or rejected."""
        diff = Diff(path=str(self.folder / name), old_text=old, new_text=new)
        call = ToolCallEntry(
            f"{self.turns} {name}",
            self.now + 1,
            kind="edit",
            status="completed",
            content=[diff],
            announced=True,
            ended=self.now + 2,
        )
        self.say(call)
        if asked is not None:
            self.session.answers.append(QuestionAnswer(self.now + 1, asked, call))

    async def until_shown(self, *words: str) -> None:
        def are_shown() -> bool:
            shown = self.it.screen
            return all(one in shown for one in words)

        await self.it.until(are_shown)

    def row(self, name: str) -> str:
        """Return the row of this file, after the letter of how it differs."""
        rows = self.it.rows()[1:]
        return next(row for row in rows if row.strip(" │▌")[1:].startswith(f" {name} "))


@asynccontextmanager
async def in_repository(tmp_path: Path, height: int = 30) -> AsyncIterator[Scene]:
    folder = tmp_path / "project"
    subprocess.run(["git", "init", "-q", folder], check=True)
    (folder / "a.txt").write_text("one\ntwo\n")
    (folder / ".gitignore").write_text("ignored\n")
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(folder)
    async with running(state, (118, height)) as it:
        it.app.feature.checkpoints.place = tmp_path / "state"
        yield Scene(it, session, folder)


async def test_what_changed_before_the_session_began_is_not_listed(tmp_path: Path) -> None:
    """An agent that counts its sessions gives the same ids again after each start."""
    async with in_repository(tmp_path) as scene:
        earlier = scene.folder / "earlier.txt"
        store = Checkpoints.of(scene.folder, tmp_path / "state", anywhere=False)
        assert store is not None
        store.make_checkpoint(
            Reason(CheckpointKind.TURN, "an earlier prompt", scene.session.session_id, 0)
        )
        earlier.write_text("of an earlier session\n")
        await scene.turn("go")
        (scene.folder / "a.txt").write_text("changed\n")
        await scene.it.press("f7")
        await scene.until_shown("M a.txt")
        assert "earlier.txt" not in scene.it.screen
        await scene.it.press("escape")
        scene.session.opening.method = "session/load"
        await scene.it.press("f7")
        await scene.until_shown("M a.txt", "A earlier.txt")


async def test_turns_of_another_program_in_the_folder_are_not_the_sessions_own(
    tmp_path: Path,
) -> None:
    """Two programs run an agent that counts its sessions: both have the same session id."""
    async with in_repository(tmp_path) as scene:
        scene.it.app.tabs.shown.agent.state.began = 1.0
        await scene.turn("go")
        (scene.folder / "a.txt").write_text("changed\n")
        store = Checkpoints.of(scene.folder, tmp_path / "state", anywhere=False)
        assert store is not None
        session_id = scene.session.session_id
        store.make_checkpoint(Reason(CheckpointKind.TURN, "go", session_id, 0, run="2.0"))
        await scene.it.press("f7")
        await scene.until_shown("M a.txt")
        await scene.it.press("escape")
        await scene.it.press("alt+u")
        await scene.until_shown("1 turn of other sessions in this folder")


async def test_of_files_that_were_kept_late_the_list_does_not_claim_to_be_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with in_repository(tmp_path) as scene:
        monkeypatch.setattr(
            Checkpoints, "make_checkpoint", partialmethod(late_take, Checkpoints.make_checkpoint)
        )
        await scene.turn("go")
        await scene.it.press("f7")
        await scene.until_shown("changes on disk, maybe not all", "isn't known")
        scene.edit("a.txt", "two", "TWO")
        await scene.it.changed()
        await scene.until_shown("a.txt", "not compared: kept when the turn had begun")


def late_take(
    store: Checkpoints, take: Callable[..., Checkpoint], reason: Reason, **_: object
) -> Checkpoint:
    """Keep the files as when the turn has begun before that was done."""
    return take(store, reason, is_late=lambda: True)


async def test_all_that_changed_on_disk_is_listed_whoever_says_so(tmp_path: Path) -> None:
    async with in_repository(tmp_path, 60) as scene:
        folder = scene.folder
        for name in ("gone", "old name", "program"):
            (folder / name).write_text(f"{name}\n")
        await scene.turn("change all")
        scene.edit("a.txt", "two", "TWO", asked=True)
        (folder / "a.txt").write_text("one\nTWO\n")
        scene.edit("named", None, "n\n")
        (folder / "named").write_text("n\n")
        scene.edit("other", None, "o\n", asked=True)
        (folder / "other").write_text("something else\n")
        scene.edit("no", None, "n\n", asked=False)
        (folder / "no").write_text("n\nn\nn\n")
        scene.edit("claimed", None, "c\n")
        scene.edit("ignored", None, "i\n")
        (folder / "ignored").write_text("i\n")
        scene.edit("../outside", None, "o\n")
        (folder / "binary").write_bytes(b"\0\1")
        (folder / "link").symlink_to("a.txt")
        (folder / "gone").unlink()
        (folder / "old name").rename(folder / "new name")
        (folder / "program").chmod(0o755)
        await scene.it.press("f7")
        await scene.until_shown("Review: changes on disk", "Every question about it was rejected")
        assert "A no " in scene.it.rows()[1], "what isn't as it should be comes first"
        rows = {
            "a.txt": "M a.txt +1 −1",
            "named": "A named +1 −0 never asked",
            "other": "A other +1 −0 other than allowed",
            "no": "A no +3 −0 changed, though rejected",
            "claimed": "= claimed not there afterward",
            "ignored": "A ignored +1 −0 not compared: ignored by git",
            "binary": "A binary changed since a turn began",
            "link": "A link +1 −0 changed since a turn began, a link",
            "gone": "D gone +0 −1 changed since a turn began",
            "old name": "D old name +0 −1 changed since a turn began, renamed to new name",
        }
        for name, said in rows.items():
            shown = " ".join(scene.row(name).strip(" │▌").split())
            assert shown.startswith(said[:30]), name
        assert "not compared: outside" in scene.it.screen
        assert "M program" in scene.it.screen


async def test_a_turn_is_shown_alone_and_what_was_put_back_in_all(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        await scene.turn("first")
        scene.edit("new", None, "1\n", asked=True)
        (scene.folder / "new").write_text("1\n")
        await scene.turn("nothing")
        await scene.turn("third")
        (scene.folder / "new").unlink()
        (scene.folder / "a.txt").write_text("three\n")
        await scene.it.press("f7")
        await scene.until_shown("M a.txt")
        rows = scene.it.rows()
        assert "= new" in "".join(rows)
        assert "put back" in scene.row("new")
        assert "1 file " in rows[0]
        await scene.it.press("left_square_bracket")
        await scene.until_shown("turn 3 of 3: third", "D new")
        await scene.it.press("left_square_bracket")
        await scene.until_shown("turn 1 of 3: first", "A new")
        assert "a.txt" not in scene.it.screen


async def test_no_page_is_shown_before_the_disk_is_read_if_no_change_is_expected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_read = Event()

    def read_late(*arguments: Any) -> SessionCheckpoints:
        may_read.wait(PATIENCE)
        return read_session(*arguments)

    monkeypatch.setattr(contents, "read_session", read_late)
    monkeypatch.setattr(contents, "RUNNING", 0.05)
    async with in_repository(tmp_path) as scene:
        it = scene.it
        await scene.turn("go")
        _, working = states.working()
        scene.session.turn = working.turn
        await it.press("f7")
        assert height_while_reading(it) == 2
        may_read.set()
        await scene.until_shown("No changes yet.")
        # What changes while a turn runs is shown.
        (scene.folder / "a.txt").write_text("one\nTWO\n")
        await scene.until_shown("M a.txt")
        scene.session.turn = None

        # What is read when the review is closed is dropped.
        review = it.app.screen
        assert isinstance(review, ReviewScreen)
        await it.press("escape")
        await it.until(lambda: not review.is_attached)
        review.arrange_panes()  # what the end of reading the disk calls
        review.fit_panes()  # what the end of reading a diff calls
        assert "a.txt" not in it.screen

        may_read.clear()
        scene.edit("a.txt", "two", "TWO")
        await it.press("f7")
        assert height_while_reading(it) == it.app.size.height - 1
        may_read.set()
        await scene.until_shown("M a.txt")


def height_while_reading(it: Running) -> int:
    """Return how many rows the review has above its lower edge."""
    rows = it.rows()
    top = next(at for at, row in enumerate(rows) if "Review" in row)
    bottom = next(at for at, row in enumerate(rows) if "Esc back" in row)
    assert "reading what has changed" in "".join(rows[top:bottom])
    return bottom - top


async def test_a_session_that_nothing_was_kept_of_lists_what_was_reported(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        scene.say(MessageEntry(Role.USER, scene.now, blocks=[TextRun(["before"])]))
        scene.edit("a.txt", "two", "TWO")
        await scene.it.press("f7")
        await scene.until_shown("reported changes, maybe not all", "M a.txt")
        assert "the files before its turns were not saved" in scene.it.screen


async def test_what_is_listed_can_be_taken_back_commented_and_copied(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        it, place = scene.it, scene.folder / "a.txt"
        await scene.turn("go")
        place.write_text("one\nTWO\n")
        (scene.folder / "new").write_text("1\n")
        (scene.folder / "run").write_text("2\n")
        (scene.folder / "run").chmod(0o755)
        await it.press("f7")
        await scene.until_shown("M a.txt", "- two")
        await it.press("Y")
        await scene.until_shown("all of this copied as a patch without run")
        made = it.app.clipboard
        for name, text in (("a.txt", "one\ntwo\n"), ("new", None), ("run", None)):
            (scene.folder / name).write_text(text) if text else (scene.folder / name).unlink()
        subprocess.run(["git", "apply", "-"], cwd=scene.folder, input=made.encode(), check=True)
        assert place.read_text() == "one\nTWO\n"
        assert (scene.folder / "new").read_text() == "1\n"
        await it.press("tab", "u")
        await scene.until_shown("Take this change back?")
        await it.wait_until_armed()
        await it.press("escape", "c", *"why?", "enter")
        await scene.until_shown("1 comment")


async def test_a_write_through_us_is_undone_from_the_list(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        await scene.turn("go")
        place = scene.folder / "a.txt"
        before, after = "one\ntwo\n", "one\nTWO\n"
        place.write_text(after)
        scene.session.writes.append(
            FileWrite(7, scene.now + 1, str(place), False, before, after, has_backup=True)
        )
        await scene.it.press("f7")
        await scene.until_shown("M a.txt", "u undo")
        await scene.it.press("u")
        await scene.until_shown("Undo this write?")


async def test_a_file_that_subagents_changed_names_them(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        await scene.turn("go")
        ada, bo = scene.subagent("c", "Ada"), scene.subagent("d", "Bo")
        for name, text in (("a.txt", "one\nTWO\n"), ("b.txt", "b\n"), ("c.txt", "c\n")):
            (scene.folder / name).write_text(text)
        ada.edit("a.txt", "one\ntwo\n", "one\nTWO\n", asked=True)
        ada.edit("b.txt", None, "tea\n")
        bo.edit("b.txt", "tea\n", "b\n")
        scene.edit("b.txt", "b\n", "b\n")
        await scene.it.press("f7")
        await scene.until_shown("M a.txt", "A b.txt", "A c.txt")
        row = scene.row("a.txt")
        assert ["↪ Ada" in row, "never" in row] == [True, False]
        row = scene.row("b.txt")
        assert ["↪ Ada, Bo" in row, "never asked" in row] == [True, True]
        assert "↪" not in scene.row("c.txt")
        listing = scene.it.app.screen.query_one(ChangedFileList)
        for file, words in (
            ("a.txt", "Change reported by subagent Ada."),
            ("b.txt", "Change reported by subagents Ada, Bo and the session itself."),
        ):
            while listing.marked is None or not listing.marked.file.path.endswith(file):
                await scene.it.press("down")
            await scene.until_shown(words)
        await scene.it.press("h")
        await scene.it.until(lambda: "↪" not in scene.it.screen)
