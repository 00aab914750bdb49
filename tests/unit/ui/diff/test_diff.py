"""Diffs as they are read."""

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from acp_tui.protocol.content import Diff
from acp_tui.ui.colors import contrast
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.header import count_changes
from acp_tui.ui.diff.side import find_changed_words
from tests.unit.ui.lines.drive import (
    ANSI,
    PALETTE,
    assert_little_at_once,
    assert_little_taken,
    laid_out,
    styles_of,
)

NUMBERS = "".join(f"line {number}\n" for number in range(1, 41))
TEXT = st.text(st.sampled_from("ab \n\t\r\x1b漢\u0301👩\u200d💻"), max_size=60)


def diff(old: str | None, new: str, path: str = "/src/app.py") -> Diff:
    return Diff(path=path, old_text=old, new_text=new)


def unified(old: str | None, new: str, width: int = 60, path: str = "/src/app.py") -> list[str]:
    return laid_out(DiffLines(diff(old, new, path)), width)


def test_a_change_with_its_numbers_signs_and_folded_context() -> None:
    assert unified(NUMBERS, NUMBERS.replace("line 20\n", "line twenty\n")) == [
        "/src/app.py  +1 −1",
        "⋯ 16 unchanged lines",
        "17 17   line 17",
        "18 18   line 18",
        "19 19   line 19",
        "20    - line 20",
        "   20 + line twenty",
        "21 21   line 21",
        "22 22   line 22",
        "23 23   line 23",
        "⋯ 17 unchanged lines",
    ]


def test_numbers_part_ways_after_an_insertion() -> None:
    assert unified("a\nb\n", "new\na\nb\n")[1:] == ["  1 + new", "1 2   a", "2 3   b"]


def test_a_single_unchanged_line_is_not_folded() -> None:
    old = "".join(f"{letter}\n" for letter in "abcdefgh")
    assert not [
        line for line in unified(old, old.replace("a", "A").replace("h", "H")) if "⋯" in line
    ]


def test_all_lines_are_shown_when_asked_for() -> None:
    old = "".join(f"{number}\n" for number in range(1, 31))
    lines = DiffLines(diff(old, old.replace("15", "fifteen")))
    assert len(laid_out(lines, 80)) == 1 + 2 + 6 + 2
    assert lines.has_folds
    lines.arrange(None, whole=True)
    assert len(laid_out(lines, 80)) == 1 + 29 + 2
    assert not lines.has_folds


def test_side_by_side_when_there_is_room() -> None:
    lines = unified("same\nold\n", "same\nnew\nmore\n", width=120)
    halves = [[half.strip() for half in line.split("│")] for line in lines[1:]]
    assert halves == [["1   same", "1   same"], ["2 - old", "2 + new"], ["", "3 + more"]]


def test_the_reader_decides_about_the_sides() -> None:
    lines = DiffLines(diff("old\n", "new\n"))
    lines.arrange(split=True, whole=False)
    assert "│" in laid_out(lines, 80)[1]
    lines.arrange(split=False, whole=False)
    assert laid_out(lines, 200)[1:] == ["1   - old", "  1 + new"]
    lines.arrange(split=None, whole=False)
    assert "│" in laid_out(lines, 200)[1]


@pytest.mark.parametrize("old", [None, ""])
def test_a_new_file(old: str | None) -> None:
    assert unified(old, "a\n") == ["/src/app.py  new file  +1 −0", "  1 + a"]


def test_a_deleted_file() -> None:
    assert unified("a\n", "") == ["/src/app.py  deleted  +0 −1", "1   - a"]


def test_a_question_does_not_say_whether_a_file_is_deleted_or_emptied() -> None:
    head, *_ = laid_out(DiffLines(diff("a\n", ""), judged=True), 80)
    assert head == "/src/app.py  no text left  +0 −1"


def test_nothing_changed() -> None:
    assert unified("a\n", "a\n")[0] == "/src/app.py  no changes"
    assert unified(None, "") == ["/src/app.py  new file  empty"]


def test_binary_content_is_not_shown() -> None:
    assert unified("\0\1", "\0" * 1000, 120) == [
        "/src/app.py  binary, not shown: 2 → 1,000 characters"
    ]


def test_a_missing_newline_at_the_end_is_a_change() -> None:
    assert unified("a\nb\n", "a\nb")[2:] == [
        "2   - b",
        "  2 + b",
        "    \\ No newline at end of file",
    ]


def test_a_newline_that_both_miss_is_no_news() -> None:
    assert unified("a\nb", "A\nb")[3:] == ["2 2   b"]


def test_a_new_file_is_never_shown_side_by_side() -> None:
    created = DiffLines(Diff(path="/a.txt", new_text="one\ntwo\n"))
    changed = DiffLines(Diff(path="/a.txt", old_text="one\n", new_text="two\n"))
    for lines in (created, changed):
        lines.lay_out(200, inf)
    assert (created.split, changed.split) == (False, True)


