"""Cursors: positions in the conversation at which the agent can fork it."""

from typing import Any

from acp_tui.state.commands import ForkSession
from acp_tui.state.entries import MessageEntry, Role
from tests.unit.state.conversation import Conversation

FORK = {"fork": {}}


def at(kind: str, position: str, **ids: str) -> dict[str, Any]:
    return {"type": kind, "position": position, **ids}


def spoken() -> Conversation:
    """A turn with a message and a tool call."""
    talk = Conversation.opened()
    talk.prompt("hi")
    text = {"type": "text", "text": "hello"}
    talk.update("agent_message_chunk", content=text, messageId="m")
    talk.update("tool_call", toolCallId="t", title="Look")
    return talk


def test_a_cursor_is_placed_before_or_after_what_it_is_anchored_to() -> None:
    talk = spoken()
    for name, anchor in (
        ("a", at("agent_message", "before", messageId="m")),
        ("b", at("agent_message", "after", messageId="m")),
        ("c", at("tool_call", "after", toolCallId="t")),
    ):
        talk.update("cursor_update", cursorId=name, anchor=anchor, capabilities=FORK)
    assert talk.session.indexes.cursors == {"a": 1, "b": 2, "c": 3}
    assert talk.session.fork_cursors == {"a", "b", "c"}


def test_an_anchor_is_fixed_and_capabilities_are_patched() -> None:
    talk = spoken()
    anchor = at("agent_message", "after", messageId="m")
    talk.update("cursor_update", cursorId="a", anchor=anchor, capabilities=FORK)
    talk.update("cursor_update", cursorId="a", anchor=at("tool_call", "after", toolCallId="t"))
    assert (talk.session.indexes.cursors, talk.session.fork_cursors) == ({"a": 2}, {"a"})
    talk.update("cursor_update", cursorId="a", capabilities=None)
    assert talk.session.fork_cursors == set()


def test_a_cursor_at_what_is_not_known_has_no_place() -> None:
    talk = spoken()
    for number, anchor in enumerate(
        (
            at("agent_message", "after", messageId="x"),
            at("agent_message", "beside", messageId="m"),
            at("agent_message", "after"),
            at("tool_call", "after"),
            at("compaction", "after", compactionId="x"),
            at("mood", "after", messageId="m"),
        )
    ):
        talk.update("cursor_update", cursorId=str(number), anchor=anchor, capabilities=FORK)
    assert talk.session.indexes.cursors == {}


def test_a_cursor_moves_with_its_entry() -> None:
    talk = spoken()
    anchor = at("agent_message", "after", messageId="m")
    talk.update("cursor_update", cursorId="a", anchor=anchor)
    talk.session.prepend_entries([MessageEntry(Role.USER, 0.0)])
    assert talk.session.indexes.cursors == {"a": 3}


def test_a_fork_at_a_cursor_says_so() -> None:
    assert ForkSession("s").cursor_id is None
    talk = spoken()
    params = {"sessionId": "s", "cwd": "/work", "mcpServers": [], "cursorId": "a"}
    talk.call("session/fork", params, result={"sessionId": "f"})
    (notice,) = talk.state.sessions["f"].entries
    assert "up to the point that you chose" in str(getattr(notice, "description", ""))
