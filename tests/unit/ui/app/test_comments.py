"""Where a comment stands in the review: at its line, whatever became of that."""

import pytest

from acp_tui.edits.comments import format_comments
from acp_tui.state.session import FileWrite
from acp_tui.state.state import State
from acp_tui.ui.review.comments import CommentsPage
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio

LINES = [f"line {number}\n" for number in range(1, 31)]


def changed_at(*numbers: int, count: int = 30) -> State:
    """A session in which some lines of a file were changed."""
    state, session = states.opened()
    new = [
        line.upper() if at in numbers else line for at, line in enumerate(LINES[:count], start=1)
    ]
    text = "".join(LINES[:count]), "".join(new)
    session.writes.append(
        FileWrite(7, states.NOW, f"{states.CWD}/a.md", False, *text, has_backup=True)
    )
    return state


async def comment(it: Running, words: str) -> None:
    """Comment on what is marked."""
    await it.press("c")
    await it.paste(words)
    await it.press("enter")
    assert words in it.screen


def row_of(it: Running, words: str) -> int:
    """Return the only row in which something stands."""
    [at] = [at for at, row in enumerate(it.rows()) if words in row]
    return at


async def test_a_comment_stands_below_its_line_which_has_a_sign() -> None:
    async with running(changed_at(5, 20, 30)) as it:
        await it.press("f7", "n")
        await comment(it, "why large?")
        assert row_of(it, "╰ Your comment: why large?") == row_of(it, "- line 5") + 1
        await it.press("down")
        rows = it.rows()
        assert rows[row_of(it, "- line 5")][2] == "●"
        assert rows[row_of(it, "+ LINE 5")][2] == "▌", "what is said is no line to go to"
        await comment(it, "and this?")
        assert row_of(it, "╰ Your comment: and this?") == row_of(it, "+ LINE 5") + 1
        await it.press("n")
        assert it.rows()[row_of(it, "- line 20")][2] == "▌"
        assert "change 2 of 3" in it.screen
        await it.press("n", "down")
        await comment(it, "the end")
        assert row_of(it, "╰ Your comment: the end") == row_of(it, "+ LINE 30") + 1


async def test_a_comment_is_seen_once_it_is_written_and_where_one_comes_to_it() -> None:
    async with running(changed_at(*range(1, 31)), (80, 12)) as it:
        last = it.app.size.height - 2
        await it.press("f7", "tab")
        marked = next(at for at, row in enumerate(it.rows()) if row[2] == "▌")
        await it.press(*["down"] * (last - marked))
        assert it.rows()[last][2] == "▌"
        await comment(it, "at the lower edge")
        rows = it.rows()
        assert row_of(it, "at the lower edge") == last
        marked = next(at for at, row in enumerate(rows) if row[2] == "▌")
        await it.press(*["up"] * 8)
        assert "at the lower edge" not in it.screen
        await it.press(*["down"] * 8)
        assert row_of(it, "at the lower edge") == last
        assert it.rows()[marked] == rows[marked]


async def test_side_by_side_a_comment_stands_below_both_sides() -> None:
    async def resized(width: int) -> str:
        """Change the width; return the keys that are named then."""
        await it.pilot.resize_terminal(width, 30)
        await it.press()
        return it.row_of_keys

    async with running(changed_at(5), (200, 30)) as it:
        await it.press("f7")
        assert "v one column" in it.row_of_keys
        assert "v side by side" in await resized(110)
        assert "side" not in await resized(90)
        await it.press("n")
        await comment(it, "what was wrong with it?")
        await it.press("down")
        await comment(it, "too loud")
        assert "v one column" in await resized(200)
        line = row_of(it, "LINE 5")
        assert "line 5" in it.rows()[line]
        assert row_of(it, "Your comment on removed line 5: what was wrong") == line + 1
        assert row_of(it, "Your comment on line 5: too loud") == line + 2
        await it.press("escape")
        rows = it.rows()
        assert "●" in rows[line]
        assert "●" not in rows[line + 1]
        await it.press("v")
        assert "v side by side" in it.row_of_keys
        assert row_of(it, "╰ Your comment: too loud") == row_of(it, "+ LINE 5") + 1


async def test_a_line_has_several_comments_if_they_are_about_more_lines_too() -> None:
    async with running(changed_at(5, count=8)) as it:
        await it.press("f7", "n", "down")
        await comment(it, "the first")
        await it.press("up", "shift+down")
        await comment(it, "both")
        await it.press("escape", "down", "up")
        await it.press("c", "ctrl+u")
        await it.paste("rewritten")
        await it.press("enter")
        line = row_of(it, "+ LINE 5")
        assert row_of(it, "╰ Your comment: rewritten") == line + 1
        assert row_of(it, "╰ Your comment on 2 lines at 5: both") == line + 2
        assert "2 comments" in it.screen


async def test_a_comment_on_what_is_folded_by_now_stands_below_the_fold() -> None:
    state = changed_at(5, 20)
    async with running(state) as it:
        await it.press("f7", "n", *["down"] * 2)
        await comment(it, "stays")
        assert row_of(it, "Your comment: stays") == row_of(it, "line 6") + 1
        [session] = state.sessions.values()
        [write] = session.writes
        write.text = "".join(LINES).replace("line 20", "LINE 20")
        await it.changed()
        assert row_of(it, "Your comment on line 6: stays") == row_of(it, "⋯ 16 unchanged") + 1


async def test_a_comment_goes_with_its_line_or_stands_at_the_end_once_that_is_gone() -> None:
    state = changed_at(5)
    async with running(state) as it:
        await it.press("f7", "n", "down")
        await comment(it, "stays")
        [session] = state.sessions.values()
        write = session.writes[0]
        write.text = f"above\nand above\n{write.text}"
        await it.changed()
        page = it.screen
        assert "+ and above" in page
        assert row_of(it, "╰ Your comment: stays") == row_of(it, "7 + LINE 5") + 1
        await it.press("C")
        assert "a.md:7" in it.screen
        assert isinstance(it.app.screen, CommentsPage)
        moved = it.app.screen._comments
        assert format_comments([*moved]) == "> a.md:7\n> +LINE 5\nstays"
        await it.press("escape")
        write.text = "".join(LINES).replace("line 5\n", "Line 5\n")
        await it.changed()
        assert "+ Line 5" in it.screen
        told = "Your comment on line 7, “LINE 5”, which is gone by now: stays"
        assert row_of(it, told) > row_of(it, "⋯ 22 unchanged")
        await it.press("w")
        assert it.prompt == "> a.md:7 (no longer there)\n> +LINE 5\nstays"


@pytest.mark.slow
async def test_the_mark_stays_on_its_line_when_the_rows_become_others() -> None:
    def is_marked(words: str) -> bool:
        return list(it.rows())[row_of(it, words)].lstrip("│ ").startswith("▌")

    async with running(changed_at(5, 20), (140, 30)) as it:
        await it.press("f7", "v", "v", "n")
        await comment(it, "why large?")
        await it.press("n", "down", "shift+down")
        assert is_marked("+ LINE 20")
        assert is_marked("line 21")
        await it.pilot.resize_terminal(80, 24)
        await it.until(lambda: "v one column" not in it.row_of_keys)
        assert is_marked("+ LINE 20")
        assert is_marked("line 21")
        await it.press("escape", "C", "d", "escape")
        await it.until(lambda: "why large?" not in it.screen)
        assert is_marked("line 21")