def test_changed_words_are_marked() -> None:
    lines = DiffLines(diff("total = price * count\n", "total = price * amount\n"))
    laid_out(lines, 60)
    assert styles_of(lines, 1, "count")[0].bgcolor == PALETTE["diff.removed.word"].bgcolor
    assert styles_of(lines, 2, "amount")[0].bgcolor == PALETTE["diff.added.word"].bgcolor
    assert styles_of(lines, 2, "price")[0].bgcolor == PALETTE["diff.added"].bgcolor


def test_lines_that_have_little_in_common_get_no_marks() -> None:
    assert find_changed_words("return None", "while x < 3:") == ([], [])


def test_marks_name_the_characters_that_differ() -> None:
    assert find_changed_words("see the cat run", "see the dog run") == ([(8, 11)], [(8, 11)])


def test_marks_name_single_characters_where_words_have_no_spaces() -> None:
    assert find_changed_words("今日は天気がいい", "今日は電気がいい") == ([(3, 4)], [(3, 4)])


def test_code_is_colored_by_the_name_of_the_file() -> None:
    code = "def f():\n    return 1\n"
    lines = DiffLines(diff(code, code + "# more\n"))
    laid_out(lines, 60)
    assert styles_of(lines, 2, "return")[0].color == PALETTE["token.keyword"].color
    prose = DiffLines(diff(None, "def f():\n    return 1\n", "/notes"))
    laid_out(prose, 60)
    assert styles_of(prose, 2, "return")[0].color == PALETTE["diff.added"].color


@pytest.mark.parametrize("theme", sorted(set(BUILTIN_THEMES) - {"ansi-dark", "ansi-light"}))
def test_code_stays_readable_in_every_theme(theme: str) -> None:
    variables = BUILTIN_THEMES[theme].to_color_system().generate()
    palette = Palette.from_variables(variables, BUILTIN_THEMES[theme].dark)
    code = "@a\ndef f(x: int) -> str:  # why\n    raise ValueError(f'{x}\\n', 12, None)\n"
    lines = DiffLines(diff(code, code.replace("x", "number")))
    laid_out(lines, 80)
    for y in range(1, lines.height):
        for segment in lines.strip(y, palette):
            style = segment.style
            if style and style.bgcolor and style.color and segment.text.strip():
                on, color = Color.from_rich_color(style.bgcolor), Color.from_rich_color(style.color)
                assert contrast.contrast_of(color.rgb, on.rgb) >= contrast.TEXT, segment.text


def test_a_text_of_several_lines_is_colored_as_one() -> None:
    code = '"""Begin\n' + "middle\n" * 10 + 'end"""\nreturn_ = 1\n'
    lines = DiffLines(diff(code, code.replace("return_", "returned")))
    texts = laid_out(lines, 60)
    y = next(y for y, text in enumerate(texts) if "middle" in text)
    assert styles_of(lines, y, "middle")[0].color == PALETTE["token.literal.string"].color


def test_without_background_colors_the_color_tells_added_from_removed() -> None:
    lines = DiffLines(diff("import a\n", "import bbb, ccc, ddd\n"))
    laid_out(lines, 60)
    assert styles_of(lines, 1, "import", ANSI)[0].color == ANSI["diff.removed"].color
    assert styles_of(lines, 2, "import", ANSI)[0].color == ANSI["diff.added"].color


def test_long_lines_wrap_to_rows_that_are_told_from_lines() -> None:
    assert unified(None, "x" * 70 + "\n", width=40)[1:] == ["1 + " + "x" * 36, "  ↪ " + "x" * 34]
    lines = DiffLines(diff("a\n", "x" * 70 + "\n"))
    lines.arrange(split=True, whole=False)
    sides = [row.split(" │ ")[1].rstrip() for row in laid_out(lines, 83)[1:]]
    assert sides == ["1 + " + "x" * 36, "  ↪ " + "x" * 34]


def test_a_wrapped_line_goes_on_below_its_own_indentation() -> None:
    rows = unified(None, "    " + "x" * 60 + "\n", width=40)[1:]
    assert rows == ["1 + " + "    " + "x" * 32, "  ↪ " + "    " + "x" * 28]
    rows = unified(None, " " * 32 + "x" * 20 + "\n", width=40)[1:]
    assert rows == ["1 +", "  ↪ " + " " * 12 + "x" * 20], "room is left"


def test_without_a_head_the_lines_begin_at_the_top() -> None:
    lines = DiffLines(diff("a\nb\n", "a\nc\n"), head=False)
    assert laid_out(lines, 60) == ["1 1   a", "2   - b", "  2 + c"]
    assert lines.source(0, 2) == " a\n-b\n+c"
    [place] = lines.places_at(1)
    assert (place.sign, place.text) == ("-", "b")
    assert lines.change_rows() == [(1, 2)]


