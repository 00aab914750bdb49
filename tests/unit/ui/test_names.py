"""What sessions, modes and options are called on the screen."""

from acp_tui.host.session_names import session_name
from acp_tui.protocol.config_options import SessionMode, SessionModeState
from acp_tui.state.session import Session, SessionConfig
from acp_tui.state.state import State
from acp_tui.ui.options.rows import Opens, option_rows, value_rows


def test_a_session_whose_title_looks_like_a_sign_of_ours_is_quoted() -> None:
    session = Session("s", title="● ready")
    assert session_name(State(sessions={"s": session}), session) == "“● ready”"


def test_a_mode_whose_name_looks_like_a_sign_of_ours_is_quoted() -> None:
    modes = [SessionMode(id="a", name="Ask"), SessionMode(id="b", name="○ Ask")]
    config = SessionConfig(modes=SessionModeState(available_modes=modes, current_mode_id="b"))
    session = Session("s", config=config)
    [row] = option_rows(session)
    assert "○ Ask  ● “○ Ask”" in row.row.plain
    named = [one.row.plain for one in value_rows(session, Opens("mode"))]
    assert ["“○ Ask”" in one for one in named] == [False, True]
