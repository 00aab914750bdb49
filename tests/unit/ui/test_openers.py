"""What is opened with what, and what is not opened at all."""

import os
import sys
from pathlib import Path

import pytest

from acp_tui.protocol.content import ImageContent
from acp_tui.ui.external.openers import (
    CannotOpen,
    FilePlace,
    editor_argv,
    link_target,
    open_in_viewer,
    write_images,
)
from acp_tui.ui.toolkit.clipboard import clipboard_program


@pytest.mark.parametrize(
    ("editor", "words"),
    [
        ("vim", ["+3", "{}"]),
        ("/usr/bin/nano -w", ["-w", "+3", "{}"]),
        ("code --wait", ["--wait", "--goto", "{}:3"]),
        ("hx", ["{}:3"]),
        ("unheard-of", ["{}"]),
    ],
)
def test_each_editor_gets_the_line_in_its_own_way(
    tmp_path: Path, editor: str, words: list[str]
) -> None:
    file = tmp_path / "a b.py"
    file.touch()
    argv = editor_argv({"EDITOR": editor}, FilePlace("a b.py", 3), str(tmp_path))
    assert list(argv) == [editor.split(maxsplit=1)[0], *(word.format(file) for word in words)]


@pytest.mark.parametrize("chosen", ["vim.basic", "nano", "emacs-gtk", "emacs25-nox", "mcedit"])
def test_the_editor_that_was_chosen_for_the_system_gets_the_line_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: str
) -> None:
    (tmp_path / chosen).touch(0o755)
    (tmp_path / "alternative").symlink_to(tmp_path / chosen)
    (tmp_path / "editor").symlink_to(tmp_path / "alternative")
    (tmp_path / "a").touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    for env in ({}, {"EDITOR": "editor"}, {"VISUAL": str(tmp_path / "editor")}):
        argv = editor_argv(env, FilePlace("a", 3), str(tmp_path))
        assert argv[1:] == ("+3", str(tmp_path / "a"))


def test_visual_goes_before_editor_and_no_line_is_made_up(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    env = {"VISUAL": "vim", "EDITOR": "nano"}
    assert editor_argv(env, FilePlace("a"), str(tmp_path)) == ("vim", str(tmp_path / "a"))


def test_no_name_is_taken_for_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "+!touch owned"
    (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    for cwd in ("", "."):
        argv = editor_argv({"EDITOR": "vim"}, FilePlace(name), cwd)
        assert argv == ("vim", str(tmp_path / name))


def test_only_files_that_are_there_go_to_the_editor(tmp_path: Path) -> None:
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "fifo")
    for path in ("missing", ".", "fifo", "x" * 5000, "nul\0"):
        with pytest.raises(CannotOpen, match=r"no such file|is a folder|not a regular file"):
            editor_argv({"EDITOR": "vim"}, FilePlace(path, 1), str(tmp_path))


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://example.com/x#y", "https://example.com/x#y"),
        ("file:///tmp/a%20b#L12-L20", FilePlace("/tmp/a b", 12)),
        ("file://localhost/tmp/a", FilePlace("/tmp/a")),
        (f"file:///tmp/a#L{'1' * 5000}", FilePlace("/tmp/a")),
    ],
)
def test_links_lead_to_pages_and_files(url: str, target: object) -> None:
    assert link_target(url) == target


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "file://elsewhere/a",
        "vscode://x",
        "--help",
        "https://",
        "http://[x",
        "https://evil.org\\@bank.org",
    ],
)
def test_no_other_link_is_opened(url: str) -> None:
    with pytest.raises(CannotOpen):
        link_target(url)


@pytest.mark.skipif(sys.platform == "darwin", reason="open needs no variables")
def test_no_browser_is_started_that_has_no_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    noted = tmp_path / "noted"
    for name in ("w3m", "mine"):  # as a browser for terminals, which ends without a word
        (tmp_path / name).write_text(f'#!/bin/sh\necho "{name} $1" > {noted}\n')
    (tmp_path / "xdg-open").write_text('#!/bin/sh\nexec "${BROWSER:-w3m}" "$1"\n')
    for program in tmp_path.iterdir():
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(CannotOpen, match=r"could not open .*: there is no desktop here"):
        open_in_viewer("https://tea.org")
    assert not noted.exists()
    for chosen, value, browser in (("BROWSER", "mine", "mine"), ("DISPLAY", ":0", "w3m")):
        with monkeypatch.context() as environment:
            environment.setenv(chosen, value)
            open_in_viewer("https://tea.org")
        assert noted.read_text() == f"{browser} https://tea.org\n"


@pytest.mark.parametrize(
    "image",
    [
        ImageContent(data="PHN2Zy8+", mime_type="image/svg+xml"),
        ImageContent(data="not base64!", mime_type="image/png"),
        ImageContent(data="aGk=", mime_type="../../x"),
    ],
)
def test_what_is_no_plain_picture_is_not_written(tmp_path: Path, image: ImageContent) -> None:
    with pytest.raises(CannotOpen):
        write_images(tmp_path, [image])
    assert list(tmp_path.iterdir()) == []


def test_the_clipboard_of_this_desktop_is_taken(tmp_path: Path) -> None:
    for name in ("wl-copy", "xclip", "xsel"):
        (tmp_path / name).touch(mode=0o755)
    path = {"PATH": str(tmp_path)}
    assert clipboard_program(path) is None
    assert clipboard_program({**path, "DISPLAY": ":0"}) == ["xclip", "-selection", "clipboard"]
    assert clipboard_program({**path, "DISPLAY": ":0", "WAYLAND_DISPLAY": "w"}) == ["wl-copy"]
