"""A Markdown text as it is drawn, copied and laid out again."""

from time import perf_counter

import pytest
from rich.style import Style
from textual.strip import Strip

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.cells import code_breaks
from acp_tui.ui.markdown.document import MarkdownDocument
from tests.examples import parametrize

PALETTE = Palette.from_variables({})
FOREVER = 60.0


def document_of(text: str, width: int = 40) -> MarkdownDocument:
    document = MarkdownDocument(text)
    document.finish()
    assert document.lay_out(width, perf_counter() + FOREVER)
    return document


def lines_of(text: str, width: int = 40) -> list[str]:
    document = document_of(text, width)
    return [document.plain(y).rstrip() for y in range(document.height)]


def style_of(strip: Strip, text: str) -> Style:
    style = next(segment.style for segment in strip if text in segment.text)
    assert style is not None
    return style


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("# One\nTwo\n\n\n\nThree", ["One", "", "Two", "", "Three"]),
        ("- a\n- b\n  - c\n    - d\n", ["• a", "• b", "  ◦ c", "    ▪ d"]),
        ("- a\n\n- b", ["• a", "", "• b"]),
        ("9. nine\n9. ten\n\n   more", ["9. nine", "10. ten", "", "    more"]),
        ("- a\n  ```\n  b\n  ```\n  ```\n  c\n  ```", ["• a", "   b", "", "   c"]),
        ("- a\n\n      b\n  ```\n  c\n  ```", ["• a", "", "   b", "", "   c"]),
        ("- [ ] open\n- [x] done", ["☐ open", "☑ done"]),
        ("1. [ ] open\n2. [x] done", ["1. ☐ open", "2. ☑ done"]),
        ("-\n- b", ["•", "• b"]),
        ("> a\n>\n> - b", ["▌ a", "▌", "▌ • b"]),
        ("a  \nb\\\nc\nd", ["a", "b", "c d"]),
        ("a\n\n---", ["a", "", "─" * 40]),
        ("<div>\n*x*\n</div>", ["<div>", "*x*", "</div>"]),
        ("<b>x</b> &amp; \\*y\\*", ["<b>x</b> & *y*"]),
        (r"\(x\,y\) \{a\;b\: c\} \[do\] \.", [r"\(x\,y\) \{a\;b\: c\} [do] ."]),
        (r"[a](/b\)c) `\,`", [r"a \,"]),
        ("> [!WARNING]\n> careful", ["▌ Warning", "▌ careful"]),
        ("> [!note]  \n>\n> - a", ["▌ Note", "▌", "▌ • a"]),
        ("> [!TIP]\n\nb\n\n> [!CAUTION]\n> c", ["▌ Tip", "", "b", "", "▌ Caution", "▌ c"]),
        ("> [!IMPORTANT] a", ["▌ [!IMPORTANT] a"]),
        ("> [!OTHER]\n> a", ["▌ [!OTHER] a"]),
        ("> a\n> [!NOTE]\n>\n> [!NOTE]", ["▌ a [!NOTE]", "▌", "▌ [!NOTE]"]),
        ("[!NOTE]\na", ["[!NOTE] a"]),
        ("![alt](http://x.org/a.png)", ["🖼 alt (http://x.org/a.png)"]),
        ("a[^n] b[^none]\n\n[^n]: note\n", ["a[^n] b[^none]", "", "─" * 12, "[^n] note"]),
        ("a[^1]\n\n[^1]: note\n", ["a[1]", "", "─" * 12, "[1] note"]),
        ("[a][b] [c] d[0][1] [2][3]", ["a [c] d[0][1] [2][3]"]),
        ("[a][b] [c] [d][]\n\n[b]: /b\n[c]: /c\n[d]: /d", ["a [c] d"]),
        ("![a][b] [c](x y) ![d]\n\n[b]: http://x.org/b.png", ["🖼 a [c](x y) ![d]"]),
        ("```\na\n\nb\n```", [" a", "", " b"]),
        ("```sh\n```", [" sh"]),
        ("    a\n      b", [" a", "   b"]),
        ("a\x1b[31mb\x1b]0;title\x07c\u202ed", ["abc\ufffdd"]),
    ],
)  # fmt: skip
def test_each_construct_is_drawn_as_a_reader_expects(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines


@pytest.mark.parametrize(
    "formula",
    [
        r"\[y\]",
        r"\[x_1 + x_2\]",
        r"\[ E = mc^2 \]",
        r"\[F = ma\]",
        r"\[\frac{a}{b}\]",
        r"\(x\) and \(a * b * c\)",
        r"\(\alpha_1 \_ \% \{y\}\)",
        r"$$\int_0^1 x\,dx$$",
        r"$\left\{ a \\ b \right\}$",
        r"$a_1 * b_1 * c$",
    ],
)
def test_a_formula_is_shown_as_it_was_written(formula: str) -> None:
    assert lines_of(f"so {formula} holds", 60) == [f"so {formula} holds"]


def test_a_formula_of_several_lines_stays_one() -> None:
    assert lines_of("\\[\na_1 = \\frac{b}{c}\n\\]", 60) == [r"\[ a_1 = \frac{b}{c} \]"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"\[WARNING\] careful", "[WARNING] careful"),
        (r"\[x\] done", "[x] done"),
        (r"\[ \] todo", "[ ] todo"),
        (r"see \[1\] and list\[i\]", "see [1] and list[i]"),
        (r"\[text\](/url)", "[text](/url)"),
        (r"\[y\](/url)", "[y](/url)"),
        (r"run it with \[--flag=value\]", "run it with [--flag=value]"),
        (r"a \[bracket", "a [bracket"),
        (r"\* not list \_ \# \`", "* not list _ # `"),
        ("it costs $5, *not* $10", "it costs $5, not $10"),
        ("$HOME and *this* $PATH", "$HOME and this $PATH"),
    ],
)
def test_what_is_escaped_and_no_formula_loses_its_backslashes(text: str, shown: str) -> None:
    assert lines_of(text, 60) == [shown]


