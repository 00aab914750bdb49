"""The system's clipboard, by the programs that reach it where the terminal alone does not."""

import shutil
from collections.abc import Mapping
from subprocess import DEVNULL
from typing import NamedTuple

import anyio

from acp_tui.formatting import size
from acp_tui.text import clean_text, reveal_escapes

PROGRAM_TIMEOUT = 3.0
"""Timeout of a clipboard program, in seconds; one that takes longer has probably lost its display."""
MOST_COPIED = 4 * 1024 * 1024
"""Characters that are copied: a terminal takes minutes for more, if it takes them at all."""
IMAGE_KINDS = ("image/png", "image/jpeg", "image/webp", "image/gif")
"""The kinds of image that are asked for, the best first."""
TEXT_KINDS = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING")


class ClipboardReader(NamedTuple):
    """Programs that print the kinds the clipboard holds, if one can, and the content by kind."""

    kinds: list[str] | None
    contents: Mapping[str, list[str]]


def too_long(length: int) -> str | None:
    """Explain why a text of `length` characters or bytes isn't copied; None if it is."""
    if length <= MOST_COPIED:
        return None
    return f"too long to copy: {size(length)}, at most {size(MOST_COPIED)}"


def without_controls(text: str) -> str:
    """Return a text without control characters, which a program that it is pasted into could take for keys.

    The newline at its end would be Enter in a shell that can't tell a paste from typing.
    """
    return clean_text(reveal_escapes(text)).rstrip("\n")


def clipboard_program(env: Mapping[str, str]) -> list[str] | None:
    """Return the program that copies stdin to the clipboard of this desktop, if there is one."""
    programs = [["pbcopy"]]
    if env.get("WAYLAND_DISPLAY"):
        programs.append(["wl-copy"])
    if env.get("DISPLAY"):
        programs += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    return next((one for one in programs if shutil.which(one[0], path=env.get("PATH"))), None)


async def fill_clipboard(text: str, env: Mapping[str, str]) -> None:
    """Put a text on the system's clipboard; do nothing if it can't be reached."""
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
    """Read the clipboard in the first of these kinds that it offers; empty if it offers none."""
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
