"""Tests of any ACP agent: `pytest`, or `pytest --acp-agent "my-agent --acp"`."""

import os

EDIT = os.environ.get("EDIT_PROMPT", "/diff")
"""A prompt that makes the agent edit a file; FOLDER stands for where it works."""


def edit(acp_agent):
    return acp_agent.prompt(EDIT.replace("FOLDER", str(acp_agent.folder)))


def test_a_turn_ends_and_breaks_no_rule(acp_agent):
    acp_agent.permissions = "allow"
    turn = acp_agent.prompt("hello")
    assert turn.stop_reason == "end_turn"
    assert turn.text
    assert not turn.findings


def test_an_edit_is_shown(acp_agent):
    acp_agent.permissions = "allow"
    turn = edit(acp_agent)
    call = turn.tool_calls.one(kind="edit")
    assert call.status == "completed"
    assert call.locations


def test_nothing_is_written_without_permission(acp_agent):
    edit(acp_agent)
    assert not list(acp_agent.folder.iterdir())


def test_a_session_goes_on(acp_agent):
    first, second = acp_agent.prompt("hello"), acp_agent.prompt("hello again")
    assert first.session_id == second.session_id
    assert acp_agent.session.turns == [first, second]
