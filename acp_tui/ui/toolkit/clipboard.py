"""Accesses the system clipboard through desktop programs, where the terminal can't."""

import shutil
from collections.abc import Mapping
from subprocess import DEVNULL
from typing import NamedTuple

import anyio

from acp_tui.formatting import size
from acp_tui.text import clean_text, reveal_escapes

PROGRAM_TIMEOUT = 3.0
"""Timeout of a clipboard program, in seconds; a slower one has probably lost its display."""
MOST_COPIED = 4 * 1024 * 1024
"""Most characters that are copied: a terminal takes minutes for more, if it accepts them at all."""
IMAGE_KINDS = ("image/png", "image/jpeg", "image/webp", "image/gif")
"""The image formats that are requested, best first."""
TEXT_KINDS = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING")


class ClipboardReader(NamedTuple):
    """Commands that print the available formats (None if there is no such program), and the content
    by format.
    """

    kinds: list[str] | None
    contents: Mapping[str, list[str]]


def too_long(length: int) -> str | None:
    """Return why a text of `length` characters or bytes isn't copied; None if it is."""
    if length <= MOST_COPIED:
        return None
    return f"too long to copy: {size(length)}, at most {size(MOST_COPIED)}"


def without_controls(text: str) -> str:
    """Return a text without control characters, which a program could take for keys when the text
    is pasted.

    A newline at its end is removed, too: a shell that can't tell a paste from typing takes it for
    Enter.
    """
    return clean_text(reveal_escapes(text)).rstrip("\n")


def clipboard_program(env: Mapping[str, str]) -> list[str] | None:
    """Return the command that copies stdin to this desktop's clipboard; None if there is none."""
    programs = [["pbcopy"]]
    if env.get("WAYLAND_DISPLAY"):
        programs.append(["wl-copy"])
    if env.get("DISPLAY"):
        programs += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    return next((one for one in programs if shutil.which(one[0], path=env.get("PATH"))), None)


async def fill_clipboard(text: str, env: Mapping[str, str]) -> None:
    """Put a text on the system clipboard; do nothing if it can't be reached."""
    argv = clipboard_program(env)
    if argv is None:
        return
    with anyio.move_on_after(PROGRAM_TIMEOUT):
        try:
            await anyio.run_process(
                argv,
                input=text.encode("utf-8", "replace"),
                stdout=DEVNULL,
                stderr=DEVNULL,
                check=False,
                start_new_session=True,  # the process that serves the text must outlive us
            )
        except OSError:
            return


def clipboard_reader(env: Mapping[str, str]) -> ClipboardReader | None:
    """Return the commands that read this desktop's clipboard; None if none are installed."""
    path, kinds = env.get("PATH"), (*TEXT_KINDS, *IMAGE_KINDS)
    if env.get("WAYLAND_DISPLAY") and shutil.which("wl-paste", path=path):
        argv = ["wl-paste", "--no-newline", "--type"]
        return ClipboardReader(
            ["wl-paste", "--list-types"], {kind: [*argv, kind] for kind in kinds}
        )
    if env.get("DISPLAY") and shutil.which("xclip", path=path):
        argv = ["xclip", "-selection", "clipboard", "-out", "-target"]
        return ClipboardReader([*argv, "TARGETS"], {kind: [*argv, kind] for kind in kinds})
    if shutil.which("pbpaste", path=path):
        return ClipboardReader(None, {"STRING": ["pbpaste"], "image/png": ["pngpaste", "-"]})
    return None


async def read_clipboard(
    reader: ClipboardReader, kinds: tuple[str, ...], env: Mapping[str, str]
) -> bytes:
    """Return the clipboard in the first of these formats that is available; b"" if none is."""
    offered = set(reader.contents)
    if reader.kinds is not None:
        offered &= set((await _printed(reader.kinds, env)).decode("utf-8", "replace").split("\n"))
    kind = next((kind for kind in kinds if kind in offered), None)
    return await _printed(reader.contents[kind], env) if kind is not None else b""


async def _printed(argv: list[str], env: Mapping[str, str]) -> bytes:
    """Return the output of a command; b"" if it fails or takes too long."""
    with anyio.move_on_after(PROGRAM_TIMEOUT):
        try:
            process = await anyio.run_process(argv, stderr=DEVNULL, check=False, env=env)
        except OSError:
            return b""
        if process.returncode == 0:
            return process.stdout
    return b""