def test_a_table_is_aligned_inside_its_borders() -> None:
    assert lines_of("| a | b | c |\n|---|--:|:-:|\n| one | 2 | x |\n| 1 | 222 | a\\|b |") == [
        "┌─────┬─────┬─────┐",
        "│ a   │   b │  c  │",
        "├─────┼─────┼─────┤",
        "│ one │   2 │  x  │",
        "│ 1   │ 222 │ a|b │",
        "└─────┴─────┴─────┘",
    ]


def test_a_row_that_wraps_stands_between_rules() -> None:
    assert lines_of(
        "| a | b |\n|--|--|\n| 1 | x |\n| 2 | some words |\n| 3 | y |\n| 4 | z |", 14
    ) == [
        "┌───┬────────┐",
        "│ a │ b      │",
        "├───┼────────┤",
        "│ 1 │ x      │",
        "├───┼────────┤",
        "│ 2 │ some   │",
        "│   │ words  │",
        "├───┼────────┤",
        "│ 3 │ y      │",
        "│ 4 │ z      │",
        "└───┴────────┘",
    ]


@pytest.mark.parametrize("width", [12, 20, 30, 80])
def test_a_table_is_never_wider_than_the_screen(width: int) -> None:
    text = "| name | what it does |\n|---|---|\n| walk | one step after the other |\n"
    lines = lines_of(text, width)
    assert max(map(len, lines)) <= width
    assert "walk" in " ".join(lines)


def test_a_table_that_has_no_room_turns_into_records() -> None:
    lines = lines_of("| a | b | c | d |\n|---|---|---|---|\n| wwwww | xxxxx | yyyyy | zzzzz |", 16)
    assert lines[:4] == ["a: wwwww", "b: xxxxx", "c: yyyyy", "d: zzzzz"]


