"""Characters that draw nothing, as they are typed."""

import pytest
from textual import events

from acp_tui.text import FLAGS, clean_text
from acp_tui.ui.toolkit.format_characters import format_character


def typed(characters: str) -> str:
    """What is written when these are typed one by one."""
    written = ""
    for character in characters:
        key = events.Key("x", character)
        written += format_character(key, written) or character
    return written


def tags(letters: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in letters)


@pytest.mark.parametrize("flag", FLAGS)
def test_a_flag_is_typed_tag_by_tag(flag: str) -> None:
    assert typed(flag) == flag


@pytest.mark.parametrize("hidden", ["secret", "gbabc", "gbengs", "GBENG"])
def test_nothing_hides_behind_a_flag(hidden: str) -> None:
    written = typed(f"\U0001f3f4{tags(hidden)}\U000e007f")
    assert "\ufffd" in written
    assert not set(tags(hidden)) & set(clean_text(written))


def test_a_tag_alone_is_shown() -> None:
    assert typed(f"a{tags('g')}") == "a\ufffd"
