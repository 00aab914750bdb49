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
from acp_tui.ui.conversation import search
from acp_tui.ui.conversation.search import SearchBar
from acp_tui.ui.features import Features
from acp_tui.ui.help.screen import AROUND
from acp_tui.ui.transcript.transcript import Transcript
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


async def test_ctrl_c_copies_what_is_selected_and_leaves_where_nothing_was_said() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.write("tea")
        await it.press("shift+home", "ctrl+c")
        assert it.app.clipboard == "tea"
        assert it.app.is_running
        await it.press("backspace", "ctrl+c")
        assert not it.app.is_running


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
        options = [SelectOption(value="ask", name="Ask"), SelectOption(value="code", name="Code")]
        session.config.options = [
            SelectConfigOption(
                id="m", name="Mode", category="mode", current_value="code", options=list(options)
            )
        ]
        it.asked.clear()
        await it.press("shift+tab")
        chosen = SetConfigOption(session.session_id, "m", "ask")
        assert it.asked == [chosen], "modes among the config options win"


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


async def test_a_note_leaves_the_keys_and_a_dialog_none_and_both_give_way_to_a_question() -> None:
    state, session = states.talked()
    async with running(state) as it:
        await it.press("f8")
        it.app.refresh_view()
        await settled(it.pilot)
        assert "Enter send" not in str(it.app.conversation.hints.render())
        await it.press("escape")
        await it.until(lambda: it.row_of_keys.startswith("Enter send"))
        it.app.show_note("a tip", 600)
        assert it.note == "a tip"
        states.ask(state, session, 1, "Write tea.py")
        await it.changed()
        assert "a tip" not in it.screen
        assert "answer" in it.row_of_keys


async def test_a_plan_is_one_row_that_opens_and_leaves_once_it_is_done() -> None:
    state, session = states.working()
    async with running(state) as it:
        assert "2/5  ▶ Correct operation 4" in it.screen
        assert "Run the table again" not in it.screen
        await it.press("f2")
        assert "Run the table again" in it.screen
        await it.press("f2")
        assert "Run the table again" not in it.screen
        assert "not finished" not in it.screen
        turn, session.turn = session.turn, None
        await it.changed()
        assert "2/5  not finished" in it.screen
        assert "Correct operation 4" not in it.screen
        session.turn = turn
        session.plan.steps = [
            entry.model_copy(update={"status": "completed"}) for entry in session.plan.steps
        ]
        await it.changed()
        assert "Plan" not in it.screen
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


async def test_an_open_plan_tells_all_of_each_step_or_how_much_there_is_no_room_for() -> None:
    state, session = states.working()
    long = "Compare " + "with the published numbers " * 4 + "again"
    session.plan.steps = [
        PlanEntry(content="Read note G", status="completed"),
        PlanEntry(content="Mend `tea.py`", status="in_progress", priority="high"),
        PlanEntry(content=long, priority="low"),
    ]
    async with running(state, (60, 24)) as it:
        assert "1/3  ▶ Mend tea.py" in it.screen
        await it.press("f2")
        rows = it.rows()
        assert any("☑ Read note G" in row for row in rows)
        assert any("▶ Mend tea.py (high)" in row for row in rows), "code has no marks around it"
        below = "".join(row[4:].rstrip() + " " for row in rows)
        assert "numbers again (low)" in " ".join(below.split())
        session.plan.steps = [
            PlanEntry(content=f"Step {number} {'of so many words ' * 9}", status=status)
            for number, status in enumerate(["completed"] * 4 + ["in_progress"] + ["pending"] * 5)
        ]
        await it.pilot.resize_terminal(80, 24)
        await it.changed()
        shown = [row[3:9] for row in it.rows() if "Step" in row and "Plan" not in row]
        assert shown == ["▶ Step", "☐ Step"]
        assert "… 4 more" in it.screen


async def test_search_counts_at_the_right_edge_of_every_width_and_closes() -> None:
    state, _ = states.talked()
    async with running(state, (40, 24)) as it:
        await it.press("alt+slash", *"bern")
        for width in (40, 30, 200, 80):
            await it.pilot.resize_terminal(width, 24)
            await it.until(lambda: "1 of 1" in it.screen)
            row = next(row for row in it.rows() if "⌕" in row)
            assert row[row.index("1 of 1") :] == "1 of 1  ", width
        await it.press("escape")
        assert "1 of 1" not in it.screen
        assert it.app.focused is it.app.conversation.prompt
        await it.press("tab", "slash", "escape")
        assert it.app.focused is it.app.conversation.transcript


async def test_a_search_may_be_closed_twice_and_before_it_is_there_and_tells_no_less_than_it_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search, "GLANCE", 0.01)
    state, _ = states.talked()
    async with running(state) as it:
        pane = it.app.conversation.pane
        assert pane is not None
        pane.mount(SearchBar(), after=pane.transcript)
        for _ in range(2):
            await pane.on_search_bar_search_closed()
        pane.on_search_bar_search_text_changed(SearchBar.SearchTextChanged(""))
        await it.press("alt+slash", "b", "escape")
        assert it.app.is_running
        await it.press("alt+slash")
        transcript = it.pilot.app.query_one(Transcript)
        for count, words in ((0, "searching…"), (3, "searching… 3 matches")):
            transcript.post_message(Transcript.MatchesCounted(count, complete=False))
            await it.until(lambda words=words: words in it.screen)
            assert "no match" not in it.screen
        transcript.post_message(Transcript.MatchesCounted(0, complete=True))
        await it.until(lambda: "no match" in it.screen)
        assert "searching" not in it.screen


