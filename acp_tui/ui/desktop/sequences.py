"""Desktop notifications as sequences for the terminal.

OSC 9 (iTerm2, WezTerm, Ghostty) has one text, OSC 777 (urxvt, foot, WezTerm) a title and a body between
semicolons, OSC 99 (kitty, foot) both as base64. A text that begins with a digit would be a progress bar
in OSC 9: ours begin with the program's name.
"""

from base64 import b64encode
from collections.abc import Mapping

from acp_tui.ui.desktop.notification import DesktopNotification

_ST = "\x1b\\"


def osc9(told: DesktopNotification) -> str:
    """Return a notification as OSC 9."""
    return f"\x1b]9;{told.title} {told.body}\x07"


def osc777(told: DesktopNotification) -> str:
    """Return a notification as OSC 777."""
    return f"\x1b]777;notify;{_no_semicolon(told.title)};{_no_semicolon(told.body)}\x07"


def osc99(told: DesktopNotification) -> str:
    """Return a notification as OSC 99; a later one takes its place."""
    title = f"\x1b]99;i=acp-tui:d=0:e=1;{_base64(told.title)}{_ST}"
    return f"{title}\x1b]99;i=acp-tui:d=1:e=1:p=body;{_base64(told.body)}{_ST}"


SEQUENCES = {"osc9": osc9, "osc777": osc777, "osc99": osc99}


def understood(environment: Mapping[str, str]) -> str | None:
    """Return which of them the terminal understands, by what it says of itself; None if it doesn't say."""
    program, kind = environment.get("TERM_PROGRAM", ""), environment.get("TERM", "")
    if "KITTY_WINDOW_ID" in environment or kind.startswith("xterm-kitty"):
        return "osc99"
    if program in ("iTerm.app", "WezTerm", "ghostty") or "ITERM_SESSION_ID" in environment:
        return "osc9"
    if "WEZTERM_PANE" in environment or "GHOSTTY_RESOURCES_DIR" in environment:
        return "osc9"
    return "osc777" if kind.startswith(("foot", "rxvt-unicode")) else None


def passed_on(sequence: str, environment: Mapping[str, str]) -> str:
    """Wrap a sequence so that tmux passes it on to its terminal: `allow-passthrough` has to be on."""
    if "TMUX" not in environment:
        return sequence
    doubled = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}{_ST}"


def _no_semicolon(text: str) -> str:
    return text.replace(";", ",")


def _base64(text: str) -> str:
    return b64encode(text.encode()).decode()
