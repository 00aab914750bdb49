"""The files are kept before each turn, and a person goes back to them only after a look and a yes."""

import fcntl
import os
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event

import pytest

from acp_tui.git.objects import CheckpointError
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.initialization import InitializeResult
from acp_tui.rewind import limits, store
from acp_tui.rewind.checkpoint import CheckpointKind, Reason
from acp_tui.rewind.store import CheckpointedTurn, Checkpoints, read_turns
from acp_tui.state.blocks import TextRun
from acp_tui.state.changes import TurnChanged
from acp_tui.state.commands import ForkSession, NewSession, SendPrompt
from acp_tui.state.entries import MessageEntry, Role, ToolCallEntry, TurnEndEntry
from acp_tui.state.session import FileWrite, Session
from acp_tui.ui import checkpoints
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.feature import ActionDone
from acp_tui.ui.toolkit import timers
from acp_tui.workspace.mentions import find_mentions
from tests.examples import parametrize
from tests.hosting import PATIENCE
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def however_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """All lines are counted."""
    monkeypatch.setattr(limits, "LINE_COUNT_TIMEOUT", 60.0)


class Scene:
    """An app in a repository of its own."""

    def __init__(self, it: Running, session: Session, folder: Path, state: Path) -> None:
        self.it, self.session, self.folder, self.state = it, session, folder, state

    @property
    def store(self) -> Checkpoints:
        found = Checkpoints.of(self.folder, self.state, anywhere=False)
        assert found is not None
        return found

    @property
    def prompts(self) -> list[SendPrompt]:
        """What was sent to the agent."""
        return [one for one in self.it.asked if isinstance(one, SendPrompt)]

    @property
    def lock(self) -> Path:
        """The file that whoever looks at all files locks."""
        [lock] = self.state.glob("*/lock")
        return lock

    async def send(self, words: str) -> None:
        """Write a prompt, as if it was typed at once, and press Enter."""
        self.it.app.conversation.prompt.insert(words)
        await self.it.press("enter")

    async def turn(self, words: str, *said: str) -> None:
        """Send a prompt, which the agent answers at once."""
        sent = len(self.prompts)
        await self.send(words)
        await self.it.until(lambda: len(self.prompts) > sent)
        for role, text in [(Role.USER, words), *((Role.AGENT, one) for one in said)]:
            self.session.entries.append(MessageEntry(role, states.NOW, blocks=[TextRun([text])]))
        await self.it.changed()

    async def until_shown(self, words: str) -> None:
        await self.it.until(lambda: words in self.it.screen)

    async def ask_to_rewind(
        self, answer: str = "Restore files only (the agent won't know)"
    ) -> None:
        """Open the list of turns, choose the marked one, and wait until the dialog has this answer."""
        await self.it.press("alt+u")
        await self.until_shown("Rewind")
        await self.it.press("enter")
        await self.until_shown(answer)


@asynccontextmanager
async def in_repository(tmp_path: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Scene]:
    folder = tmp_path / "project"
    subprocess.run(["git", "init", "-q", folder], check=True)
    (folder / "a.txt").write_text("first\n")
    state, session = states.opened()
    session.cwd = str(folder)
    async with running(state, size) as it:
        it.app.feature.checkpoints.place = tmp_path / "state"
        yield Scene(it, session, folder, tmp_path / "state")