async def test_a_search_offers_steps_between_several_matches_and_goes_on_in_the_transcript() -> (
    None
):
    state, session = states.talked()
    session.entries += [states.message(Role.AGENT, f"engine {number}") for number in range(2)]
    async with running(state) as it:
        await it.press("alt+slash")
        assert it.row_of_keys == "Esc back"
        for typed, keys in (("engine", "Enter to the match   Down next"), (" 1", "Enter to the")):
            await it.write(typed)
            await it.until(lambda keys=keys: it.row_of_keys.startswith(keys))
        await it.until(lambda: it.row_of_keys == "Enter to the match   Esc back")
        await it.write("x")
        await it.until(lambda: it.row_of_keys == "Esc back")
        await it.press("enter")
        assert it.row_of_keys.startswith("Esc end the search")
        await it.press("escape", "alt+slash", "ctrl+u", *"eng")
        await it.until(lambda: "1 of 3" in it.screen)
        assert it.row_of_keys.startswith("Enter to the match")
        await it.press("enter", "n", "n", "N")
        shown = it.screen
        assert "2 of 3" in shown
        assert "engine 0" in next(row for row in it.rows() if "❯" in row)
        assert it.row_of_keys.startswith("n next")
        await it.press("escape")
        assert "2 of 3" not in it.screen
        assert it.row_of_keys.startswith("j/k move")
        assert it.asked == []


async def test_where_nothing_was_said_the_search_says_that() -> None:
    async with running(states.opened()[0]) as it:
        await it.press("alt+slash")
        assert "nothing to search yet" in it.note


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


async def test_no_color_leaves_the_colors_to_the_terminal_and_shows_what_is_found_or_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    state, _ = states.working()
    async with running(state) as it:
        for theme in ("night", "terminal"):
            it.app.use_theme(theme)
            await it.changed()
            styles = [
                segment.style
                for strip in it.app.screen._compositor.render_strips()
                for segment in strip
                if segment.style is not None
            ]
            colors = {color for style in styles for color in (style.color, style.bgcolor) if color}
            assert colors == {Color.default()}, theme
            assert any(style.bold for style in styles), theme
            for role in ("selection", "search.match", "search.current", "below"):
                assert Palette.of(it.app)[role].reverse, (theme, role)


async def test_help_names_every_key_of_the_program_in_its_whole_width() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press("f1")
        shown = it.app.screen.query_one("VerticalScroll > Static")
        assert shown.size.width == it.app.size.width - AROUND, "known before the first layout"
        page = " ".join(str(shown.render()).split())
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
        assert it.row_of_keys.split("   ")[0] == "Enter open"
        await it.press("v")
        assert it.row_of_keys.startswith("Down select more   y copy")
        await it.press("escape")
        assert it.row_of_keys.startswith("Enter open")
        await it.press("enter")
        assert "Let me see." in it.screen
        assert it.row_of_keys.startswith("Enter fold   j/k move")
        await it.press("down")
        assert it.row_of_keys.startswith("j/k move")
        await it.press("tab")
        assert it.row_of_keys.startswith("Enter send")


async def test_an_export_goes_into_the_folder_of_the_session_or_the_one_that_was_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, of_session, elsewhere = (tmp_path / name for name in ("start", "session", "elsewhere"))
    for folder in (start, of_session, elsewhere):
        folder.mkdir()
    monkeypatch.chdir(start)
    state, session = states.talked()
    session.cwd = str(of_session)
    async with running(state, (160, 24)) as it:
        for folder in (of_session, elsewhere):
            await it.press("alt+o")
            (row,) = [row for row in it.rows() if "into " in row]
            assert f"/{folder.name} " in row
            await it.press("m")
            with anyio.fail_after(PATIENCE):
                while not list(folder.iterdir()):
                    await moment(it.pilot)
            it.app.feature.exports.folder = elsewhere
    found = [len(list(folder.iterdir())) for folder in (start, of_session, elsewhere)]
    assert found == [0, 1, 1]


async def test_prose_is_no_wider_than_one_reads_well_and_code_as_wide_as_it_is(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "acp-tui"
    folder.mkdir()
    long, code = "word " * 60, "x" * 180
    said = f"{long}\n\n- {long}\n\n```\n{code}\n```\n"
    for setting, widest in (("", 110), ("prose_width = 60", 60), ("prose_width = 0", 195)):
        (folder / "settings.toml").write_text(setting)
        state, session = states.talked()
        session.entries = [states.message(Role.USER, long), states.message(Role.AGENT, said)]
        async with running(state, (200, 40)) as it:
            rows = [row.rstrip() for row in it.rows()]
            prose = [row for row in rows if "word word" in row]
            assert widest == 195 or len(prose) >= 9
            assert widest - 5 < max(map(len, prose)) <= widest + 5, setting
            assert any(code in row for row in rows), setting