def test_wide_characters_are_not_cut() -> None:
    assert unified(None, "漢字" * 10 + "\n", width=25)[1:] == [
        "1 + 漢字漢字漢字漢字漢字",
        "  ↪ 漢字漢字漢字漢字漢字",
    ]


def test_what_hides_in_escapes_is_seen() -> None:
    assert unified(None, "ok \x1b]0;rm -rf /\x07\x9b8m\n")[1:] == ["  1 + ok ␛]0;rm -rf /␇\ufffd8m"]


def test_changed_line_ends_are_seen() -> None:
    assert unified("a\r\nb\r\n", "a\r\nb\n")[1:] == ["1 1   a␍", "2   - b␍", "  2 + b"]
    assert unified("a\n", "a\r\n")[1:] == ["1   - a", "  1 + a␍"]


def test_line_ends_that_are_all_the_same_are_not_shown() -> None:
    assert unified("a\r\nb\r\n", "a\r\nc\r\n")[1:] == ["1 1   a", "2   - b", "  2 + c"]


def test_changed_spaces_at_the_end_are_seen_but_not_copied() -> None:
    lines = DiffLines(diff("a = 1\n", "a = 1  \n"))
    assert laid_out(lines, 60)[1:] == ["1   - a = 1", "  1 + a = 1··"]
    assert lines.strip(2, PALETTE).text.rstrip() == "  1 + a = 1··"
    assert lines.source(1, 2) == "-a = 1\n+a = 1  "
    assert unified("a  \n", "b  \n")[1:] == ["1   - a", "  1 + b"]


def test_the_source_is_a_patch_without_wraps_and_numbers() -> None:
    lines = DiffLines(diff("a\nb\n", "a\n" + "x" * 100))
    height = len(laid_out(lines, 40))
    assert lines.source(0, height - 1).split("\n") == [
        "--- /src/app.py",
        "+++ /src/app.py",
        " a",
        "-b",
        "+" + "x" * 100,
        "\\ No newline at end of file",
    ]


def test_the_source_is_the_same_side_by_side() -> None:
    change = diff(NUMBERS, NUMBERS.replace("line 20\n", "line twenty\n"))
    lines = DiffLines(change)
    lines.arrange(split=True, whole=False)
    height = len(laid_out(lines, 120))
    text = lines.source(0, height - 1).split("\n")
    assert text[2:4] == ["⋯ 16 unchanged lines", " line 17"]
    assert text[6:8] == ["-line 20", "+line twenty"]


def test_a_long_path_keeps_its_end() -> None:
    path = "/very/long/path/to/some/file.py"
    assert unified("a\n", "b\n", 21, path)[0] == "…/some/file.py  +1 −1"


def test_counts_for_the_folded_line() -> None:
    assert count_changes(diff("a\nb\nc\n", "a\nB\nc\nd\n")) == (2, 1)
    assert count_changes(diff(None, "a\nb")) == (2, 0)
    old = "".join(f"{n}\n" for n in range(5000))
    assert count_changes(diff(old, old.replace("77\n", "x\n") + "more\n")) == (51, 50)


@settings(deadline=None)
@given(TEXT, TEXT, st.integers(20, 130))
def test_any_text_at_any_width(old: str, new: str, width: int) -> None:
    lines = DiffLines(diff(old, new))
    drawn = laid_out(lines, width)
    assert len(drawn) == lines.height
    again = DiffLines(diff(old, new))
    laid_out(again, 77)
    assert laid_out(again, width) == drawn


@pytest.mark.slow
def test_fifty_thousand_changed_lines_hold_nobody_up() -> None:
    old = "".join(f"value_{n} = compute({n})\n" for n in range(50_000))
    lines = DiffLines(diff(old, old.replace("compute", "calculate")))
    assert_little_at_once(lines, 100)
    assert lines.plain(0) == "/src/app.py  +50,000 −50,000"
    assert lines.plain(100_000).endswith("+ value_49999 = calculate(49999)")
    strip = lines.strip(50_001, PALETTE)
    assert strip.text.startswith("          1 + value_0")


@pytest.mark.slow
def test_a_line_of_twelve_megabytes_is_shortened() -> None:
    lines = DiffLines(diff("x" * 12_000_000, "y" * 12_000_000, "/data.js"))
    assert_little_taken(DiffLines(diff("x" * 12_000_000, "y" * 12_000_000, "/data.js")), 100)
    assert_little_at_once(lines, 100)
    assert any("… 11,996,000 more characters" in line for line in laid_out(lines, 100))


def test_colors_never_come_between_joined_emoji() -> None:
    lines = DiffLines(diff(None, "x = 👩\u200d💻\n"))
    laid_out(lines, 60)
    assert styles_of(lines, 1, "👩\u200d💻")
