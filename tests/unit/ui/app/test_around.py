from pathlib import Path

import anyio
import pytest
from rich.color import Color

from acp_tui.host.agent import Agent
from acp_tui.protocol.config_options import SelectConfigOption, SelectOption
from acp_tui.protocol.updates import PlanEntry
from acp_tui.state.commands import SetConfigOption, SetMode
from acp_tui.state.entries import Role
from acp_tui.ui import bindings
from acp_tui.ui.app import AcpApp
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.conversation.search import SearchBar
from acp_tui.ui.features import Features
from acp_tui.ui.help.screen import AROUND
from acp_tui.ui.transcript.transcript import Transcript
from tests.examples import parametrize
from tests.hosting import PATIENCE
from tests.keys_page import COLLISIONS, done_by
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running
from tests.unit.ui.settling import moment, settled

pytestmark = pytest.mark.anyio


async def test_ctrl_q_leaves_at_once() -> None:
    state, _ = states.working()
    async with running(state) as it:
        await it.press("ctrl+q")
        assert not it.app.is_running


async def test_ctrl_c_leaves_where_nothing_was_said() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.press("ctrl+c")
        assert not it.app.is_running


async def test_ctrl_c_must_be_meant_where_something_was_said() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("ctrl+c")
        assert it.note == "Ctrl+C again quits"
        await it.write("tea")
        assert "again quits" not in it.screen
        await it.press("ctrl+c")
        assert it.note == "cleared: Ctrl+Z brings it back"
        await it.press("ctrl+z")
        assert it.prompt == "tea"
        assert "cleared" not in it.screen
        await it.press("ctrl+c", "ctrl+c")
        assert it.note == "Ctrl+C again quits"
        it.clock.now += 3
        await it.press("ctrl+c")
        assert it.app.is_running
        it.clock.now += 1
        await it.press("ctrl+c")
        assert not it.app.is_running


async def test_ctrl_d_at_an_empty_prompt_leaves_and_names_itself() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.write("tea")
        await it.press("home", "ctrl+d")
        assert it.prompt == "ea"
        await it.press("ctrl+d", "ctrl+d", "ctrl+d")
        assert it.note == "Ctrl+D again quits"
        await it.press("ctrl+d")
        assert not it.app.is_running


async def test_ctrl_c_must_be_meant_while_a_turn_runs() -> None:
    state, _ = states.working()
    async with running(state) as it:
        await it.press("ctrl+c")
        assert it.note == "a turn is running: Esc cancels it; Ctrl+C again quits"
        it.clock.now += 3
        await it.press("ctrl+c")
        assert it.app.is_running
        it.clock.now += 1
        await it.press("ctrl+c")
        assert not it.app.is_running


async def test_ctrl_c_copies_what_is_selected_in_the_prompt() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.write("tea")
        await it.press("shift+home", "ctrl+c")
        assert it.app.clipboard == "tea"
        assert it.app.is_running


async def test_shift_tab_asks_for_the_next_mode() -> None:
    state, session = states.opened()
    async with running(state) as it:
        await it.press("shift+tab")
        assert it.asked == [SetMode(session.session_id, "plan")]
        assert "to mode Plan" in it.screen
        assert session.config.modes is not None
        first = session.config.modes.available_modes[0]
        session.config.modes.available_modes[0] = first.model_copy(
            update={"description": "Asks nothing"}
        )
        session.config.modes = session.config.modes.model_copy(update={"current_mode_id": "plan"})
        await it.press("shift+tab")
        assert "▲ to mode Default: Asks nothing" in it.screen
        assert "▲ mode" not in it.screen
        session.config.modes = session.config.modes.model_copy(update={"current_mode_id": first.id})
        await it.changed()
        assert "▲ mode Default: Asks nothing" in it.screen


async def test_the_keys_of_a_list_over_the_prompt_are_shown_while_it_is_open(
    tmp_path: Path,
) -> None:
    tmp_path.joinpath("tea.py").touch()
    state, session = states.opened()
    session.cwd = str(tmp_path)
    async with running(state) as it:
        assert it.row_of_keys.startswith("Enter send")
        await it.write("/")
        assert it.row_of_keys.startswith("Enter/Tab choose   Down next")
        await it.press("escape")
        assert it.row_of_keys.startswith("Enter send")
        await it.press("backspace")
        await it.write("see @tea")
        await it.until(lambda: it.row_of_keys.startswith("Enter/Tab choose"))
        await it.press("enter")
        await it.until(lambda: it.row_of_keys.startswith("Enter send"))
        assert it.asked == []


