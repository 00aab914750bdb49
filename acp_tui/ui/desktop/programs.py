"""Desktop notifications by a program."""

import subprocess
from collections.abc import Mapping, Sequence
from html import escape
from shutil import which

import anyio

from acp_tui.ui.desktop.notification import DesktopNotification

_PROGRAM_TIMEOUT = 10.0
"""Seconds that a program may take."""
_TITLE, _BODY = "{title}", "{body}"


class CannotNotifyError(Exception):
    """A program could not be started, or failed; the message says which, and why."""


def notify_send(told: DesktopNotification) -> list[str]:
    """Return the command for a desktop of freedesktop.org; its body may have tags, so that none is one."""
    body = escape(told.body, quote=False)
    return ["notify-send", "--app-name=acp-tui", "--", told.title, body]


def terminal_notifier(told: DesktopNotification) -> list[str]:
    """Return the command for macOS."""
    return ["terminal-notifier", "-group", "acp-tui", "-title", told.title, "-message", told.body]


PROGRAMS = {"notify-send": notify_send, "terminal-notifier": terminal_notifier}


def own_command(words: Sequence[str], told: DesktopNotification) -> list[str]:
    """Fill in a command of the person's: `{title}` and `{body}` wherever they stand, else at its end."""
    if not any(_TITLE in word or _BODY in word for word in words):
        words = [*words, _TITLE, _BODY]
    return [_filled(word, told) for word in words]


def at_hand(environment: Mapping[str, str]) -> str | None:
    """Return the program that reaches the person's desktop, if there is one: none does over ssh."""
    if "SSH_CONNECTION" in environment:
        return None
    if which("terminal-notifier"):
        return "terminal-notifier"
    has_desktop = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return "notify-send" if has_desktop and which("notify-send") else None


async def run(argv: Sequence[str]) -> None:
    """Run a program to its end, without the terminal. Raises CannotNotifyError."""
    try:
        with anyio.fail_after(_PROGRAM_TIMEOUT):
            await anyio.run_process(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
    except TimeoutError:
        raise CannotNotifyError(f"{argv[0]} took over {_PROGRAM_TIMEOUT:g} seconds") from None
    except subprocess.CalledProcessError as error:
        raise CannotNotifyError(f"{argv[0]} failed, exit code {error.returncode}") from None
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) else error
        raise CannotNotifyError(f"{argv[0]} can't be started: {words}") from None


def _filled(word: str, told: DesktopNotification) -> str:
    begin, mark, rest = word.partition(_TITLE)
    if mark:  # the title may name the other mark: what is filled in isn't looked at again
        return f"{_filled(begin, told)}{told.title}{_filled(rest, told)}"
    return word.replace(_BODY, told.body)
