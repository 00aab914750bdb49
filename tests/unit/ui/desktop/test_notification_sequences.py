"""A notification is one sequence that holds no other one, and what the terminal understands."""

import base64
import re

import pytest

from acp_tui.host.agent import Agent
from acp_tui.ui.desktop import notification
from acp_tui.ui.desktop.notification import DesktopNotification, question_asked
from acp_tui.ui.tabs.tabs import AskedPermission
from tests.unit.ui.app import states

TOLD = DesktopNotification("acp-tui: tea", "asks for permission: ls; date")
HOSTILE = "4;1;50\x1b]52;c;aGk=\x07\x9d52;c;aGk=\x9c\x1b\\\r\nrm;\ud800\u202e'$(id)` -rf"
NONE_IN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def hostile() -> DesktopNotification:
    state, session = states.asking()
    session.title = HOSTILE
    tool_call = session.permissions[0].tool_call
    assert tool_call is not None
    hostile_call = {"title": HOSTILE, "raw_input": {"command": HOSTILE}}
    session.permissions[0].tool_call = tool_call.model_copy(update=hostile_call)
    return question_asked(
        AskedPermission(Agent(state, lambda _: None, name=HOSTILE), session.permissions[0])
    )


def test_nothing_that_an_agent_says_begins_a_sequence_or_a_text() -> None:
    told = hostile()
    assert told.title.startswith("acp-tui: ")
    assert told.body.startswith("asks for permission: ")
    for text in told:
        assert not NONE_IN.search(text)
    assert not NONE_IN.search(notification.osc9(told)[4:-1])
    assert not NONE_IN.search(notification.osc777(told)[6:-1])
    assert notification.osc777(told).count(";") == 3


def test_kitty_gets_both_texts_in_a_form_that_holds_any() -> None:
    told = hostile()
    found = re.fullmatch(
        r"\x1b\]99;i=acp-tui:d=0:e=1;([\w+/=]*)\x1b\\\x1b\]99;i=acp-tui:d=1:e=1:p=body;([\w+/=]*)\x1b\\",
        notification.osc99(told),
    )
    assert found is not None
    assert [base64.b64decode(one).decode() for one in found.groups()] == list(told)


@pytest.mark.parametrize(
    ("environment", "understood"),
    [
        ({"TERM": "xterm-kitty"}, "osc99"),
        ({"TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "KITTY_WINDOW_ID": "1"}, "osc99"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "osc9"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "osc9"),
        ({"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"}, "osc9"),
        ({"TERM": "foot"}, "osc777"),
        ({"TERM": "rxvt-unicode-256color"}, "osc777"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, None),
        ({}, None),
    ],
)
def test_the_terminal_gets_what_it_understands(
    environment: dict[str, str], understood: str | None
) -> None:
    assert notification.understood_sequence(environment) == understood


def test_tmux_passes_a_sequence_on_whole() -> None:
    inner = notification.osc99(TOLD)
    wrapped = notification.passed_on(inner, {"TMUX": "/tmp/tmux-0/default,1,0"})
    assert notification.passed_on(inner, {}) == inner
    begin, end = "\x1bPtmux;", "\x1b\\"
    assert wrapped.startswith(begin)
    assert wrapped.endswith(end)
    body = wrapped.removeprefix(begin).removesuffix(end)
    assert "\x1b" not in body.replace("\x1b\x1b", "")  # none that would end it
    assert body.replace("\x1b\x1b", "\x1b") == inner