async def test_a_prompt_waits_until_the_files_are_kept_but_not_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with in_repository(tmp_path) as scene:
        it = scene.it
        async with it.app.feature.checkpoints.restoring:  # files are brought back
            with monkeypatch.context() as patch:
                patch.setattr(checkpoints, "NOTE_DELAY", 0)
                patch.setattr(checkpoints, "BOUND", 0)
                await scene.send("mend it")
                await it.pilot.pause()
            assert it.asked == []
        await it.until(lambda: len(scene.prompts) == 1)
        assert scene.prompts == [
            SendPrompt(scene.session.session_id, (TextContent(text="mend it"),))
        ]
        [kept] = scene.store.list()
        assert (kept.reason.words, kept.late) == ("mend it", False)

        descriptor = os.open(scene.lock, os.O_RDWR)
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # another program looks at all of it
        await scene.send("not that")
        await it.press("escape")  # takes back what waits
        await it.until(lambda: it.prompt == "not that")
        assert len(scene.prompts) == 1
        os.close(descriptor)
        it.app.conversation.prompt.clear()
        await it.pilot.pause()

        monkeypatch.setattr(checkpoints, "NOTE_DELAY", 0.05)
        monkeypatch.setattr(checkpoints, "BOUND", 0.1)
        descriptor = os.open(scene.lock, os.O_RDWR)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        await scene.turn("and again")
        assert "a rewind may miss some" in it.screen
        os.close(descriptor)

        def late() -> dict[str, bool]:
            return {one.reason.words: one.late for one in scene.store.list()}

        await it.until(lambda: "and again" in late())
        assert late()["and again"]


