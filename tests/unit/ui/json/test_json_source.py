"""JSON as it was written, with colors."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.ui.json.json_lines import JsonSource
from acp_tui.ui.json.json_text import KEY, NUMBER, STRING, WORD
from acp_tui.ui.lines.text_lines import TextLines
from tests.unit.ui.lines.drive import PALETTE, assert_little_at_once, laid_out

STYLES = {PALETTE[one]: one for one in (WORD, NUMBER, STRING, KEY)}


def pieces(text: str, width: int = 60) -> list[tuple[str, str]]:
    """What is drawn of a text, piece by piece, with its style."""
    lines = JsonSource(text)
    laid_out(lines, width)
    return [
        (segment.text, STYLES[segment.style])
        for y in range(lines.height)
        for segment in lines.strip(y, PALETTE)
        if segment.style is not None
    ]


def test_keys_texts_numbers_and_words_have_their_colors() -> None:
    assert pieces('{"a" : "b,\\"c", "d":[-1.5e3, null]}') == [
        ('{"a" : ', KEY),
        ('"b,\\"c", ', STRING),
        ('"d":[', KEY),
        ("-1.5e3, ", NUMBER),
        ("null", WORD),
        ("]}", KEY),
    ]


def test_a_text_on_several_rows_has_its_color_in_each() -> None:
    assert pieces('{"a":"bcdefgh"}', 5) == [
        ('{"a":', KEY),
        ('"bcde', STRING),
        ('fgh"', STRING),
        ("}", KEY),
    ]


def test_the_beginning_of_json_is_drawn_to_its_end() -> None:
    assert pieces('{"a":"bc')[-1] == ('"bc', STRING)
    assert pieces('["b\\')[-1] == ("\\", KEY)


@settings(max_examples=50)
@given(st.text() | st.dictionaries(st.text(), st.text() | st.floats()).map(json.dumps))
def test_any_text_is_drawn_as_it_is(text: str) -> None:
    lines, plain = JsonSource(text), TextLines(text)
    assert laid_out(lines, 7) == laid_out(plain, 7)
    drawn = ["".join(one.text for one in lines.strip(y, PALETTE)) for y in range(lines.height)]
    assert drawn == [plain.plain(y) for y in range(plain.height)]


def test_a_long_line_is_colored_a_little_at_a_time() -> None:
    assert_little_at_once(JsonSource(json.dumps([{"a": 1}] * 8_000)), 80)
