"""The system's clipboard, by the programs that reach it where the terminal alone does not."""

import shutil
from collections.abc import Mapping
from subprocess import DEVNULL

import anyio

PATIENCE = 3.0
"""Seconds that a program gets; one that needs longer has lost its display."""


def clipboard_program(env: Mapping[str, str]) -> list[str] | None:
    """What takes a text on stdin and puts it on the clipboard of this desktop, if there is one."""
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
    with anyio.move_on_after(PATIENCE):
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
