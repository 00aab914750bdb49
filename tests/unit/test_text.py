"""Text from outside, made safe to show."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.text import (
    FLAGS,
    Cleaner,
    begin_counted,
    clean_line,
    clean_text,
    clean_title,
    count_blanks,
    is_blank,
    join_surrogates,
    judged_line,
    judged_text,
    path_of_url,
    quote_signs,
    reveal_escapes,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("\x1b]0;new title\x07after", "after"),
        ("\x1b]52;c;ZXZpbA==\x1b\\after", "after"),
        ("\x1bPq#0\x1b\\after", "after"),
        ("\x9b2Jafter", "after"),
        ("cut off \x1b[3", "cut off "),
        ("dos\r\nline", "dos\nline"),
        ("bell\x07", "bell␇"),
        ("over\rwritten", "over␍written"),
        ("rm \u202etxt.exe", "rm \ufffdtxt.exe"),
        ("half \ud800", "half \ufffd"),
        ("👩‍💻 e\u0301 עברית", "👩‍💻 e\u0301 עברית"),
        ("❤\ufe0f\u200d🔥 1\ufe0f\u20e3 می\u200cخواهم 葛\U000e0100", None),
        ("ls\ufe00\ufe01\U000e0101", "ls\ufe00\ufffd\ufffd"),
        ("ls\u200c\u200d\u200c", "ls\u200c\ufffd\ufffd"),
        ("\u3164\u115f\u034f\U0001d173\U000e0fff", "\ufffd" * 5),
    ],
)
def test_what_a_terminal_would_obey_is_taken_out_or_made_visible(
    text: str, shown: str | None
) -> None:
    assert clean_text(text) == (text if shown is None else shown)


ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
TAGGED = st.text(
    st.sampled_from([*ENGLAND, *"a\r\n\x1b[m\u200c\u200d\ufe00\ufe0f\U000e0100"]), max_size=20
)


def test_a_flag_made_of_tags_is_shown() -> None:
    assert clean_text(f"to {ENGLAND}!") == f"to {ENGLAND}!"


@pytest.mark.parametrize("before", ["", "\U0001f3f4", ENGLAND])
def test_text_in_tags_is_one_mark(before: str) -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "rm -rf")
    assert clean_text(f"{before}{hidden} x") == f"{before}\ufffd x"


@given(st.lists(st.one_of(TAGGED, st.sampled_from([ENGLAND, ENGLAND[:3], ENGLAND[3:]]))))
def test_tags_are_the_same_however_they_arrive(pieces: list[str]) -> None:
    cleaner = Cleaner()
    shown = "".join([*map(cleaner.feed, pieces), cleaner.finish()])
    assert shown == clean_text("".join(pieces))


def test_a_line_that_is_judged_shows_its_breaks_and_gaps() -> None:
    assert judged_line("a\nb\rc" + " " * 500 + "d") == "a⏎b⏎c ⋯ 500 spaces ⋯ d"
    assert judged_line("a\x1b[31mb") == "a␛[31mb"


def test_a_line_stays_one_line() -> None:
    assert clean_line("title\r\nwith\tmore") == "title with more"


def test_a_sequence_cut_between_two_pieces_is_still_dropped() -> None:
    cleaner = Cleaner()
    assert cleaner.feed("a\x1b[3") + cleaner.feed("1mred") + cleaner.feed(" text") == "ared text"


def test_a_piece_may_end_with_a_whole_sequence() -> None:
    cleaner = Cleaner()
    assert cleaner.feed("a\x1b[31m") + cleaner.feed("31m") == "a31m"


def test_an_endless_sequence_is_held_in_constant_space() -> None:
    cleaner = Cleaner()
    assert [cleaner.feed("\x1b]0;"), cleaner.feed("x" * 1000), cleaner.feed("\x07end")] == [
        "",
        "",
        "end",
    ]


def test_a_flag_cut_between_two_pieces_is_one_flag() -> None:
    for flag in FLAGS:
        for cut in range(1, len(flag)):
            cleaner = Cleaner()
            assert cleaner.feed(flag[:cut]) + cleaner.feed(flag[cut:]) + cleaner.finish() == flag


def test_what_is_held_back_at_the_end_is_cleaned_too() -> None:
    cleaner = Cleaner()
    assert cleaner.feed("last\r") + cleaner.finish() == "last␍"


def test_half_characters_are_replaced_and_halves_joined() -> None:
    assert join_surrogates("a\ud83eb") == "a\ufffdb"
    assert join_surrogates("\ud83e\udd9c\udcff\U0001f99c") == "\U0001f99c\ufffd\U0001f99c"


def test_a_sequence_may_be_shown_instead_of_dropped() -> None:
    assert reveal_escapes("plain") == "plain"
    assert (
        clean_text(reveal_escapes("ls \x1b]0;rm x\x07 \x9drm y\x9c"))
        == "ls ␛]0;rm x␇ \ufffdrm y\ufffd"
    )


BLANKS = [
    chr(code)
    for code in range(sys.maxunicode + 1)
    if unicodedata.category(chr(code)) in ("Zs", "Zl", "Zp", "Cc", "Cf")
    or chr(code) in "\u2800\u3164\uffa0\u115f\u1160\u034f\ufe0f\U000e0101\U0001d159\U00013441"
]
SEEN = "\n\x1b\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2" + (
    "\U000110bd\U000110cd"  # signs of Arabic, Syriac and Kaithi, drawn below numbers
)


def test_whatever_draws_nothing_is_counted() -> None:
    for blank in BLANKS:
        if blank not in SEEN:
            counted = count_blanks(f"ls{blank * 3000}; rm")
            assert len(counted) < 30, hex(ord(blank))
            assert counted.startswith("ls")
            assert "3,000" in counted
            assert counted.endswith("; rm")
            assert is_blank(blank)


def test_blanks_are_told_by_their_name() -> None:
    assert count_blanks(f"a{' ' * 60}b") == "a ⋯ 60 spaces ⋯ b"
    assert count_blanks(f"a{chr(9) * 15}b") == "a ⋯ 15 tabs ⋯ b"
    assert count_blanks(f"a{' ﾠ' * 40}b") == "a ⋯ 80 blanks ⋯ b"
    assert count_blanks("a\n \r\n\t\n\u2800\n\n\u200bb") == "a\n⋯ 4 empty lines\n\u200bb"


def test_what_takes_less_than_a_row_stays() -> None:
    for text in (f"a{' ' * 59}b", "a\n\n\n\nb", "", "\t" * 14, "\u3000" * 29):
        assert count_blanks(text) == text


def test_the_beginning_of_a_text_is_what_is_shown_of_it() -> None:
    text = f"ls{' ' * 5000}; rm {'x' * 50}"
    assert begin_counted(text, 40) == ("ls ⋯ 5,000 spaces ⋯ ; rm xxxxxxxxxxxxxxx", 35)
    assert begin_counted(text, 4000) == (count_blanks(text), 0)
    assert begin_counted("ls", 40) == ("ls", 0)
    assert begin_counted(" " * 5000, 10) == (" " * 10, 4990)
    assert begin_counted("", 10) == ("", 0)


def test_a_line_is_empty_if_nothing_can_be_seen_of_it() -> None:
    assert is_blank(" \t\u3000\u2800\u200b\r")
    assert is_blank("")
    assert not is_blank(" .")
    assert not is_blank("\n")


def test_what_is_judged_shows_escapes_and_counts_blanks() -> None:
    assert clean_text(judged_text(f"ls{' ' * 99}\x1b]0;rm\x07")) == "ls ⋯ 99 spaces ⋯ ␛]0;rm␇"


@pytest.mark.parametrize(
    "title",
    [
        "▸ raw output",
        "✓ done",
        " ▌ 1  ✓ once  Yes",
        "\u200d● working",
        "Run tests  ✓ 1.2s",
        "🗸 done",
        "$ rm -rf ~",
        "$",
        " ＄ ls",
        "execute  $ ls",
    ],
)
def test_a_title_that_looks_like_a_row_of_ours_is_quoted(title: str) -> None:
    assert clean_title(title) == f"“{title}”"
    assert quote_signs(f"first\n{title}") == f"first\n“{title}”"


@pytest.mark.parametrize(
    "title",
    [
        "Read a.py",
        "$HOME/a",
        "costs $ 5",
        "🔍 Search  all",
        "Änderung – 第一",
        "a → b",
        "“▸ quoted”",
        "",
    ],
)
def test_any_other_title_stays_as_it_is(title: str) -> None:
    assert clean_title(title) == title


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("file:///a%20b", "/a b"),
        ("FILE://localhost/a", "/a"),
        ("file:/a", "/a"),
        ("file:a", "file:a"),
        ("file://[a", "file://[a"),
        ("https://a", "https://a"),
        ("/a", "/a"),
    ],
)
def test_the_path_of_a_files_url(text: str, path: str) -> None:
    assert path_of_url(text) == path