async def test_a_note_leaves_the_keys_and_gives_way_to_a_question() -> None:
    state, session = states.working()
    async with running(state) as it:
        it.app.show_note("a tip", 600)
        assert it.note == "a tip"
        states.ask(state, session, 1, "Write tea.py")
        await it.changed()
        assert "a tip" not in it.screen
        assert "answer" in it.row_of_keys


async def test_modes_among_the_config_options_win() -> None:
    state, session = states.opened()
    options = [SelectOption(value="ask", name="Ask"), SelectOption(value="code", name="Code")]
    session.config.options = [
        SelectConfigOption(
            id="m", name="Mode", category="mode", current_value="code", options=list(options)
        )
    ]
    async with running(state) as it:
        await it.press("shift+tab")
        assert it.asked == [SetConfigOption(session.session_id, "m", "ask")]


async def test_plan_is_one_row_and_opens() -> None:
    state, _ = states.working()
    async with running(state) as it:
        assert "2/5  ▶ Correct operation 4" in it.screen
        assert "Run the table again" not in it.screen
        await it.press("f2")
        assert "Run the table again" in it.screen


async def test_code_in_a_plan_has_no_marks_around_it() -> None:
    state, session = states.working()
    session.plan.steps = [PlanEntry(content="Mend `tea.py`", status="in_progress")]
    async with running(state) as it:
        assert "0/1  ▶ Mend tea.py" in it.screen
        await it.press("f2")
        assert "▶ Mend tea.py" in it.screen
        assert "`tea.py`" not in it.screen


async def test_an_open_plan_tells_all_of_a_long_step_and_its_priority() -> None:
    state, session = states.working()
    long = "Compare " + "with the published numbers " * 4 + "again"
    session.plan.steps = [*session.plan.steps, PlanEntry(content=long, priority="low")]
    async with running(state, (60, 24)) as it:
        await it.press("f2")
        assert "☑ Read note G" in it.screen
        assert "▶ Correct operation 4 (high)" in it.screen
        below = "".join(row[4:].rstrip() + " " for row in it.rows())
        assert "numbers again (low)" in " ".join(below.split())


async def test_an_open_plan_tells_how_much_of_it_there_is_no_room_for() -> None:
    state, session = states.working()
    long = "that takes so many words that they need three lines, " * 3
    session.plan.steps = [
        PlanEntry(content=f"Step {number} {long}", priority="medium", status=status)
        for number, status in enumerate(["completed"] * 4 + ["in_progress"] + ["pending"] * 5)
    ]
    async with running(state, (80, 24)) as it:
        await it.press("f2")
        shown = [row[3:9] for row in it.rows() if "Step" in row and "Plan" not in row]
        assert shown == ["▶ Step", "☐ Step"]
        assert "… 4 more" in it.screen


async def test_a_plan_that_a_turn_left_unfinished_says_so() -> None:
    state, session = states.working()
    async with running(state) as it:
        assert "not finished" not in it.screen
        session.turn = None
        await it.changed()
        assert "2/5  not finished" in it.screen
        assert "Correct operation 4" not in it.screen


async def test_a_finished_plan_leaves() -> None:
    state, session = states.working()
    session.plan.steps = [
        entry.model_copy(update={"status": "completed"}) for entry in session.plan.steps
    ]
    async with running(state) as it:
        assert "Plan" not in it.screen


async def test_a_plan_that_is_done_is_opened_again_by_its_key_and_folded() -> None:
    state, session = states.working()
    async with running(state) as it:
        session.plan.steps = [
            entry.model_copy(update={"status": "completed"}) for entry in session.plan.steps
        ]
        await it.changed()
        assert "Plan ━" not in it.screen
        await it.press("f2")
        assert "all done" in it.screen
        assert it.screen.count("☑") == len(session.plan.steps)
        await it.changed()
        assert "all done" in it.screen
        await it.press("f2")
        assert "all done" not in it.screen
        session.plan.steps = []
        await it.changed()
        await it.press("f2")
        assert "F2 opens the plan: the agent has made none so far" in it.screen


async def test_search_counts_and_closes() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+slash")
        await it.write("bernoulli")
        await it.until(lambda: "1 of 1" in it.screen)
        await it.press("escape")
        assert "1 match" not in it.screen
        assert it.app.focused is it.app.conversation.prompt
        await it.press("tab", "slash", "escape")
        assert it.app.focused is it.app.conversation.transcript


async def test_a_search_may_be_closed_twice_and_before_it_is_there() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        pane = it.app.conversation.pane
        assert pane is not None
        pane.mount(SearchBar(), after=pane.transcript)
        for _ in range(2):
            await pane.on_search_bar_search_closed()
        pane.on_search_bar_search_text_changed(SearchBar.SearchTextChanged(""))
        await it.press("alt+slash")
        await it.write("bernoulli")
        await it.press("escape")
        assert it.app.is_running


