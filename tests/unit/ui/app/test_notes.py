"""What is said in passing has rows of its own: the keys stay, and nothing that is read moves."""

import pytest

from acp_tui.ui.toolkit.notes import ERROR, REFUSAL, REMARK, NoteKind
from tests.examples import parametrize
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


@parametrize(1, "width", [80, 120, 200])
@parametrize(
    1,
    ("kind", "words"),
    [(REMARK, "• tea"), (REFUSAL, "! tea"), (ERROR, "✗ Error: tea")],
)
async def test_its_kind_is_told_by_sign_and_word_and_the_keys_stay(
    kind: NoteKind, words: str, width: int
) -> None:
    state, _ = states.talked()
    async with running(state, (width, 24)) as it:
        before = list(it.rows())
        it.app.show_note("tea", 600, kind=kind)
        await it.until(lambda: words in it.screen)
        changed = [at for at, row in enumerate(it.rows()) if row != before[at]]
        assert changed == [19]
        assert it.row_of_keys.startswith("Enter send")


async def test_a_long_one_has_two_rows_and_what_lasts_is_back_once_a_newer_one_has_passed() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        before = it.rows()
        it.app.show_note("/a/long/path" * 30, 600)
        await it.until(lambda: "/a/long/path" in it.screen)
        rows = it.rows()
        assert rows[18:19] + rows[22:] == before[18:19] + before[22:]
        assert rows[19].startswith(" • /a/long")
        assert rows[20].rstrip().endswith("…"), "a sign where it is cut"
        it.app.notify("cups are gone", severity="error", timeout=600)
        it.app.show_note("tea", 0.05)
        await it.until(lambda: "Error: cups are gone" in it.screen)
        assert it.note == "cups are gone"


async def test_over_a_dialog_it_stands_at_the_foot_and_goes_on_when_that_closes() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("ctrl+o")
        before = list(it.rows())
        it.app.show_note("tea", 600)
        await it.until(lambda: "• tea" in it.screen)
        assert list(it.rows())[:-1] == before[:-1]
        await it.press("escape")
        await it.until(lambda: "• tea" in it.screen and "Enter send" in it.row_of_keys)
        assert it.note == "tea"


async def test_above_a_question_nothing_else_changes_until_the_screen_is_high() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        for size in ((80, 24), (120, 30), (80, 12)):
            await it.pilot.resize_terminal(*size)
            before = it.rows()
            it.app.show_note(f"tea for {size}", 600)
            await it.until(lambda size=size: f"• tea for {size}" in it.screen)
            after = it.rows()
            (at,) = [at for at, row in enumerate(after) if row.startswith(" • tea")]
            assert after[at + 1].startswith("╭─"), size
            assert before[at + 1].startswith("╭─"), size
            assert after[at + 2 :] == before[at + 2 :], size
            assert after[:at] == before[:at], size
            it.app.conversation.notes.drop_passing()
        it.app.notify("cups are gone", severity="error", timeout=600)
        await it.until(lambda: "Error: cups are gone" in it.screen)
        await it.pilot.resize_terminal(80, 40)
        await it.until(lambda: it.rows()[-5].startswith(" ✗ Error: cups are gone"))


@pytest.mark.usefixtures("drawn")
async def test_a_picture_shows_no_note_and_the_note_stays() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        it.app.notify("a word in passing", timeout=60)
        await it.until(lambda: "a word in passing" in it.screen)
        picture = await it.app.picture()
        assert "passing" not in picture
        assert "Bernoulli" in picture
        await it.until(lambda: "a word in passing" in it.screen)
