"""Alt and a letter, as terminals send them."""

import pytest
from textual.events import Key

from acp_tui.ui.textual_fixes.alt_keys import KeyParser


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        ("\x1bj\x1b[B", ["alt+j", "down"]),
        ("\x1bp\x1bp\x1bx", ["alt+p", "alt+p", "alt+x"]),
        ("\x1b/\x1b.x", ["alt+slash", "alt+full_stop", "x"]),
        ("\x1b1\x1b0", ["alt+1", "alt+0"]),
        ("\x1b\t\t", ["alt+tab", "tab"]),
        ("\x1bb\x1bf\x1b\x7f", ["alt+b", "alt+f", "alt+backspace"]),
        ("\x1b\x08\x08", ["alt+backspace", "backspace"]),
        ("^j", ["circumflex_accent", "j"]),
        ("\x1b[Aj", ["up", "j"]),
    ],
)
def test_it_is_one_key_however_soon_the_next_comes(sent: str, keys: list[str]) -> None:
    heard = [event.key for event in KeyParser().feed(sent) if isinstance(event, Key)]
    assert heard == keys


@pytest.mark.parametrize("sign", [*"a/.1§ß", "\t", "日"])
def test_a_sign_with_alt_is_no_text(sign: str) -> None:
    heard = [event for event in KeyParser().feed(f"\x1b{sign}x") if isinstance(event, Key)]
    assert heard[-1].character == "x"
    assert [one.is_printable for one in heard[:-1]] == [False]