async def test_nothing_is_told_as_not_found_before_all_is_searched() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("alt+slash")
        transcript = it.pilot.app.query_one(Transcript)
        for count, words in ((0, "searching…"), (3, "searching… 3 matches")):
            transcript.post_message(Transcript.MatchesCounted(count, complete=False))
            await it.until(lambda words=words: words in it.screen)
        transcript.post_message(Transcript.MatchesCounted(0, complete=True))
        await it.until(lambda: "no match" in it.screen)
        assert "searching" not in it.screen


async def test_an_accepted_search_goes_on_in_the_transcript() -> None:
    state, session = states.talked()
    session.entries += [states.message(Role.AGENT, f"engine {number}") for number in range(2)]
    async with running(state) as it:
        await it.press("alt+slash")
        await it.write("engine")
        await it.until(lambda: "1 of 3" in it.screen)
        assert it.rows()[-1].strip().startswith("Enter to the match")
        await it.press("enter", "n", "n", "N")
        assert "2 of 3" in it.screen
        assert "engine 0" in next(row for row in it.rows() if "❯" in row)
        assert it.rows()[-1].strip().startswith("n next")
        await it.press("escape")
        assert "2 of 3" not in it.screen
        assert it.rows()[-1].strip().startswith("j/k move")
        assert it.asked == []


@parametrize(2, "width", [30, 40, 80, 200])
async def test_the_count_of_a_search_ends_at_the_right_edge_at_every_width(width: int) -> None:
    state, _ = states.talked()
    async with running(state, (width, 24)) as it:
        await it.press("alt+slash")
        await it.write("engine")
        await it.until(lambda: "1 of 1" in it.screen)
        row = next(row for row in it.rows() if "⌕" in row)
        assert row[row.index("1 of 1") :] == "1 of 1  "


async def test_where_nothing_was_said_the_search_says_that() -> None:
    async with running(states.opened()[0]) as it:
        await it.press("alt+slash")
        assert "nothing to search yet" in it.note


async def test_a_search_offers_steps_only_between_several_matches() -> None:
    state, session = states.talked()
    session.entries += [states.message(Role.AGENT, "engine 2")]
    async with running(state) as it:
        await it.press("alt+slash")
        assert it.row_of_keys == "Esc back"
        await it.write("engine")
        await it.until(lambda: it.row_of_keys.startswith("Enter to the match   Down next"))
        await it.write(" 2")
        await it.until(lambda: it.row_of_keys == "Enter to the match   Esc back")
        await it.write("x")
        await it.until(lambda: it.row_of_keys == "Esc back")
        await it.press("enter")
        assert it.row_of_keys.startswith("Esc end the search")


async def test_the_keys_of_a_selection_are_shown_while_there_is_one() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("tab", "v")
        assert it.rows()[-1].strip().startswith("Down select more   y copy")
        await it.press("escape")
        assert it.rows()[-1].strip().startswith("Enter open")


