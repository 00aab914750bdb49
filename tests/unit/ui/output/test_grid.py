"""What is written shows what is wanted, whatever was there before, and little is written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from acp_tui.ui.output.cell_styles import Pens
from acp_tui.ui.output.flow_control import MOST
from acp_tui.ui.output.grid import Grid
from tests.examples import some_of
from tests.unit.ui.output.eyes import CONSOLE, Eyes, difference

WIDTH, HEIGHT = 30, 12
WORDS = ["", " ", "   ", "word", "─│ ", "日本", "e\u0301", "a very long line", "😀", "→ é ✓", "ß"]
LOOKS = [
    "none", "bold", "dim italic", "underline red", "reverse", "strike #101112 on #202122", "blink",
    "on #14161b", "#d5d9e2 on #14161b", "bold #82aaf0 on #14161b", "color(9) on color(200)",
    "#d5d9e2 on #14161b link https://example.com/1", "underline link https://example.com/2",
    "overline", "frame", "conceal", "underline2", "default on default",
]  # fmt: skip
STYLES = [None, *map(Style.parse, LOOKS)]


@st.composite
def lines(draw: st.DrawFn) -> Strip:
    pieces = draw(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(STYLES)), max_size=6))
    strip = Strip([Segment(text, style) for text, style in pieces])
    return strip.adjust_cell_length(WIDTH, draw(st.sampled_from(STYLES)))


def full(*rows: str, style: Style | None = None) -> list[Strip]:
    """A screen with these rows, and blank ones below."""
    whole = [*rows, *[""] * (HEIGHT - len(rows))]
    return [Strip([Segment(row.ljust(WIDTH), style)]) for row in whole]


def put(grid: Grid, strips: list[Strip]) -> None:
    for y, strip in enumerate(strips):
        grid.put(0, y, [strip], CONSOLE)


def shown(*, erases_in_color: bool = True) -> tuple[Grid, Eyes]:
    grid = Grid(erases_in_color=erases_in_color)
    grid.resize(WIDTH, HEIGHT)
    return grid, Eyes(WIDTH, HEIGHT)


@pytest.mark.slow
@settings(max_examples=some_of(100), deadline=None)
@given(
    screen=st.lists(lines(), min_size=HEIGHT, max_size=HEIGHT),
    steps=st.lists(
        st.one_of(
            st.tuples(st.just("put"), st.integers(0, HEIGHT - 1), lines()),
            st.tuples(st.just("scroll"), st.integers(-4, 4), st.lists(lines(), max_size=4)),
            st.tuples(st.just("frame"), st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1)),
            st.tuples(st.just("forget"), st.just(0), st.just(0)),
        ),
        max_size=12,
    ),
    erases=st.booleans(),
)
def test_the_terminal_shows_what_textual_would_have_it_show(
    screen: list[Strip], steps: list[tuple], erases: bool
) -> None:
    grid, ours = shown(erases_in_color=erases)
    put(grid, screen)
    for what, number, value in [*steps, ("frame", 3, 3)]:
        if what == "put":
            screen[number] = value
        elif what == "scroll":
            rows = screen[2 + max(number, 0) : -1 + min(number, 0) or None]
            new = (value * 5)[: abs(number)]
            screen[2 : 2 + len(rows) + len(new)] = [*rows, *new] if number > 0 else [*new, *rows]
            screen = screen[:HEIGHT]
        elif what == "forget":
            grid.forget()
            ours.feed("\x1b[31mspoiled\x1b[H\x1b[0mwhat was there\x1b[5;5H\x1b[7m")
        put(grid, screen)
        if what == "frame":
            grid.point((number, value))
            ours.feed(grid.frame(MOST))
            theirs = Eyes(WIDTH, HEIGHT)
            for y, strip in enumerate(screen):
                theirs.feed(f"\x1b[{y + 1}H{strip.render(CONSOLE)}")
            assert difference(ours, theirs) == ""
            assert (ours.screen.cursor.x, ours.screen.cursor.y) == (number, value)


BASE = Style.parse("#d5d9e2 on #14161b")


def test_a_key_writes_little_more_than_itself() -> None:
    grid, ours = shown()
    put(grid, full("", "> wor", style=BASE))
    grid.point((5, 1))
    ours.feed(grid.frame(MOST))
    put(grid, full("", "> word", style=BASE))
    grid.point((6, 1))
    assert grid.frame(MOST) == "d"


def test_what_is_the_same_is_not_written_again() -> None:
    grid, _ = shown()
    put(grid, full("all", "of", "it", style=BASE))
    assert "all" in grid.frame(MOST)
    put(grid, full("all", "of", "it", style=BASE))
    assert grid.frame(MOST) == ""


@pytest.mark.parametrize("rows", [1, 3, -1, -3])
def test_rows_that_move_are_moved_by_the_terminal(rows: int) -> None:
    grid, ours = shown()
    words = [f"line {number}, with some words" for number in range(20)]
    put(grid, full(*words[5 : 5 + HEIGHT - 2], "prompt", "status", style=BASE))
    ours.feed(grid.frame(MOST))
    put(grid, full(*words[5 + rows : 5 + rows + HEIGHT - 2], "prompt", "status", style=BASE))
    frame = grid.frame(MOST)
    ours.feed(frame)
    assert [row.strip() for row in ours.rows] == [
        *words[5 + rows :][: HEIGHT - 2],
        "prompt",
        "status",
    ]
    assert len(frame) < 60 + 40 * abs(rows)
    assert "prompt" not in frame


def test_where_erasing_leaves_another_color_blanks_are_written() -> None:
    for erases, sequence in ((True, "\x1b[K"), (False, " " * WIDTH)):
        grid, _ = shown(erases_in_color=erases)
        put(grid, full("x", style=BASE))
        frame = grid.frame(MOST)
        assert sequence in frame
        assert ("\x1b[K" in frame) == erases
    grid, _ = shown(erases_in_color=False)
    put(grid, full("x"))
    assert "\x1b[K" in grid.frame(MOST), "nobody erases the color that all have without any"


@pytest.mark.parametrize("odd", ["\u26a0\ufe0f", "👩\u200d👩\u200d👧", "🛠", "\ue0b0", "न\u094d"])
def test_who_finds_a_character_wider_or_narrower_than_we_shows_all_else_in_its_place(
    odd: str,
) -> None:
    grid, _ = shown()
    put(grid, full(f"one {odd} two", style=BASE))
    before, _, after = grid.frame(MOST).partition(odd)
    assert before.endswith("  \x1b[5G") or Strip([Segment(odd)]).cell_length == 1
    assert after.startswith("\x1b["), "the cursor is put where we think that it is"
    put(grid, full(f"one {odd} too", style=BASE))
    assert odd not in grid.frame(MOST)


def test_no_link_stays_open_and_its_name_is_always_the_same() -> None:
    link = Style.parse("link https://example.com")
    frames = []
    for _ in range(2):
        grid, _ = shown()
        put(grid, full("see it", style=Style.parse("link https://example.com") + link))
        frames.append(grid.frame(MOST))
    assert frames[0] == frames[1]
    assert frames[0].rindex("\x1b]8;;\x1b\\") > frames[0].rindex("https://example.com")


def test_no_half_character_or_mark_of_direction_gets_through() -> None:
    grid = Grid(erases_in_color=True)
    grid.resize(WIDTH, 1)
    put(grid, [Strip([Segment("caf\udce9 a\u202eb\u2066c\u200fd" + "x" * 30)], WIDTH)])
    frame = grid.frame(MOST)
    assert "caf\ufffd abcdx" in frame
    frame.encode()


def test_no_control_character_gets_through() -> None:
    grid, ours = shown()
    put(grid, [Strip([Segment("a\x1b[31mb\x9b2Jc\x07d\be\vf\rg\n" + "x" * 30)], WIDTH)])
    frame = grid.frame(MOST)
    ours.feed(frame)
    assert ours.rows[0].startswith("a[31mb2Jcdefgxxx")


def test_a_wide_character_that_is_half_covered_is_gone() -> None:
    grid, ours = shown()
    put(grid, full("日本語", style=BASE))
    grid.put(1, 0, [Strip([Segment("x")])], CONSOLE)
    grid.put(4, 0, [Strip([Segment("y")])], CONSOLE)
    ours.feed(grid.frame(MOST))
    assert ours.rows[0].startswith(" x本y ")


def test_another_size_is_drawn_anew() -> None:
    grid, _ = shown()
    put(grid, full("all", style=BASE))
    grid.frame(MOST)
    grid.resize(WIDTH + 2, HEIGHT)
    grid.resize(WIDTH, HEIGHT)
    put(grid, full("all", style=BASE))
    assert "all" in grid.frame(MOST)
    grid.put(0, HEIGHT, full("beyond"), CONSOLE)
    assert grid.frame(MOST) == ""


def test_a_frame_that_may_not_be_long_has_the_row_of_the_cursor_first_and_the_rest_follows() -> (
    None
):
    grid, ours = shown()
    rows = [f"row {number} of many" for number in range(HEIGHT)]
    put(grid, full(*rows, style=BASE))
    grid.point((3, 8))
    first = grid.frame(20)
    assert rows[8] in first
    assert rows[0] not in first
    ours.feed(first)
    frames = 1
    while grid.is_stale:
        ours.feed(grid.frame(20))
        frames += 1
    assert frames > 3
    assert [row.strip() for row in ours.rows] == rows


def test_rows_that_move_while_others_wait_get_where_they_belong() -> None:
    grid, ours = shown()
    for at in range(0, 12, 3):
        put(grid, full(*(f"line {number} of it" for number in range(at, at + HEIGHT)), style=BASE))
        ours.feed(grid.frame(40))
    while grid.is_stale:
        ours.feed(grid.frame(40))
    assert [row.strip() for row in ours.rows] == [f"line {at} of it" for at in range(9, 9 + HEIGHT)]


def test_a_block_that_stands_for_a_cursor_takes_no_new_colors() -> None:
    grid, ours = shown()
    block = Style.parse("on #d5d9e2")
    for text in ("> w", "> wo"):
        cells = [
            Segment(text, BASE),
            Segment(" ", block),
            Segment(" " * (WIDTH - len(text) - 1), BASE),
        ]
        put(grid, [Strip(cells), *full(style=BASE)[1:]])
        grid.point((len(text), 0))
        frame = grid.frame(MOST)
        ours.feed(frame)
    assert frame == "\x1b[27mo\x1b[7m \b"
    assert [cell.background for cell in ours.cells()[0][3:6]] == ["14161b", "d5d9e2", "14161b"]


def test_what_has_one_color_is_written_together() -> None:
    grid, _ = shown()
    put(grid, full(style=BASE))
    grid.frame(MOST)
    name, value = Style.parse("#82aaf0 on #14161b"), Style.parse("#8fca8a on #14161b")
    rows = [Strip([Segment(f"name_{n}: ", name), Segment(f"{n}", value)]) for n in range(8)]
    put(grid, rows)
    frame = grid.frame(MOST)
    assert frame.count("38;2;") == 2
    assert len(frame) < sum(row.cell_length for row in rows) + 2 * 20 + 8 * 10 + 10


def test_short_ways_take_a_byte_for_each_step() -> None:
    grid, ours = shown()
    put(grid, full(*["a    |"] * 4, style=BASE))
    ours.feed(grid.frame(MOST))
    put(grid, full("a    !", "b    !", "a    !", "c    !", style=BASE))
    frame = grid.frame(MOST)
    ours.feed(frame)
    assert frame.endswith("!\v\rb    !\v\b!\v\rc    !")
    assert [row.strip() for row in ours.rows[:4]] == ["a    !", "b    !", "a    !", "c    !"]
    put(grid, full("a    !", "b    !", "a    ?", "c    ?", style=BASE))
    grid.point((4, 2))
    ours.feed(grid.frame(MOST))
    assert (ours.screen.cursor.x, ours.screen.cursor.y) == (4, 2)


def test_a_blank_takes_no_color_of_the_text_that_was_there() -> None:
    grid, _ = shown()
    bold = Style.parse("bold #82aaf0 on #14161b")
    put(grid, [Strip([Segment("a  b", bold), Segment(" " * (WIDTH - 4), BASE)])])
    grid.frame(MOST)
    put(grid, [Strip([Segment("a  c", BASE), Segment(" " * (WIDTH - 4), bold)])])
    frame = grid.frame(MOST)
    assert frame.count(" ") <= 2
    assert "\x1b[K" not in frame


def test_rows_that_become_blank_are_erased_without_going_to_where_they_began() -> None:
    grid, ours = shown()
    put(grid, full("{ one", "  a: {", "    b: two", "  }, x", "} end", style=BASE))
    ours.feed(grid.frame(MOST))
    put(grid, full(style=BASE))
    frame = grid.frame(MOST)
    ours.feed(frame)
    assert frame.endswith("\x1b[K\v\x1b[K\v\x1b[K\v\x1b[K\v\x1b[K")
    assert [row.strip() for row in ours.rows] == [""] * HEIGHT


def test_colors_stay_swapped_only_where_that_saves_much() -> None:
    """Behind a cursor no blanks could be erased."""
    pens = Pens()
    looks = ("#d5d9e2 on #14161b", "#14161b on #d5d9e2", "#959dac on #252932")
    text, block, hint = [pens.of(Style.parse(look), CONSOLE) for look in looks]
    assert pens.nearest(text, block) is block.swapped
    assert text.swapped is not None
    assert pens.nearest(text.swapped, hint) is hint


def test_where_nobody_writes_the_cursor_stays_where_it_is() -> None:
    grid = Grid()
    grid.resize(20, 3)
    grid.point((5, 2))
    grid.put(0, 0, [Strip([Segment("tea")])], CONSOLE)
    assert grid.frame(1000).endswith("\x1b[3;6H")
    grid.point(None)
    grid.put(0, 1, [Strip([Segment("rye")])], CONSOLE)
    assert grid.frame(1000).endswith("rye")


def test_a_few_cells_that_become_blank_are_all_written() -> None:
    grid, ours = shown()
    put(grid, full(" }", "   }", "     }", style=BASE))
    ours.feed(grid.frame(MOST))
    put(grid, full(style=BASE))
    ours.feed(grid.frame(MOST))
    assert [row.strip() for row in ours.rows] == [""] * HEIGHT


def test_rows_that_got_a_mark_and_moved_are_moved_by_the_terminal() -> None:
    grid, ours = Grid(erases_in_color=True), Eyes(WIDTH, 20)
    grid.resize(WIDTH, 20)
    words = [f"  {chr(ord('a') + number) * 12}" for number in range(21)]
    put(grid, full(*words[:20], style=BASE))
    ours.feed(grid.frame(MOST))
    put(grid, full(*(f"│{row[1:]}" for row in words[1:]), style=BASE))
    frame = grid.frame(MOST)
    ours.feed(frame)
    assert "b" * 12 not in frame
    assert "u" * 12 in frame
    assert [row.strip() for row in ours.rows] == [f"│ {row[2:]}" for row in words[1:]]
