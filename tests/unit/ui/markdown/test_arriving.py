"""A construct that has arrived by half: what is shown of it, character by character."""

from itertools import pairwise
from time import perf_counter

import pytest

from acp_tui.ui.markdown.document import MarkdownDocument

FOREVER = 60.0


def frames(text: str, width: int = 40) -> list[list[str]]:
    """The lines that are on screen after each character."""
    document, seen = MarkdownDocument(), []
    for char in text:
        document.append(char)
        assert document.lay_out(width, perf_counter() + FOREVER)
        seen.append([document.plain(y) for y in range(document.height)])
    return seen


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("a **bold** word", "*"),
        ("**bold**", "*"),
        ("***both*** ends", "*"),
        ("**bold with *nested* in it** end", "*"),
        ("an *emphasis* word", "*"),
        ("a ~~gone~~ word", "~"),
        ("some `code` here", "`"),
        ("some ``a ` b`` here", "``"),
        ("see [the guide](https://example.org/a_b) now", "["),
        ("see [the guide](https://example.org/a_b) now", "("),
        ("see [**the** guide](https://x.org 'title') now", "("),
        ("a <https://example.org> link", "<"),
        ("an ![image](http://x.org/a.png) here", "!"),
        ("# Heading\n\ntext", "#"),
        ("###### Heading", "#"),
        ("Title\n=====\n\ntext", "="),
        ("Title\n-----\n\ntext", "-"),
        ("- item\n- other", "-"),
        ("* item\n* other", "*"),
        ("- [ ] open\n- [x] done", "["),
        ("- [ ] open\n- [x] done", "]"),
        ("> quote\n> more", ">"),
        ("> - item\n> - other", "-"),
        ("```python\ncode()\n```\n", "`"),
        ("~~~\ncode()\n~~~\n", "~"),
        ("- item\n\n  ```python\n  code()\n  ```\n", "`"),
        ("> ```\n> code()\n> ```\n", "`"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", "|"),
        ("text\n\n---\n\nmore", "-"),
        ("text\n\n***\n\nmore", "*"),
        ("[ref]: https://example.org\n\ntext", "["),
        ("[^1]: note", "^"),
    ],
)
def test_no_raw_mark_is_ever_shown(text: str, never: str) -> None:
    for index, lines in enumerate(frames(text)):
        assert never not in "".join(lines), text[: index + 1]


@pytest.mark.parametrize(
    "text",
    [
        "# Heading\n\nSome **bold text that wraps** and `code that wraps too` in a line\n\n- item\n",
        "text\n```python\ndef f():\n    return 1\n```\nmore text\n",
        "1. one\n2. two\n   - nested\n   - other\n3. three\n\nend\n",
        "| name | value |\n|:-----|------:|\n| a | 1 |\n| longer name | 22 |\n\nend",
        "> quoted text that is long enough to wrap\n> - item\n>\n> end\n",
        "Title\n=====\n\nOther\n-----\n\ntext\n\n---\n\nend",
        "see [a long link text](https://example.org/with/a/long/address/that/wraps) end",
        "<div>\n<b>html</b>\n</div>\n\ntext",
        "- [ ] open task\n- [x] done task\n",
        "1. [ ] open task\n2. [x] done task\n",
    ],
)
@pytest.mark.parametrize("width", [20, 80])
def test_heights_only_grow_while_text_arrives(text: str, width: int) -> None:
    heights = [len(lines) for lines in frames(text, width)]
    assert all(after >= before - 1 for before, after in pairwise(heights))
    assert sum(before > after for before, after in pairwise(heights)) <= 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a **bo", "a bo"),
        ("a **", "a"),
        ("a `co", "a co"),
        ("a `", "a"),
        ("see [the gui", "see"),
        ("see [the guide](htt", "see"),
        ("see [the guide](http://x.org) n", "see the guide n"),
        ("see [the guide](not a link", "see [the guide](not a link"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("snake_case_name", "snake_case_name"),
        ("item [1] of", "item [1] of"),
        ("a \\", "a"),
        ("half \\*not bold\\* te", "half *not bold* te"),
    ],
)
def test_half_of_a_line_reads_as_the_whole_will(text: str, shown: str) -> None:
    assert [line.rstrip() for line in frames(text)[-1]] == [shown]


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("n5*3 b", ["n", "n5", "n5*", "n5*3", "n5*3 b"]),
        ("n2**8", ["n", "n2", "n2*", "n2**", "n2**8"]),
        ("中**文**", ["中", "中文"]),
        ("(*a*)", ["(", "(a", "(a)"]),
        ("a ![im](p) b", ["a", "a 🖼 im (p)", "a 🖼 im (p) b"]),
        ("a[^1] b", ["a", "a[1] b"]),
        ("R&amp;D", ["R", "R&", "R&D"]),
        ("**&lt;** b", ["<", "< b"]),
        ("a && b", ["a", "a &", "a && b"]),
        ("- [x] a", ["☑ a"]),
        ("- [ ] a", ["☐ a"]),
        ("a [b][c] d", ["a", "a b d"]),
        ("a [b] d", ["a", "a [b] d"]),
        ("a [1](http://x.org) d", ["a", "a 1", "a 1 d"]),
        ("a [1](b c) d", ["a", "a [1](b c", "a [1](b c)", "a [1](b c) d"]),
        ("a [**b** c](http://x.org) d", ["a", "a b c", "a b c d"]),
        ("[b](http://x.org) d", ["b", "b d"]),
        ("[b]: http://x.org\n[c]: http://y.org\n", []),
    ],
)
def test_nothing_is_shown_to_be_taken_back(text: str, states: list[str]) -> None:
    seen = dict.fromkeys("".join(lines).rstrip() for lines in frames(text))
    seen.pop("", None)
    assert list(seen) == states