def test_all_rows_of_a_long_table_stay_in_its_columns() -> None:
    rows = "".join(f"| {n} | row {n} |\n" for n in range(1000))
    lines = lines_of("| n | name |\n|--:|---|\n" + rows, 60)
    assert len(lines) == 1004
    assert {len(line) for line in lines} == {len(lines[0])}


def test_code_is_copied_exactly_however_it_is_drawn() -> None:
    code = "".join(f"\tline {n} " + "x" * (n % 90) + "\n" for n in range(200)) + "\n"
    document = document_of(f"text\n\n> - ```py\n{_indented(code)}>   ```\n\nend", 30)
    assert document.code_block_at(0) is None
    assert document.code_block_at(5) == code
    assert document.code_block_at(document.height - 3) == code


def _indented(code: str) -> str:
    return "".join(f">   {line}" for line in code.splitlines(keepends=True))


def test_a_long_code_line_goes_on_behind_a_mark() -> None:
    assert lines_of("```\n" + "0123456789" * 3 + "\n```", 22) == [
        " " + "0123456789" * 2,
        " ↪ 0123456789",
    ]


@pytest.mark.parametrize(
    ("code", "rows"),
    [
        ("call(first_name, last_name)", ["call(first_name, ", "last_name)"]),
        ("本 call(first_name, 本last)", ["本 call(first_name, ", "本last)"]),
        ("a_name_that_is_longer_than_half", ["a_name_that_is_longe", "r_than_half"]),
        ("本_a_name_that_is_longer_than_half", ["本_a_name_that_is_lo", "nger_than_half"]),
        (r'"text": "one two to\nthree"', ['"text": "one two to', r'\nthree"']),
        (r'"text": "one two 本\nthree"', ['"text": "one two 本', r'\nthree"']),
        (r'"text": "C:\\oneone\\two"', [r'"text": "C:\\oneone', r'\\two"']),
    ],
)
def test_names_and_escapes_in_code_are_not_torn_apart(code: str, rows: list[str]) -> None:
    assert [code[start:end] for start, end in code_breaks(code, 20)] == rows


@pytest.mark.parametrize("ansi", [False, True])
def test_levels_of_headings_differ_also_without_colors(ansi: bool) -> None:
    palette = Palette.from_variables({}, True, ansi)
    styles = [palette[f"heading{level}"] for level in range(1, 7)]
    assert len({(one.bold, one.italic, one.underline) for one in styles}) == 6


def test_links_open_only_what_is_safe_to_open() -> None:
    text = "[a](https://x.org) [b](javascript:alert) [c](file:///tmp/x) https://y.org/a_b, end"
    strip = document_of(text, 80).strip(0, PALETTE)
    assert style_of(strip, "a").link == "https://x.org"
    assert style_of(strip, "a").meta == {"link": "https://x.org"}
    assert style_of(strip, "b").link is None
    assert style_of(strip, "c").link == "file:///tmp/x"
    assert style_of(strip, "y.org").link == "https://y.org/a_b"


def test_a_definition_gives_text_above_its_target_and_changes_nothing_to_read() -> None:
    document = MarkdownDocument("see [the guide][g], [the guide] and [^1]\n\n")
    document.lay_out(40, perf_counter() + FOREVER)
    before = document.plain(0)
    assert before == "see the guide, [the guide] and [1]"
    document.append("[The Guide]: https://x.org\n[g]: https://y.org\n\n[^1]: note\n")
    document.finish()
    document.lay_out(40, perf_counter() + FOREVER)
    assert document.plain(0) == before
    links = [segment.style.link for segment in document.strip(0, PALETTE) if segment.style]
    assert [link for link in links if link] == ["https://y.org", "https://x.org"]


