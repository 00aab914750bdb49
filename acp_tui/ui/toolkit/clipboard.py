"""The system's clipboard, by the programs that reach it where the terminal alone does not."""

import shutil
from collections.abc import Mapping
from subprocess import DEVNULL
from typing import NamedTuple

import anyio

from acp_tui.formatting import size
from acp_tui.text import clean, reveal_escapes

PROGRAM_TIMEOUT = 3.0
"""Seconds that a program gets; one that needs longer has lost its display."""
MOST_COPIED = 4 * 1024 * 1024
"""Characters that are copied: more of them a terminal takes in minutes, if at all."""
IMAGE_KINDS = ("image/png", "image/jpeg", "image/webp", "image/gif")
"""The kinds of image that are asked for, the best first."""
TEXT_KINDS = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING")


class ClipboardReader(NamedTuple):
    """Programs that print the kinds the clipboard holds, if one can, and the content by kind."""

    kinds: list[str] | None
    contents: Mapping[str, list[str]]


def too_long(length: int) -> str | None:
    """Say why so many characters, or bytes, are not copied; None if they are."""
    if length <= MOST_COPIED:
        return None
    return f"too long to copy: {size(length)}, at most {size(MOST_COPIED)}"


def copyable(text: str) -> str:
    """A text as it may leave: whatever it is pasted into takes nothing in it for a key.

    The end of its last line would be Enter in a shell that doesn't know a paste from typing.
    """
    return clean(reveal_escapes(text)).rstrip("\n")


def clipboard_program(env: Mapping[str, str]) -> list[str] | None:
    """Return the program that puts a text from stdin on the clipboard of this desktop, if there is
    one.
    """
    programs = [["pbcopy"]]
    if env.get("WAYLAND_DISPLAY"):
        programs.append(["wl-copy"])
    if env.get("DISPLAY"):
        programs += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    return next((one for one in programs if shutil.which(one[0], path=env.get("PATH"))), None)


async def fill_clipboard(text: str, env: Mapping[str, str]) -> None:
    """Put a text on the system's clipboard, if it can be reached; nothing is said if not."""
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
                start_new_session=True,  # what serves the text must outlive us
            )
        except OSError:
            return


def clipboard_reader(env: Mapping[str, str]) -> ClipboardReader | None:
    """Return the programs that read the clipboard of this desktop, if there are any."""
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
    """Read what the clipboard has of the first of these kinds that it offers; empty if it has none."""
    offered = set(reader.contents)
    if reader.kinds is not None:
        offered &= set((await _printed(reader.kinds, env)).decode("utf-8", "replace").split("\n"))
    kind = next((kind for kind in kinds if kind in offered), None)
    return await _printed(reader.contents[kind], env) if kind is not None else b""


async def _printed(argv: list[str], env: Mapping[str, str]) -> bytes:
    """Run a program and return what it prints; nothing if it fails, or takes too long."""
    with anyio.move_on_after(PROGRAM_TIMEOUT):
        try:
            done = await anyio.run_process(argv, stderr=DEVNULL, check=False, env=env)
        except OSError:
            return b""
        if done.returncode == 0:
            return done.stdout
    return b""