async def test_files_and_conversation_go_back_after_a_look_and_a_yes(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        it = scene.it
        await scene.turn("begin", "I have begun")
        scene.session.entries.append(ToolCallEntry("t", states.NOW, title="Look around"))
        await scene.turn("mend it", "It is mended")
        (scene.folder / "a.txt").write_text("second\n")
        (scene.folder / "b\x1b[31m.txt").write_text("new\n")
        (scene.folder / os.fsdecode(b"\xff")).write_text("new\n")
        scene.session.writes += [
            FileWrite(number, states.NOW, path, False, "1", "2", has_backup=False)
            for number, path in ((7, "/etc/x.conf"), (8, "/y\x1b]0;z\x07"))
        ]
        await it.press("alt+u")
        await scene.until_shown("mend it  +3 −1  3 files")
        await scene.until_shown("M a.txt  +1 −1")
        assert "begin    " in it.screen
        await it.press("enter")
        await scene.until_shown("Rewind to before “mend it”?")
        assert "M a.txt  +1 −1  is put back" in it.screen
        assert "+0 −1  is deleted" in it.screen
        assert "\x1b" not in it.screen
        assert "Left as they are, outside this folder: /etc/x.conf, /y␛]0;z␇" in " ".join(
            it.screen.split()
        )
        assert (scene.folder / "a.txt").read_text() == "second\n"
        await it.wait_until_armed()
        await it.press("4")
        await it.until(lambda: NewSession() in it.asked)
        await scene.until_shown("rewound: 3 files. Alt+U, then u undoes that. Edit the prompt")
        assert (scene.folder / "a.txt").read_text() == "first\n"
        assert sorted(one.name for one in scene.folder.iterdir()) == [".git", "a.txt"]
        told = it.prompt
        assert "I said: begin" in told
        assert "You said: I have begun" in told
        assert "You used a tool: Look around" in told
        assert "It is mended" not in told
        assert told.endswith("mend it")
        assert len(scene.prompts) == 2  # a person sends it, or not


async def test_of_the_conversation_only_what_a_person_sent_mentions_files(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        it = scene.it
        it.app.feature.checkpoints.where = "nowhere"
        await scene.turn("begin @a.txt", "Look:\n@~/.netrc")
        await scene.turn("mend @a.txt")
        entry = scene.session.entries[-1]
        for sent, wanted in ((True, ["a.txt"]), (False, [])):
            if not sent:  # the agent says that it was another one
                assert isinstance(entry, MessageEntry)
                entry.blocks = [TextRun(["mend @a.txt", " ", "@~/.netrc"])]
            await scene.ask_to_rewind("Restore conversation only (in a new session)")
            await it.wait_until_armed()
            await it.press("3")
            await it.until(lambda: "You said: Look:" in it.prompt)
            assert "mend" in it.prompt.splitlines()[-1]
            assert [one.path for one in find_mentions(it.prompt)] == wanted
            it.app.conversation.prompt.clear()


async def test_the_list_of_turns_stays_in_view_above_its_only_question(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        it = scene.it
        it.app.feature.checkpoints.where = "nowhere"
        await scene.turn("pour tea")
        await it.press("alt+u")
        await scene.until_shown("Rewind")
        for theme in ("night", "terminal"):
            it.app.use_theme(theme)
            await it.press_at_once("enter", "enter")  # a second one asks nothing again
            await scene.until_shown("Restore files only")
            assert it.app.screen.styles.background.a < 1
            await it.wait_until_armed()
            await it.press("escape")
            await it.until(lambda: not it.app.screen.query("Choices"))
            assert "Enter rewind to here" in it.screen


async def test_going_back_is_itself_taken_back(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        it, path = scene.it, scene.folder / "a.txt"
        await scene.turn("say what has changed, and mend it, and say so")
        path.write_text("second\n")
        # However long the prompt is, the question ends with its closing quote.
        quoted = "“say what has changed, and mend it, and …”"
        for key, question, wanted in (
            ("enter", f"Rewind to before {quoted}? ─", "first\n"),
            ("u", f"Undo the rewind to before {quoted}? ─", "second\n"),
        ):
            await it.press("alt+u")
            await scene.until_shown("─ Rewind  ")
            await it.press(key)
            await scene.until_shown(question)
            await it.wait_until_armed()
            await it.press("2")
            await it.until(lambda wanted=wanted: path.read_text() == wanted)
            await scene.until_shown("undoes that")
        await it.press("alt+u")
        await scene.until_shown("↩ undid rewind to before: say what")
        assert it.screen.count("↩ rewound to before: say what") == 1
        await it.press("enter")
        await scene.until_shown(f"Rewind again to before {quoted}?")
        await it.pilot.resize_terminal(60, 24)
        await scene.until_shown("Rewind again to before “say what has changed, and…”? ─")


async def test_what_keeps_files_from_going_back_is_shown_and_leaves_them_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with in_repository(tmp_path) as scene:
        it, path = scene.it, scene.folder / "a.txt"
        await scene.turn("mend it")
        path.write_text("second\n")
        await scene.ask_to_rewind()
        _, working = states.working()
        scene.session.turn = working.turn
        await it.wait_until_armed()
        await it.press("2")
        await scene.until_shown("a turn is running in this folder")
        assert path.read_text() == "second\n"

        scene.session.turn = None
        is_closed = Event()

        def fail_late(*_: object) -> None:
            is_closed.wait(PATIENCE)
            raise CheckpointError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(Checkpoints, "restore", fail_late)
            await it.press("enter")
            await scene.until_shown("Restore files only (the agent won't know)")
            await it.wait_until_armed()
            await it.press("2", "escape")
            assert "Rewind" not in it.screen
            is_closed.set()
            await scene.until_shown("nothing was done: the disk is full")
        assert path.read_text() == "second\n"

        await scene.ask_to_rewind()
        path.write_text("of a person\n")
        await it.wait_until_armed()
        await it.press("2")
        await scene.until_shown("a.txt: it has changed since it")
        assert path.read_text() == "of a person\n"

        # The conversation goes back, also while a turn runs.
        scene.session.turn = working.turn
        await it.press("alt+u")
        await scene.until_shown("Rewind")
        await it.press("down", "enter")
        await scene.until_shown(
            "2    Restore files only: not possible, a turn is running in this folder"
        )
        await it.wait_until_armed()
        await it.press("3")
        await it.until(lambda: NewSession() in it.asked)
        assert path.read_text() == "of a person\n"


async def test_the_list_does_not_cover_what_was_opened_while_it_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_read, has_read = Event(), Event()

    def read_late(kept: Checkpoints) -> Sequence[CheckpointedTurn]:
        may_read.wait(PATIENCE)
        turns = read_turns(kept)
        has_read.set()
        return turns

    monkeypatch.setattr(store, "read_turns", read_late)
    async with in_repository(tmp_path) as scene:
        it = scene.it
        await scene.turn("mend it")
        await it.press("alt+u", "f3")
        opened = it.app.screen
        may_read.set()
        await it.until(has_read.is_set)
        assert it.app.screen is opened
        await it.press("escape")
        assert it.app.screen is it.app.conversation
        await it.press("alt+u")
        await scene.until_shown("Enter rewind to here")


async def test_the_key_of_the_list_is_named_in_the_prompt_alone_and_two_esc_open_it_too(
    tmp_path: Path,
) -> None:
    async with in_repository(tmp_path) as scene:
        it = scene.it
        it.app.feature.checkpoints.where = "nowhere"
        await scene.turn("mend it")
        it.app.changed(it.app.tabs.agent, [TurnChanged(scene.session.session_id)])
        await it.until(lambda: "Alt+X lists all actions" in it.screen)
        assert "Alt+U rewinds" not in it.screen
        for action in ("palette.open", "review.open", "recall.open", "inspector.toggle"):
            it.app.emit(ActionDone(action))
        await it.changed()
        assert "Ask the agent; Alt+U rewinds to an earlier turn" in it.screen
        await it.press("alt+u", "escape")
        await it.changed()
        assert "Alt+U rewinds" not in it.screen

        await it.press("x", "escape", "escape")
        assert "Rewind" not in it.screen
        assert it.prompt == ""
        await it.press("escape")
        assert "Esc again lists turns" in it.screen
        await it.press("escape")
        await scene.until_shown("Rewind")
        await it.press("escape")
        it.clock.now += 10
        await it.press("escape")
        it.clock.now += 10
        await it.press("escape")
        shown = it.screen
        assert "Rewind" not in shown
        assert "Esc again lists turns" in shown
        # The word about it goes with a question at which Esc cancels.
        states.ask(it.app.tabs.agent.state, scene.session, 50, "Knead")
        await it.changed()
        await scene.until_shown("Knead")
        assert "Esc again" not in it.screen


async def test_what_cant_be_kept_is_told_once_and_the_prompt_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with in_repository(tmp_path) as scene:
        it = scene.it
        scene.session.cwd = str(tmp_path / "much")
        (tmp_path / "much").mkdir()
        for number in range(6):
            (tmp_path / "much" / f"{number}").write_text("x")
        with monkeypatch.context() as patch:
            patch.setattr(limits, "MOST_NEW_FILES", 2)
            await scene.turn("mend it")
            await scene.until_shown("too much: 6 files")
            descriptor = os.open(scene.lock, os.O_RDWR)
            fcntl.flock(descriptor, fcntl.LOCK_EX)  # whoever looks at it waits
            await scene.turn("and again")
            os.close(descriptor)
            assert "still being saved" not in it.screen

        scene.session.cwd = str(scene.folder)
        for name in (".gitignore", ".git/config", "sub/.gitignore"):
            path = scene.folder / name
            before = path.read_bytes() if path.exists() else None
            path.unlink(missing_ok=True)
            path.parent.mkdir(exist_ok=True)
            os.mkfifo(path)  # git would wait for what it reads there
            await scene.turn("mend it")
            await it.until(lambda name=name: f"{name}', which is a pipe" in it.note)
            shown = it.screen
            assert "which is a pipe instead of a file" in shown
            assert "can't be restored" in shown
            path.unlink()
            if before is not None:
                path.write_bytes(before)
        with monkeypatch.context() as patch:
            (tmp_path / "git").write_text("#!/bin/sh\necho 'git is out of order' >&2; exit 1\n")
            (tmp_path / "git").chmod(0o700)
            patch.setenv("PATH", str(tmp_path))
            await scene.turn("mend it")
            await scene.until_shown("git is out of order")
            await scene.turn("and again")
            assert sum("git is out of order" in one.words for one in it.app.notes) == 1


async def test_without_git_only_who_wants_to_go_back_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with in_repository(tmp_path) as scene:
        monkeypatch.setenv("PATH", str(tmp_path))
        await scene.turn("mend it")
        assert len(scene.prompts) == 1
        assert "can't be restored" not in scene.it.screen
        await scene.it.press("alt+u")
        await scene.until_shown("can be rewound: git isn't")
        assert "mend it" in scene.it.screen
        assert not list(scene.state.glob("*/lock"))


async def test_a_home_folder_is_not_kept_and_only_who_wants_to_go_back_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with in_repository(tmp_path) as scene:
        (tmp_path / "home").mkdir()
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        scene.session.cwd = str(tmp_path / "home")
        await scene.turn("mend it")
        assert "can't be restored" not in scene.it.screen
        await scene.it.press("alt+u")
        await scene.until_shown("this is your home folder")
        assert "mend it" in scene.it.screen
        assert not list(scene.state.glob("*/lock"))


async def test_a_folder_without_a_repository_goes_back_too(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        path = tmp_path / "plain/a.txt"
        path.parent.mkdir()
        path.write_text("first\n")
        scene.session.cwd = str(path.parent)
        await scene.turn("mend it")
        path.write_text("second\n")
        await scene.ask_to_rewind()
        await scene.it.wait_until_armed()
        await scene.it.press("2")
        await scene.it.until(lambda: path.read_text() == "first\n")


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ("nowhere", 'none are saved (F10, checkpoints.where = "everywhere" saves them)'),
        ("repositories", "they are saved in git repositories only (F10, checkpoints.where"),
        ("elsewhere", "they aren't on this machine"),
    ],
)
async def test_where_no_files_are_kept_the_conversation_goes_back(
    tmp_path: Path, where: str, reason: str
) -> None:
    async with in_repository(tmp_path) as scene:
        it = scene.it
        if where == "elsewhere":
            it.state.peer.process.elsewhere = True
        else:
            it.app.feature.checkpoints.where = where
        if where == "repositories":
            scene.session.cwd = str(tmp_path)
        await scene.turn("begin", "I have begun")
        await scene.turn("mend it")
        await it.press("alt+u")
        await scene.until_shown("Only the conversation can be rewound")
        assert reason in " ".join(it.screen.replace("│", "").split())
        await it.press("enter")
        await scene.until_shown("2    Restore files only: ")
        assert reason in " ".join(it.screen.replace("│", "").split())
        await it.wait_until_armed()
        await it.press("2", "4")
        assert "2    Restore files only: " in it.screen
        await it.press("3")
        await it.until(lambda: NewSession() in it.asked)
        assert "You said: I have begun" in it.prompt
        assert not scene.state.exists()


async def test_the_conversation_is_forked_where_the_agent_offers_it(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        it, session = scene.it, scene.session
        it.app.feature.checkpoints.where = "nowhere"
        fork = {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"fork": {}}}}
        it.state.peer.initialized = InitializeResult.model_validate(fork)
        await scene.turn("begin", "I have begun", "and go on")
        await scene.turn("mend it")
        at = len(session.entries)
        session.indexes.cursors = {"turn": at - 1, "message": at - 2, "gone": at - 3}
        session.fork_cursors = {"turn", "message"}
        await it.press("alt+u")
        await scene.until_shown("after: I have begun")
        assert "gone" not in it.screen
        await it.press("enter")
        await scene.until_shown("Restore conversation only (in a fork)")
        await it.wait_until_armed()
        await it.press("3")
        here = session.session_id
        await it.until(lambda: ForkSession(here, cursor_id="turn") in it.asked)
        await it.press("alt+u")
        await scene.until_shown("after: I have begun")
        await it.press("down")
        await scene.until_shown("the files stay as they are")
        session.fork_cursors.clear()
        await it.press("enter")
        await scene.until_shown("Fork after “I have begun”?")
        words = "Restore both: not possible, files are saved before each turn only"
        assert words in " ".join(it.screen.replace("│", "").split())
        assert "conversation only: not possible, the agent doesn't" in it.screen
        assert NewSession() not in it.asked


async def test_what_cant_go_back_is_dim_with_its_reason(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        it = scene.it
        await scene.turn("mend it")
        await it.press("alt+u")
        await scene.until_shown("mend it  no change")
        await it.press("enter")
        await scene.until_shown("2    Restore files only: not possible, no file differs")
        shown = it.screen
        assert "3  ✓ Restore conversation only (in a new session)" in shown
        assert "4    Restore both: not possible, no file differs" in shown
        await it.wait_until_armed()
        await it.press("2", "4")
        assert "2    Restore files only" in it.screen
        assert len(scene.store.list()) == 1
        await it.press("escape", "escape")

        # Turns of other sessions are folded below.
        for words in ("knead", "bake"):
            scene.store.make_checkpoint(Reason(CheckpointKind.TURN, words, "another"))
        await it.press("alt+u")
        await scene.until_shown("▸ 2 turns of other sessions in this folder")
        rows = it.rows()
        assert "bake" not in "".join(rows)
        assert "▌" in next(row for row in rows if "mend it  no change" in row)
        await it.press("down")
        await scene.until_shown("Enter unfold")
        await scene.until_shown("were kept before those, too")
        await it.press("enter", "down", "enter")
        await scene.until_shown("Rewind to before “bake”?")
        assert "Restore conversation only: not possible, its session isn't open" in it.screen
        await it.wait_until_armed()
        await it.press("escape", "up", "enter")
        await scene.until_shown("▸ 2 turns")
        assert "bake" not in it.screen


@pytest.mark.slow
async def test_each_turn_says_how_long_it_took_and_all_of_its_prompt_where_there_is_room(
    tmp_path: Path,
) -> None:
    prompt = "say what has changed, and mend it, and say so"
    for width in (80, 120, 200):
        async with in_repository(tmp_path / str(width), (width, 40)) as scene:
            for took in (3.0, 75.0):
                await scene.turn(prompt)
                now = states.NOW
                scene.session.entries.append(TurnEndEntry(now, now - took - 9, waited=9.0))
            await scene.it.press("alt+u")
            await scene.until_shown(f"{prompt}  1m 15s  no change")
            assert f"{prompt}    3.0s  no change" in scene.it.screen


async def test_the_diff_of_the_marked_turn_stands_beside_where_there_is_room(
    tmp_path: Path,
) -> None:
    async with in_repository(tmp_path, (120, 40)) as scene:
        it = scene.it
        await scene.turn("begin")
        (scene.folder / "a.txt").write_text("first\nand more\n")
        await scene.turn("say what has changed, and mend it, and say so")
        await it.press("alt+u")
        await scene.until_shown("say what has changed, and mend")
        [row] = [one for one in it.rows() if "say what has changed, and mend" in one]
        assert "│ No file changed from then until now." in row
        await it.press("down")
        await scene.until_shown("+ and more")
        [row] = [one for one in it.rows() if "+ and more" in one]
        assert row.index("+ and more") > 40
        assert "a.txt  +1 −0" in it.screen
        assert "until the next turn here" in it.screen
        await it.press("enter")
        await scene.until_shown("- and more")


@parametrize(1, "size", [(80, 24), (120, 40), (200, 60)])
@parametrize(1, "differs", [False, True])
async def test_the_question_stands_below_the_marked_turn_with_the_only_diff(
    tmp_path: Path, size: tuple[int, int], *, differs: bool
) -> None:
    async with in_repository(tmp_path, size) as scene:
        it, path = scene.it, scene.folder / "a.txt"
        await scene.turn("begin")
        path.write_text("second\n")
        await scene.turn("go on")
        for number in range(size[1]):  # of these no files were kept
            entry = MessageEntry(Role.USER, states.NOW, blocks=[TextRun([f"then {number}"])])
            scene.session.entries.append(entry)
        if not differs:
            path.write_text("first\n")
        await it.press("alt+u")
        await scene.until_shown(f"then {size[1] - 1}  ")
        await it.press("up")
        await scene.until_shown("begin  ")
        await scene.until_shown("+ second")
        await it.press("enter")
        await scene.until_shown(
            "4  ✓ Restore both" if differs else "4    Restore both: not possible, no file differs"
        )
        shown_rows = it.rows()
        [question] = [at for at, row in enumerate(shown_rows) if "Rewind to before “begin”?" in row]
        behind = it.app.screen_stack[-2]._compositor.render_strips()
        rows = ["".join(one.text for one in strip) for strip in behind]
        shown = Palette.of(it.app)["row.shown"].bgcolor
        [marked] = [
            at
            for at, strip in enumerate(behind)
            if any(one.style and one.style.bgcolor == shown for one in strip)
        ]
        assert "begin  " in rows[marked]
        assert not any("▌" in row for row in rows)
        assert marked < question
        assert "╰──" in rows[question - 1]
        assert not any("Enter go to" in row for row in rows)
        assert not any("+ second" in row for row in rows[:question])
        await it.wait_until_armed()
        await it.press("escape")
        await scene.until_shown("Enter rewind to here")
        [marked_row] = [row for row in it.rows() if "▌" in row]
        assert "begin  " in marked_row


async def test_a_diff_is_not_read_while_keys_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with in_repository(tmp_path) as scene:
        it = scene.it
        await scene.turn("begin")
        (scene.folder / "a.txt").write_text("second\n")
        await scene.turn("mend it")
        await it.press("alt+u")
        await scene.until_shown("from then until now")
        with monkeypatch.context() as patched:
            patched.setattr(timers, "SECONDS", 1000.0)
            await it.press("down")
            await it.until(lambda: "▌" in next(row for row in it.rows() if "begin  " in row))
            assert "from then until now" in it.screen
        await it.press("up", "down")
        await scene.until_shown("+ second")


async def test_what_was_not_kept_is_named_before_and_after(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        it, big = scene.it, scene.folder / "big"
        big.touch()
        os.truncate(big, 22_000_000)
        await scene.turn("mend it")
        big.unlink()
        # Where only that is gone, nothing is said to be as it was.
        await it.press("alt+u")
        await scene.until_shown("No file that is kept changed from then until now.")
        await it.press("enter")
        await scene.until_shown("not possible, no file that is kept differs")
        await it.wait_until_armed()
        await it.press("escape", "escape")
        (scene.folder / "a.txt").write_text("second\n")
        await it.press("alt+u")
        await scene.until_shown("Gone, and never saved: big (22.0 MB, over 20.0 MB)")
        await it.press("enter")
        await scene.until_shown("Not restored because they weren't saved: big (22.0 MB, over")
        await it.wait_until_armed()
        await it.press("2")
        await scene.until_shown("Rewound: 1 file; not kept, so not restored: 1 file")
        assert "big: 22.0 MB, over" in it.screen


async def test_what_is_not_kept_by_now_is_said_to_stay_as_it_is(tmp_path: Path) -> None:
    async with in_repository(tmp_path) as scene:
        grows = scene.folder / "grows"
        grows.write_text("small\n")
        await scene.turn("mend it")
        os.truncate(grows, 22_000_000)
        (scene.folder / "a.txt").write_text("second\n")
        await scene.it.press("alt+u")
        await scene.until_shown("No longer saved: grows (22.0 MB, over 20.0 MB)")
        await scene.it.press("enter")
        await scene.until_shown("Not restored because they aren't saved now: grows (22.0 MB, over")
        shown = scene.it.screen
        assert "Rewinding changes 1 file:" in shown
        assert "is brought back" not in shown
        await scene.it.wait_until_armed()
        await scene.it.press("2")
        await scene.until_shown("Rewound: 1 file; left as it is: 1 file")
        assert grows.stat().st_size == 22_000_000
        assert "grows: 22.0 MB, over 20.0 MB" in scene.it.screen


async def test_the_list_is_usable_in_a_tiny_window(tmp_path: Path) -> None:
    async with in_repository(tmp_path, (24, 8)) as scene:
        await scene.turn("mend it")
        (scene.folder / "a.txt").write_text("second\n")
        await scene.it.press("alt+u")
        await scene.until_shown("Rewind")
        await scene.it.pilot.resize_terminal(1, 1)
        await scene.it.pilot.resize_terminal(24, 8)
        await scene.it.press("down", "pagedown", "enter")
        await scene.it.until(lambda: bool(scene.it.app.screen.query("Choices")))
        await scene.it.pilot.resize_terminal(1, 1)
        await scene.it.pilot.resize_terminal(80, 24)
        await scene.until_shown("is put back")