def test_what_looks_like_the_start_of_an_image_is_not_held_for_ever() -> None:
    assert "the end" in "".join(frames("a ![" + "word " * 100 + "the end")[-1])


@pytest.mark.parametrize(
    "mark", ["-", "*", "+", "#", "##", "1", "1.", "12)", ">", "`", "```", "|", "=", "~~~"]
)
def test_a_bare_mark_at_the_end_is_held_back(mark: str) -> None:
    assert frames("text\n\n" + mark)[-1] == ["text"]


def test_an_open_fence_is_code_from_its_first_line() -> None:
    lines = frames("```python\nx = [1")[-1]
    assert [line.rstrip() for line in lines] == [" python", " x = [1"]


def test_the_end_of_a_fence_is_not_shown_as_code() -> None:
    assert all("`" not in "".join(lines) for lines in frames("```\ncode\n```"))


def test_a_table_row_grows_inside_the_table_by_whole_cells() -> None:
    lines = frames("| a | b |\n|---|---|\n| one | tw")[-1]
    assert lines[-2] == "│ one │   │"
    assert lines[-1] == "└─────┴───┘"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("above\na | b", ["above a"]),
        ("a | b\n- |", ["a"]),
        ("a | b\nc", ["a | b c"]),
        ("use `x | y` now", ["use `x | y` now".replace("`", "")]),
        ("a \\| b", ["a | b"]),
    ],
)
def test_a_line_that_may_be_the_header_of_a_table_waits_for_the_next(
    text: str, shown: list[str]
) -> None:
    assert frames(text)[-1] == shown


@pytest.mark.parametrize(
    ("cell", "never"),
    [
        ("two **bold** end", "*"),
        ("an *emphasis* word", "*"),
        ("some `code` here", "`"),
        ("some `a \\| b` here", "`"),
        ("see [the guide](http://x.org/a) now", "["),
        ("see [the guide](http://x.org/a) now", "http"),
        ("a \\* b", "\\"),
    ],
)
def test_a_cell_shows_no_half_of_a_mark(cell: str, never: str) -> None:
    for lines in frames("| a | b |\n|---|---|\n| one | " + cell + " |\n"):
        assert never not in "".join(lines), lines


def test_a_cell_that_is_whole_keeps_its_marks() -> None:
    lines = frames("| a | b |\n|---|---|\n| 2 ** | *x | y")[-1]
    assert lines[3] == "│ 2 ** │ *x │"


@pytest.mark.parametrize("mark", ["#", "###"])
def test_a_heading_shows_no_half_of_a_mark(mark: str) -> None:
    for lines in frames(mark + " Head *em* and `code` and [link](http://x.org)\n\ntext"):
        assert not set("*`[(") & set("".join(lines)), lines


def test_what_was_held_back_is_shown_when_the_text_ends() -> None:
    for text in ("-", "#", "1.", "a `", "[te", "**", "a **b", "| a |", "```"):
        document = MarkdownDocument(text)
        document.finish()
        document.lay_out(40, perf_counter() + FOREVER)
        assert document.height >= 1, text
    document = MarkdownDocument("a **b and [c](d")
    document.finish()
    document.lay_out(40, perf_counter() + FOREVER)
    assert document.plain(0) == "a **b and [c](d"
