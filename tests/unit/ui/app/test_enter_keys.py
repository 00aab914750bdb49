from textual._xterm_parser import XTermParser
from textual.events import Key

from acp_tui.ui.textual_fixes.enter_keys import recognize_alt_enter


def keys(sent: str) -> list[str]:
    return [event.key for event in XTermParser().feed(sent) if isinstance(event, Key)]


def test_alt_enter_of_a_plain_terminal_is_no_enter() -> None:
    recognize_alt_enter()
    assert keys("a\x1b\rb\r") == ["a", "alt+enter", "b", "enter"]


def test_kitty_keys_and_line_feed_stay_what_they_are() -> None:
    recognize_alt_enter()
    assert keys("\x1b[13;2u\x1b[13;3u\n") == ["shift+enter", "alt+enter", "ctrl+j"]
