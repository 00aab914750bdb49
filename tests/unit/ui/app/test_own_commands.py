"""What is written behind `!`: run for the person, never sent, and never run by accident."""

import subprocess
from pathlib import Path

import pytest

from acp_tui.config.paths import PYTHON
from acp_tui.state import commands
from acp_tui.state.authentication import Program
from acp_tui.store.same_folder import SameFolder
from acp_tui.ui.prompt.own_commands import _longest_fence
from acp_tui.ui.terminal.stream import plain_lines
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


async def test_below_a_question_nothing_is_run() -> None:
    state, _ = states.asking()
    ran: list[Program] = []

    async def run(program: Program) -> int:
        ran.append(program)
        return 1

    async with running(state, run_program=run) as it:
        await it.wait_until_armed()
        await it.press(*"!reboot", "enter")
        assert "answer first what is asked" in it.screen
        assert "!reboot" in it.prompt
    assert (ran, it.asked) == ([], [])


async def test_nothing_is_run_in_a_folder_that_took_the_name_of_the_sessions(
    tmp_path: Path,
) -> None:
    work, other = tmp_path / "work", tmp_path / "other"
    for folder in (work, other):
        folder.mkdir()
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(work)
    ran: list[Program] = []

    async def run(program: Program) -> int:
        ran.append(program)
        return 1

    async with running(state, run_program=run, size=(200, 24)) as it:
        await it.press(*"!ls", "enter")
        await it.until(lambda: "the command was not run in" in it.screen)
        assert [one.cwd for one in ran] == [str(work)]
        work.rename(tmp_path / "away")
        for take in (work.symlink_to, lambda folder: (work.unlink(), folder.rename(work))):
            take(other)
            it.app.notes.clear()
            await it.press("ctrl+u", *"!ls", "enter")
            await it.until(lambda: f"not run: {work}: it leads elsewhere now" in it.note)
        assert len(ran) == 1


def test_what_is_swapped_as_a_command_is_started_gets_nothing_run(tmp_path: Path) -> None:
    work, other, output = tmp_path / "work", tmp_path / "other", tmp_path / "output"
    for folder in (work, other):
        folder.mkdir()
    shown = SameFolder(work)
    (other / "signal.py").write_text("open('ran', 'w')")
    relay = (*PYTHON, "acp_tui.ui.prompt.command_process", str(output), shown.id)
    subprocess.run([*relay, "/bin/sh", "touch ran"], cwd=other, check=False)
    assert not output.exists()
    assert [one.name for one in other.iterdir()] == ["signal.py"]


async def test_without_a_terminal_of_our_own_it_stays_written_but_after_a_space_it_is_sent() -> (
    None
):
    state, _ = states.opened()
    async with running(state) as it:
        await it.press("!")
        assert "Enter run it here" in it.screen
        await it.press("backspace")
        assert "Enter send" in it.screen
        await it.press(*"!ls", "enter")
        assert it.prompt == "!ls"
        assert "not run: commands run only where" in it.screen
        assert not it.asked
        await it.press("home", "space", "enter")
        assert len(it.asked) == 1


@pytest.mark.parametrize(
    ("output", "lines"),
    [
        (b"", []),
        (b"one\r\ntwo\r\n\r\n", ["one", "two"]),
        (b"10%\r20%\r100%\r\n", ["100%"]),
        (b"\x1b[31mred\x1b[0m\x1b]0;title\x07\r\n", ["red"]),
        ("日本 ☕\r\n".encode(), ["日本 ☕"]),
        (b"\xff\r\n", ["\ufffd"]),
        (b"".join(b"%d\r\n" % row for row in range(5_000)), [str(row) for row in range(5_000)]),
        (b"x" * 500 + b"\r\nnext\r\n", ["x" * 500, "next"]),
        (b"x" * 400 + b"\r\nnext", ["x" * 400, "next"]),
        (b"x" * 200 + b"\r\n" + b"y" * 200, ["x" * 200, "y" * 200]),
        (b"x" * 199 + b" y\r\n" * 2, ["x" * 199 + " y", " y"]),
        ("日本".encode() * 150, ["日本" * 150]),
        (
            b"\x1b[31m" + b"ab \x1b[K" * 100 + b"\r\n" * 60 + b"end",
            ["ab " * 99 + "ab", *[""] * 59, "end"],
        ),
        (b"x" * 201 + b"\x1b[2J\x1b[H" + b"z" * 201, ["x" * 201, "z" * 201]),
    ],
)
def test_output_goes_along_as_it_was_seen(output: bytes, lines: list[str]) -> None:
    assert plain_lines(output) == lines


async def test_a_command_and_its_end_stay_in_the_transcript_and_its_output_is_counted(
    tmp_path: Path,
) -> None:
    state, session = states.opened()
    session.cwd = state.peer.cwd = str(tmp_path)

    async def run(program: Program) -> int:
        Path(program.argv[-4]).write_bytes(b"%d 2048\nlast\r\n" % code)
        return 0

    async with running(state, run_program=run) as it:
        for code, how in ((3, "[ended with 3]"), (-9, "[ended by signal 9]")):
            it.asked.clear()
            await it.press(*"!make", "enter")
            await it.until(lambda: len(it.asked) > 1)
            began, kept = it.asked
            assert began == commands.NoteOwnCommand()
            assert isinstance(kept, commands.RecordOwnCommand)
            assert (kept.command, kept.code, kept.dropped, kept.output) == (
                "make",
                code,
                2048,
                b"last\r\n",
            )
            await it.until(lambda: "last" in it.prompt)
            assert "[the first 2.0 kB are left out]" in it.prompt
            assert how in it.prompt
            await it.press("ctrl+c")


def test_a_fence_is_longer_than_those_in_the_output() -> None:
    assert _longest_fence("a\n````b\n``") == 4
