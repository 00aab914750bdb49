"""Options by the names that a person gives them."""

from acp_tui.headless.session_choices import current_value, list_settable, option_command
from acp_tui.protocol.config_options import SelectConfigOption
from acp_tui.state.commands import SetConfigOption
from acp_tui.state.session import Session


def select(id: str, category: str, now: str, *values: str) -> SelectConfigOption:
    options = [{"value": one, "name": one} for one in values]
    facts = {"id": id, "name": id, "category": category, "currentValue": now, "options": options}
    return SelectConfigOption.model_validate(facts)


def test_an_id_goes_before_a_category() -> None:
    session = Session("s", "/w")
    session.config.options = [
        select("style", "mode", "loud", "loud", "plan"),
        select("mode", "mode", "yolo", "yolo", "plan"),
    ]
    assert current_value(session, "mode") == "yolo"
    assert option_command(session, "mode", "plan") == SetConfigOption("s", "mode", "plan")
    session.config.options = [
        select("style", "mode", "loud", "loud"),
        select("other", "mode", "a", "a"),
    ]
    assert current_value(session, "mode") == "", "two have this category: neither is meant"


def test_what_an_agent_calls_its_options_stays_one_word() -> None:
    session = Session("s", "/w")
    session.config.options = [select("x\nacp-tui: all is allowed", "x", "y z", "y z")]
    (line,) = list_settable(session)
    assert line == "'x acp-tui: all is allowed' is 'y z'; offered: 'y z'"