@pytest.mark.parametrize(
    "text",
    [
        "👩‍👩‍👧‍👦" * 30,
        "🇩🇪" * 30,
        "e\u0301" * 90,
        "漢字" * 40,
        "👍🏽" * 40,
        "❤️" * 40,
        "שלום עולם " * 9,
    ],
)
@pytest.mark.parametrize("width", [2, 9, 40])
def test_characters_that_belong_together_stay_together(text: str, width: int) -> None:
    document = document_of(text, width)
    strips = [document.strip(y, PALETTE) for y in range(document.height)]
    assert all(strip.cell_length == Strip(list(strip)).cell_length <= width for strip in strips)
    drawn = [strip.text for strip in strips]
    assert "".join(drawn).replace(" ", "") == text.replace(" ", "")
    assert not any(line[0] in "\u200d\u0301\ufe0f\U0001f3fd" for line in drawn)
    assert all(line.count("\U0001f1e9") == line.count("\U0001f1ea") for line in drawn)


def test_code_is_colored_by_its_language() -> None:
    document = document_of("```python\ndef f(): pass\n```\n\n```nolanguage\ndef f\n```")
    keyword = style_of(document.strip(1, PALETTE), "def")
    assert keyword.color == PALETTE["token.keyword"].color
    assert style_of(document.strip(4, PALETTE), "def").color == PALETTE["code.block"].color


def test_source_is_the_markdown_of_the_blocks() -> None:
    document = document_of("# One\n\n- **a**\n- b\n\n```py\nx\n```\n")
    assert document.source(0, 0).strip() == "# One"
    assert document.source(2, 2).strip() == "- **a**"
    assert document.source(2, 6).strip() == "- **a**\n- b\n\n```py\nx\n```"


def test_a_new_width_is_laid_out_in_slices() -> None:
    document = document_of("some words that wrap at a narrow width\n\n" * 2000, 80)
    assert document.height == 3999
    slices = 1
    while not document.lay_out(20, perf_counter() + 0.002):
        slices += 1
        assert document.strip(document.height - 1, PALETTE).cell_length <= 20
    assert slices > 1
    assert document.height == 5999


def test_a_flood_is_taken_in_slices() -> None:
    document = MarkdownDocument("a paragraph with **bold** text\n\n" * 1500)
    slices, height = 1, 0
    while not document.lay_out(40, perf_counter() + 0.002):
        slices += 1
        assert document.height > height
        height = document.height
    assert slices > 3
    assert document.height == 2999


HUGE = {
    "paragraph": "word *and* word " * 8_000,
    "line": "x" * 120_000,
    "brackets": "[" * 20_000,
    "stars": "*a **b " * 4_000,
    "quote": "> quote\n" * 20_000,
    "list": "- item\n" * 10_000,
    "line of code": "```\n" + "x" * 300_000 + "\n```",
    "table": "| a |\n|---|\n" + "| b |\n" * 5_000,
    "heading": "# " + "*x " * 20_000,
    "definitions": "[a]: b\n" * 3_000,
    "quotes in quotes": ">" * 5_000 + "x",
    "ticks": "`a" * 20_000,
}


@parametrize(2, "name", HUGE)
def test_one_huge_block_is_laid_out_piece_by_piece(name: str) -> None:
    document, most = MarkdownDocument(HUGE[name] + "\n\nend"), 0
    document.finish()
    done = False
    while not done:
        before = document.height
        done = document.lay_out(40, 0.0)
        most = max(most, document.height - before)
    assert document.plain(document.height - 1) == "end"
    assert most <= 1000


@pytest.mark.parametrize("ansi", [False, True])
def test_no_heading_is_dressed_like_a_link(ansi: bool) -> None:
    palette = Palette.from_variables({"primary": "#1782d5"}, True, ansi)
    link = palette["link"]
    for level in range(1, 7):
        heading = palette[f"heading{level}"]
        assert (heading.color, bool(heading.underline)) != (link.color, bool(link.underline))
