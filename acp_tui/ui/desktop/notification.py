"""Desktop notifications: their texts, and the escape sequences or programs that send them.

OSC 9 (iTerm2, WezTerm, Ghostty) has a single text, OSC 777 (urxvt, foot, WezTerm) a title and a
body separated by semicolons, OSC 99 (kitty, foot) both as base64. A text in OSC 9 that begins with
a digit would be a progress bar: ours begin with the program's name.
"""

import subprocess
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from shutil import which
from typing import NamedTuple

import anyio

from acp_tui.formatting import duration
from acp_tui.host.agent import Agent
from acp_tui.host.session_names import session_title
from acp_tui.state.entries import TurnEndEntry
from acp_tui.state.subject import format_subject
from acp_tui.text import clean_line, one_line
from acp_tui.ui.tabs.conditions import exit_words
from acp_tui.ui.tabs.tabs import Asked, AskedPermission
from acp_tui.ui.toolkit.shortened import crop_text

LONGEST_TEXT = 160
"""Most characters of a text: it may be shown on a locked screen, where nobody scrolls."""
_DONE = "end_turn"
_ST = "\x1b\\"
_PROGRAM_TIMEOUT = 10.0
"""Timeout of a notification program, in seconds."""
_TITLE, _BODY = "{title}", "{body}"


class DesktopNotification(NamedTuple):
    """A title and a body: single clean lines that begin with our words rather than the agent's."""

    title: str
    body: str


def question_asked(asked: Asked) -> DesktopNotification:
    """Return the notification of a question."""
    state = asked.agent.state
    if isinstance(asked, AskedPermission):
        words = f"asks for permission: {format_subject(state, asked.permission)}"
    else:
        words = f"asks: {one_line(asked.elicitation.message)}"
    return _about(asked.agent, asked.session_id, words)


def turn_ended(agent: Agent, session_id: str, end: TurnEndEntry) -> DesktopNotification:
    """Return the notification of a turn's end."""
    return _about(agent, session_id, f"{_how(end)} after {duration(end.worked)}")


def agent_exited(agent: Agent) -> DesktopNotification:
    """Return the notification that an agent no longer runs, with the reason."""
    peer = agent.state.peer
    why = one_line(peer.trouble) if peer.process.exit is None and peer.trouble else exit_words(peer)
    return _about(agent, None, f"is gone: {why}")


def dialog_opened(agent: Agent, what: str) -> DesktopNotification:
    """Return the notification of a dialog that needs the user."""
    return _about(agent, None, what)


def is_failure(end: TurnEndEntry) -> bool:
    """Return whether a turn ended without being completed."""
    return end.is_failed or end.stop_reason != _DONE


def _how(end: TurnEndEntry) -> str:
    if end.error is not None:
        return f"failed ({one_line(end.error.message)})"
    why = end.lost or end.failure
    if why is not None:
        return f"failed ({one_line(why)})"
    if end.stop_reason == _DONE:
        return "is done"
    return f"stopped ({one_line(end.stop_reason or 'no reason')})"


def _about(agent: Agent, session_id: str | None, words: str) -> DesktopNotification:
    title = one_line(session_title(agent.state, session_id or ""))
    name = f"acp-tui: {clean_line(agent.name)}"
    place = f" in {title}" if title else ""
    return DesktopNotification(
        crop_text(f"{name}{place}", LONGEST_TEXT), crop_text(words, LONGEST_TEXT)
    )


def osc9(message: DesktopNotification) -> str:
    """Format a notification as OSC 9."""
    return f"\x1b]9;{message.title} {message.body}\x07"


def osc777(message: DesktopNotification) -> str:
    """Format a notification as OSC 777."""
    return f"\x1b]777;notify;{_no_semicolon(message.title)};{_no_semicolon(message.body)}\x07"


def osc99(message: DesktopNotification) -> str:
    """Format a notification as OSC 99; a later one replaces it."""
    title = f"\x1b]99;i=acp-tui:d=0:e=1;{_base64(message.title)}{_ST}"
    return f"{title}\x1b]99;i=acp-tui:d=1:e=1:p=body;{_base64(message.body)}{_ST}"


SEQUENCES = {"osc9": osc9, "osc777": osc777, "osc99": osc99}


def understood_sequence(environment: Mapping[str, str]) -> str | None:
    """Return the notification sequence of the terminal, judging by its environment; None if unknown."""
    program, kind = environment.get("TERM_PROGRAM", ""), environment.get("TERM", "")
    if "KITTY_WINDOW_ID" in environment or kind.startswith("xterm-kitty"):
        return "osc99"
    if program in ("iTerm.app", "WezTerm", "ghostty") or "ITERM_SESSION_ID" in environment:
        return "osc9"
    if "WEZTERM_PANE" in environment or "GHOSTTY_RESOURCES_DIR" in environment:
        return "osc9"
    return "osc777" if kind.startswith(("foot", "rxvt-unicode")) else None


def passed_on(sequence: str, environment: Mapping[str, str]) -> str:
    """Wrap a sequence so that tmux passes it through; this needs its option `allow-passthrough`."""
    if "TMUX" not in environment:
        return sequence
    doubled = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}{_ST}"


def _no_semicolon(text: str) -> str:
    return text.replace(";", ",")


def _base64(text: str) -> str:
    return b64encode(text.encode()).decode()


class CannotNotifyError(Exception):
    """A notification program couldn't be started, or failed; the message says which, and why."""


def notify_send(message: DesktopNotification) -> list[str]:
    """Return the command for freedesktop.org desktops; escapes the body, which may be markup."""
    body = escape(message.body, quote=False)
    return ["notify-send", "--app-name=acp-tui", "--", message.title, body]


def terminal_notifier(message: DesktopNotification) -> list[str]:
    """Return the command for macOS."""
    return [
        "terminal-notifier",
        "-group",
        "acp-tui",
        "-title",
        message.title,
        "-message",
        message.body,
    ]


PROGRAMS = {"notify-send": notify_send, "terminal-notifier": terminal_notifier}


def own_command(words: Sequence[str], message: DesktopNotification) -> list[str]:
    """Fill in the user's own command: `{title}` and `{body}` where they occur, else at its end."""
    if not any(_TITLE in word or _BODY in word for word in words):
        words = [*words, _TITLE, _BODY]
    return [_filled(word, message) for word in words]


def at_hand(environment: Mapping[str, str]) -> str | None:
    """Return the program that notifies the user's desktop, if there is one; over ssh, none can."""
    if "SSH_CONNECTION" in environment:
        return None
    if which("terminal-notifier"):
        return "terminal-notifier"
    has_desktop = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return "notify-send" if has_desktop and which("notify-send") else None


async def run_notifier(argv: Sequence[str]) -> None:
    """Run a program to its end, detached from the terminal. Raises CannotNotifyError."""
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


def _filled(word: str, message: DesktopNotification) -> str:
    begin, mark, rest = word.partition(_TITLE)
    if mark:  # the title may contain the other mark: filled-in text isn't searched again
        return f"{_filled(begin, message)}{message.title}{_filled(rest, message)}"
    return word.replace(_BODY, message.body)
