"""Copying, opening and exporting from the terminal, with programs that write down their arguments."""

import json
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal, terminal
from tests.fake_agent.script import Script

EXPORT = "\x1bo"
SEARCH = "\x1b/"
ESCAPE = "\x1b"
TAB = "\t"
F12 = "\x1b[24~"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
OWN_SCREEN, OWN_SCREEN_LEFT = b"\x1b[?1049h", b"\x1b[?1049l"


class Desk:
    """A folder to work in, and programs in front of all others on the path."""

    def __init__(self, folder: Path) -> None:
        self.work, self._programs, self._notes = (
            folder / name for name in ("work", "programs", "notes")
        )
        for each in (self.work, self._programs, self._notes):
            each.mkdir()
        self.env = {"PATH": f"{self._programs}:/usr/bin:/bin", "DISPLAY": ":0"}

    def program(self, name: str, script: str = "") -> None:
        """A program that notes its arguments, one a line, and what it reads."""
        note = self._notes / name
        path = self._programs / name
        path.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {note}.args\n{script}\n')
        path.chmod(0o755)

    def noted(self, name: str) -> list[str]:
        """The arguments that a program got; none before it was started."""
        note = self._notes / f"{name}.args"
        return note.read_text().splitlines() if note.exists() else []

    @property
    def notes(self) -> Path:
        return self._notes


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@contextmanager
def reading(desk: Desk, script: Script, **env: str) -> Iterator[Terminal]:
    """A turn that is over, with the transcript under the keys."""
    argv = script.end_turn().argv(desk.work.parent)
    given = ("--no-record", "--cwd", str(desk.work), "--", *argv)
    with terminal(*given, env={**desk.env, **env}, cwd=desk.work) as it:
        it.wait_for("Ask the agent")
        it.type_line("go on")
        it.wait_for("── ")
        it.send(TAB)
        yield it


def script() -> Script:
    return Script().handshake().prompt()


def test_a_location_is_opened_in_the_editor_on_this_terminal(desk: Desk) -> None:
    file = desk.work / "tea.py"
    file.write_text("tea = 1\n")
    begins = r"stty -a > /dev/null && printf '\033[2J\033[H'"  # on an empty screen, as editors do
    desk.program("vim", f"{begins} && echo 'the editor is here'; read answer")
    places = [{"path": str(file), "line": 7}]
    work = script().tool_call(title="Look", kind="read", status="completed", locations=places)
    with reading(desk, work, VISUAL="vim -R") as it:
        it.send("o")
        it.wait_for("the editor is here")
        assert it.written.rfind(OWN_SCREEN_LEFT) > it.written.rfind(OWN_SCREEN)
        assert desk.noted("vim") == ["-R", "+7", str(file)]
        it.send("\n")
        it.wait_until(
            lambda: it.written.rfind(OWN_SCREEN) > it.written.rfind(OWN_SCREEN_LEFT), "the app"
        )
        it.send(f"{TAB}back again")
        it.wait_for("back again")


@pytest.mark.slow
@pytest.mark.parametrize("path", ["missing.py", "."])
def test_what_can_not_be_opened_is_said(desk: Desk, path: str) -> None:
    places = [{"path": str(desk.work / path)}]
    work = script().tool_call(title="Look", kind="read", status="completed", locations=places)
    desk.program("vi")
    with reading(desk, work, EDITOR="vi") as it:
        it.send("o")
        it.wait_until(lambda: "no such file" in it.text or "this is a folder" in it.text, "reason")
        assert desk.noted("vi") == []


