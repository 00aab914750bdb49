"""Alt and a letter, as terminals send them."""

import pytest
from textual.events import Key

from acp_tui.ui.textual_fixes.alt_keys import KeyParser


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        ("\x1bj\x1b[B", ["alt+j", "down"]),
        ("\x1bp\x1bp\x1bx", ["alt+p", "alt+p"]),  # of the last it is not known yet whether it ends
        ("^j", ["circumflex_accent", "j"]),
        ("\x1b[Aj", ["up", "j"]),
    ],
)
def test_it_is_one_key_however_soon_the_next_comes(sent: str, keys: list[str]) -> None:
    heard = [event.key for event in KeyParser().feed(sent) if isinstance(event, Key)]
    assert heard == keys