@pytest.mark.slow
async def test_themes_are_drawn_as_they_are_marked_until_esc(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    state, _ = states.talked()
    async with running(state) as it:
        seen = set()
        for _ in range(9):
            await it.press("f3")
            seen.add(it.app.theme)
            assert "● night " in it.screen
        assert len(seen) == 9
        assert it.app.theme != "night"
        await it.press("escape")
        assert it.app.theme == "night"


@pytest.mark.parametrize(
    ("env", "asked", "theme"),
    [
        ({"TERM": "xterm"}, None, "terminal"),
        ({"TERM": "linux"}, None, "terminal"),
        ({"TERM": "xterm"}, "night", "night"),
        ({"TERM": "xterm-256color"}, None, "terminal"),
        ({"TERM": "xterm-256color"}, "night", "night"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, None, "night"),
    ],
)
def test_a_terminal_with_few_colors_shows_its_own_unless_asked_otherwise(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    env: dict[str, str],
    asked: str | None,
    theme: str,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("COLORTERM", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    state, _ = states.working()
    assert AcpApp([Agent(state, lambda _: None)], Features, theme_name=asked).theme == theme


@pytest.mark.parametrize("theme", ["night", "terminal"])
async def test_no_color_leaves_the_colors_to_the_terminal(
    monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    state, _ = states.working()
    async with running(state) as it:
        it.app.use_theme(theme)
        await it.changed()
        styles = [
            segment.style
            for strip in it.app.screen._compositor.render_strips()
            for segment in strip
            if segment.style is not None
        ]
        assert {color for style in styles for color in (style.color, style.bgcolor) if color} == {
            Color.default()
        }
        assert any(style.bold for style in styles)


@pytest.mark.parametrize("role", ["selection", "search.match", "search.current", "below"])
async def test_no_color_still_shows_what_is_found_or_chosen(
    monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    state, _ = states.working()
    async with running(state) as it:
        transcript = it.app.conversation.transcript
        assert transcript is not None
        assert Palette.of(transcript.app)[role].reverse


async def test_help_names_every_key_of_the_program() -> None:
    state, _ = states.talked()
    async with running(state, (80, 500)) as it:
        await it.press("f1")
        page = " ".join(" ".join(row.strip(" │") for row in it.rows()).split())
        for section in bindings.sections_here("Prompt", is_alone=False):
            assert section.title in page
            for keys, words in bindings.key_rows(section.bindings):
                assert f"{keys} {words}" in page


@pytest.mark.slow
async def test_words_of_the_help_wrap_beside_their_keys() -> None:
    state, _ = states.talked()
    async with running(state, (60, 240)) as it:
        await it.press("f1")
        rows = it.rows()
        at = next(at for at, row in enumerate(rows) if "Open or fold all of its" in row)
        told = rows[at].index("Open")
        assert not rows[at + 1][1:told].strip()
        assert rows[at + 1][told] != " "


async def test_help_knows_its_width_before_its_first_layout() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("f1")
        words = it.app.screen.query_one("VerticalScroll > Static")
        assert words.size.width == it.app.size.width - AROUND


def test_what_is_said_of_keys_that_others_use_is_of_keys_that_do_something() -> None:
    assert all(done_by(one.key) for one in COLLISIONS)
    with pytest.raises(KeyError):
        done_by("ctrl+f1")


async def test_the_transcript_shows_its_cursor_and_its_keys_at_once() -> None:
    state, session = states.talked()
    session.entries[1:1] = [states.message(Role.THOUGHT, "Let me see.")]
    async with running(state) as it:
        await settled(it.pilot)
        await it.press("tab")
        assert any("▸ ✻ Thought" in row for row in it.rows())
        assert it.rows()[-1].split("   ")[0].strip() == "Enter open"
        await it.press("enter")
        assert "Let me see." in it.screen
        assert it.row_of_keys.startswith("Enter fold   j/k move")
        await it.press("down")
        assert it.row_of_keys.startswith("j/k move")
        await it.press("tab")
        assert it.rows()[-1].strip().startswith("Enter send")


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_an_export_goes_into_the_folder_of_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: bool
) -> None:
    folders = [tmp_path / name for name in ("start", "session", "elsewhere")]
    for folder in folders:
        folder.mkdir()
    monkeypatch.chdir(folders[0])
    state, session = states.talked()
    session.cwd = str(folders[1])
    async with running(state, (160, 24)) as it:
        if elsewhere:
            it.app.feature.exports.folder = folders[2]
        await it.press("alt+o")
        (row,) = [row for row in it.rows() if "into " in row]
        assert f"/{'elsewhere' if elsewhere else 'session'} " in row
        await it.press("m")
        with anyio.fail_after(PATIENCE):
            while not any(list(folder.iterdir()) for folder in folders):
                await moment(it.pilot)
    assert [len(list(folder.iterdir())) for folder in folders] == [0, not elsewhere, elsewhere]


@pytest.mark.parametrize(("setting", "widest"), [("", 110), ("prose_width = 60", 60)])
async def test_prose_is_no_wider_than_one_reads_well_and_code_as_wide_as_it_is(
    tmp_path: Path, setting: str, widest: int
) -> None:
    folder = tmp_path / "acp-tui"
    folder.mkdir()
    (folder / "settings.toml").write_text(setting)
    state, session = states.talked()
    long, code = "word " * 60, "x" * 180
    said = f"{long}\n\n- {long}\n\n```\n{code}\n```\n"
    session.entries = [states.message(Role.USER, long), states.message(Role.AGENT, said)]
    async with running(state, (200, 40)) as it:
        rows = [row.rstrip() for row in it.rows()]
        prose = [row for row in rows if "word word" in row]
        assert len(prose) >= 9
        assert widest - 5 < max(map(len, prose)) <= widest + 5
        assert any(code in row for row in rows)
        (folder / "settings.toml").write_text("prose_width = 0")
    async with running(state, (200, 40)) as it:
        assert max(len(row.rstrip()) for row in it.rows() if "word word" in row) > 185


async def test_a_dialog_leaves_no_key_of_the_prompt_below_whatever_comes_meanwhile() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("f8")
        it.app.refresh_view()
        await settled(it.pilot)
        assert "Enter send" not in str(it.app.conversation.hints.render())
        await it.press("escape")
        await it.until(lambda: "Enter send" in it.screen)