@pytest.mark.slow
@pytest.mark.parametrize("killed", [False, True])
def test_an_image_is_opened_from_a_file_that_is_private_and_goes_away(
    desk: Desk, killed: bool
) -> None:
    desk.program("xdg-open", f'cp "$1" {desk.notes}/seen; stat -c %a "$1" > {desk.notes}/mode')
    image = {"type": "image", "mimeType": "image/png", "data": PNG}
    with reading(desk, script().update("agent_message_chunk", content=image)) as it:
        it.send("\x1b[Ao")  # letters at once are a text
        mode = desk.notes / "mode"
        it.wait_until(lambda: mode.exists() and mode.read_text(), "viewer")
        (path,) = map(Path, desk.noted("xdg-open"))
        assert mode.read_text() == "600\n"
        assert (desk.notes / "seen").read_bytes().startswith(b"\x89PNG")
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        if killed:
            it.process.kill()
            it.wait_until(lambda: not path.parent.exists(), "empty folder")
        else:
            it.leave()
            assert it.wait_for_exit() == 0
            assert not path.parent.exists()


def test_what_is_copied_reaches_the_clipboard_and_what_is_exported_a_file(desk: Desk) -> None:
    desk.program("xclip", f"cat > {desk.notes}/clipboard")
    with reading(desk, script().chunk("so **be** it")) as it:
        it.send("ky")
        it.wait_for("copied")
        clipboard = desk.notes / "clipboard"
        it.wait_until(lambda: clipboard.exists() and clipboard.read_text(), "clipboard")
        assert clipboard.read_text() == "so **be** it"
        assert desk.noted("xclip") == ["-selection", "clipboard"]
        assert b"\x1b]52;c;c28gKipiZSoqIGl0" in it.written, "not for the terminal"
        export(it, desk, "m", "md", "# Session with", "so **be** it")


def export(it: Terminal, desk: Desk, key: str, suffix: str, beginning: str, shown: str) -> None:
    """Export the session, and look at the file."""
    it.send(EXPORT)
    it.wait_for("Export this session")
    it.send(key)
    it.wait_until(lambda: any(desk.work.glob(f"*.{suffix}")), "file")
    it.wait_for("exported")
    (file,) = desk.work.glob(f"*.{suffix}")
    text = file.read_text().replace("&#160;", " ")
    assert text.startswith(beginning)
    assert shown in text
    assert "Export this session" not in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "suffix", "beginning"), [("h", "html", "<!DOCTYPE html>"), ("s", "svg", "<svg")]
)
def test_the_session_is_exported_into_the_folder(
    desk: Desk, key: str, suffix: str, beginning: str
) -> None:
    with reading(desk, script().chunk("so be it")) as it:
        export(it, desk, key, suffix, beginning, "so be it")


def test_what_is_typed_right_after_a_key_that_asks_is_written_there(desk: Desk) -> None:
    with reading(desk, script().chunk("tea\n\n```\ncode\n```\n")) as it:
        it.send("/code")
        it.wait_for("1 of 1")
        it.wait_for("Esc back")
        it.send(ESCAPE)
        it.wait_for("Tab prompt")
        it.send(f"{TAB}{SEARCH}tea")
        it.wait_for("tea  ")
        it.wait_for("1 of 1")
        it.send(F12)
        it.wait_for("session/prompt")
        it.send("/kind:prompt")
        it.wait_for("filter kind:prompt")


@pytest.mark.slow
def test_links_of_other_schemes_are_not_opened(desk: Desk) -> None:
    desk.program("xdg-open")
    text = "[one](javascript:alert(1)) [two](https://example.com/tea?x=1)"
    with reading(desk, script().chunk(text)) as it:
        row = next(y for y, line in enumerate(it.text.split("\n")) if "two" in line)
        column = it.text.split("\n")[row].index("two")
        for offset in (0, column - it.text.split("\n")[row].index("one")):
            at = f"{column - offset + 1};{row + 1}"
            it.send(f"\x1b[<0;{at}M\x1b[<0;{at}m")
        it.wait_for("Open this link?")
        assert desk.noted("xdg-open") == []
        it.wait_for_keys()
        it.send("2")
        it.wait_until(lambda: desk.noted("xdg-open"), "viewer")
        assert desk.noted("xdg-open") == ["https://example.com/tea?x=1"]
        assert json.dumps(it.text).count("javascript") <= 1
