"""Sessions that the agent opens for subagents, and what sessions say to each other."""

from collections.abc import Callable
from typing import Any

import pytest

from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state.changes import EntryChanged
from acp_tui.state.commands import Cancel
from acp_tui.state.entries import Entry, MessageEntry, NoticeEntry, SubagentEntry
from acp_tui.state.session import Session
from acp_tui.state.subagents import (
    ASKED,
    command_that_stops,
    condition_of,
    descendants_of,
    describe_subagent,
    is_canceled,
    last_words_of,
    name_of,
    root_of,
    seconds_of,
    subagents_at,
    tokens_of,
    working_since,
)
from tests.unit.state.conversation import (
    INITIALIZE_2,
    INITIALIZED,
    INITIALIZED_2,
    STARTED,
    Conversation,
)

OUT = Direction.OUT


def told(talk: Conversation) -> list[tuple[str, str | None]]:
    entries = talk.session.entries
    return [(one.title, one.description) for one in entries if isinstance(one, NoticeEntry)]


def announced(**more: Any) -> Conversation:
    talk = Conversation.opened()
    talk.update("subagent_update", sessionId="c", title="Taster", **more)
    return talk


def child_of(talk: Conversation, session_id: str = "c") -> Session:
    return talk.state.sessions[session_id]


def condition(talk: Conversation, session_id: str = "c") -> str:
    return condition_of(talk.state, child_of(talk, session_id))


def lines(talk: Conversation) -> list[SubagentEntry]:
    return [one for one in talk.session.entries if isinstance(one, SubagentEntry)]


def test_a_child_works_in_its_parents_folder_and_has_one_line_in_its_transcript() -> None:
    talk = announced(description="Tastes", cwd="/", state={"state": "running"})
    child = child_of(talk)
    assert child.opened
    assert child.cwd == talk.session.cwd
    assert describe_subagent(talk.state, "c") == "Subagent Taster: working"
    talk.update("subagent_update", sessionId="c", state={"state": "idle"})
    assert condition(talk) == "done"
    talk.update("subagent_update", sessionId="c", state=None, description=None, title=None)
    assert describe_subagent(talk.state, "c") == "Subagent c: state not reported"
    assert [one.session_id for one in lines(talk)] == ["c"]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (None, "state not reported"),
        ({"state": "unknown"}, "state not reported"),
        ({"state": "requires_action"}, "needs an action"),
        ({"state": "idle"}, "ready"),
        ({"state": "idle", "stopReason": "end_turn"}, "done"),
        ({"state": "idle", "stopReason": "cancelled"}, "canceled"),
        ({"state": "idle", "stopReason": "max_tokens"}, "stopped"),
        ({"state": "idle", "stopReason": "error"}, "failed"),
    ],
)
def test_what_a_child_does_is_what_was_reported_last(
    state: dict[str, Any] | None, words: str
) -> None:
    assert condition(announced(state=state)) == words


def test_a_child_that_asks_waits_for_the_person_until_it_is_answered() -> None:
    talk = announced(state={"state": "running"})
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    number = talk.asks(
        "session/request_permission", sessionId="c", toolCall={"toolCallId": "t"}, options=options
    )
    assert condition(talk) == "waiting for you"
    talk.settle(number, result={"outcome": {"outcome": "selected", "optionId": "y"}})
    assert condition(talk) == "working"


def test_the_time_of_a_child_is_that_of_its_newest_work() -> None:
    talk = announced()
    child = child_of(talk)
    assert seconds_of(child, 9) is None
    talk.update("subagent_update", sessionId="c", state={"state": "running"})
    began = talk.number
    assert seconds_of(child, began + 5) == 5
    talk.update("subagent_update", sessionId="c", state={"state": "requires_action"})
    talk.update("subagent_update", sessionId="c", state={"state": "idle"})
    talk.update("subagent_update", sessionId="c", state={"state": "idle"})
    assert seconds_of(child, 99) == 2
    talk.update("subagent_update", sessionId="c", state={"state": "running"})
    assert seconds_of(child, talk.number + 1) == 1
    assert seconds_of(talk.session, 9) is None


def test_work_goes_on_since_a_turn_or_the_agents_own_or_a_childs_work_began() -> None:
    talk = Conversation.opened()
    assert working_since(talk.state, talk.session) is None
    talk.prompt()
    assert talk.session.turn is not None
    assert working_since(talk.state, talk.session) == talk.session.turn.started
    talk.update("subagent_update", sessionId="c", state={"state": "running"})
    assert working_since(talk.state, child_of(talk)) == talk.number
    talk.update("subagent_update", sessionId="c", state={"state": "idle"})
    assert working_since(talk.state, child_of(talk)) is None


def test_the_tokens_of_a_child_are_those_of_its_work_or_else_of_its_context() -> None:
    talk = announced()
    assert tokens_of(child_of(talk)) is None
    changes = talk.update("usage_update", session_id="c", used=5, size=10)
    assert EntryChanged("s", talk.session.entries.index(lines(talk)[0])) in changes
    assert tokens_of(child_of(talk)) == 5
    usage = {"totalTokens": 70, "inputTokens": 60, "outputTokens": 10}
    talk.update("subagent_update", sessionId="c", state={"state": "idle", "usage": usage})
    talk.update("subagent_update", sessionId="c", state={"state": "running"})
    assert tokens_of(child_of(talk)) == 70
    assert tokens_of(talk.session) is None


def test_the_last_words_of_a_child_are_its_last_line_or_why_it_failed() -> None:
    talk = announced()
    assert last_words_of(child_of(talk)) == ""
    talk.say("hot\n\n", session_id="c")
    talk.update("tool_call", session_id="c", toolCallId="t", title="Blow")
    assert describe_subagent(talk.state, "c") == "Subagent Taster: state not reported\nhot"
    error = {"code": 1, "message": "no tongue"}
    failed = {"state": "idle", "stopReason": "error", "error": error}
    talk.update("subagent_update", sessionId="c", state=failed)
    assert last_words_of(child_of(talk)) == "no tongue"
    assert describe_subagent(talk.state, "x") == "Subagent x"
    assert last_words_of(talk.session) == ""


def test_a_child_is_shown_in_the_tool_call_that_links_to_it_while_it_does() -> None:
    talk = Conversation.opened()
    talk.update("tool_call", toolCallId="t", title="Taste", content=[])
    talk.update("subagent_update", sessionId="c")
    (line,) = lines(talk)
    assert not line.embedded
    link = {"type": "session", "sessionId": "c"}
    changes = talk.update("tool_call_update", toolCallId="t", content=[link])
    index = talk.session.entries.index(line)
    assert line.embedded
    assert EntryChanged("s", index) in changes
    call = talk.session.indexes.tool_calls["t"]
    changes = talk.say("hot", session_id="c")
    assert {EntryChanged("s", index), EntryChanged("s", call)} <= set(changes)
    talk.update("tool_call_update", toolCallId="t", content=[])
    assert not line.embedded


def test_a_child_is_found_at_the_one_entry_that_shows_it() -> None:
    talk = Conversation.opened()
    talk.update("tool_call", toolCallId="t", title="Taste", content=[])
    talk.update("subagent_update", sessionId="c")

    def shown_at(entry: Entry) -> list[Session]:
        return subagents_at(talk.state, talk.session, entry)

    (line,) = lines(talk)
    call = talk.session.entries[talk.session.indexes.tool_calls["t"]]
    assert (shown_at(line), shown_at(call)) == ([child_of(talk)], [])
    links = [{"type": "session", "sessionId": id} for id in ("c", "c", "unknown", "s")]
    talk.update("tool_call_update", toolCallId="t", content=links)
    assert (shown_at(line), shown_at(call)) == ([], [child_of(talk)])
    talk.say("hot")
    assert shown_at(talk.session.entries[-1]) == []


def test_a_child_that_is_announced_after_the_link_is_shown_there() -> None:
    talk = Conversation.opened_in_2()
    link = {"type": "session", "sessionId": "c"}
    talk.update("tool_call_update", toolCallId="t", title="Taste")
    talk.update("tool_call_content_chunk", toolCallId="t", content=link)
    assert describe_subagent(talk.state, "c") == "Subagent c"
    talk.update("subagent_update", sessionId="c")
    assert [one.embedded for one in lines(talk)] == [True]


def test_the_state_that_a_child_reports_itself_is_that_of_its_line() -> None:
    talk = Conversation.opened_in_2()
    talk.update("subagent_update", sessionId="c", state={"state": "running"})
    talk.update("state_update", session_id="c", state="idle", stopReason="cancelled")
    assert condition(talk) == "canceled"


def test_children_of_children_belong_to_the_session_that_a_person_opened() -> None:
    talk = announced()
    talk.update("subagent_update", session_id="c", sessionId="d", title="Blower")
    talk.update("subagent_update", sessionId="e")
    assert [one.session_id for one in descendants_of(talk.state, "s")] == ["c", "d", "e"]
    assert root_of(talk.state, "d") == root_of(talk.state, "s") == "s"
    assert root_of(talk.state, "nobody") == "nobody"


def test_a_child_that_is_announced_after_its_own_children_opens_them() -> None:
    talk = Conversation.opened()
    talk.update("subagent_update", session_id="c", sessionId="d", title="Blower")
    assert not child_of(talk, "d").opened
    talk.update("subagent_update", sessionId="c", title="Taster")
    assert (child_of(talk, "d").opened, child_of(talk, "d").cwd) == (True, "/work")


@pytest.mark.parametrize("method", ["session/close", "session/delete"])
def test_children_end_with_the_session_that_they_work_for(method: str) -> None:
    talk = announced(state={"state": "running"})
    talk.update("subagent_update", session_id="c", sessionId="d", state={"state": "running"})
    talk.update("subagent_update", sessionId="e", state={"state": "idle", "stopReason": "end_turn"})
    talk.call(method, {"sessionId": "s"}, result={})
    assert [one.opened for one in talk.state.sessions.values()] == [False] * 4
    assert [condition(talk, id) for id in "cde"] == ["stopped", "stopped", "done"]


def test_a_child_that_was_done_stays_so_when_its_session_is_closed() -> None:
    talk = announced(state={"state": "idle", "stopReason": "end_turn"})
    before = condition(talk)
    talk.call("session/close", {"sessionId": "s"}, result={})
    assert (condition(talk), child_of(talk).closed) == (before, True)


def test_no_child_changes_its_parent_and_none_is_its_own() -> None:
    talk = announced()
    talk.update("subagent_update", session_id="x", sessionId="c", title="Mine")
    assert (child_of(talk).title, root_of(talk.state, "c")) == ("Taster", "s")
    talk.update("subagent_update", session_id="y", sessionId="y")
    talk.update("subagent_update", session_id="c", sessionId="s")
    assert root_of(talk.state, "y") == "y"
    assert talk.session.subagent is None


def test_only_a_child_at_work_can_be_stopped_and_only_where_that_is_offered() -> None:
    talk = announced(state={"state": "running"})
    (line,) = lines(talk)

    def stop() -> object:
        return command_that_stops(talk.state, talk.session, line)

    assert stop() is None
    talk.update("subagent_update", sessionId="c", capabilities={"cancel": {}})
    assert stop() == Cancel("c")
    talk.frame(OUT, {"method": "session/cancel", "params": {"sessionId": "c"}})
    assert stop() == ASKED
    talk.update("subagent_update", sessionId="c", state={"state": "idle"})
    assert stop() is None
    talk.update("subagent_update", sessionId="c", state={"state": "running"})
    assert stop() == Cancel("c")


def test_the_child_that_a_tool_call_links_to_is_stopped_there() -> None:
    talk = announced(state={"state": "running"}, capabilities={"cancel": {}})
    link = {"type": "session", "sessionId": "c"}
    unknown = {"type": "session", "sessionId": "x"}
    talk.update("tool_call", toolCallId="t", title="Taste", content=[link, unknown])
    call = talk.session.tool_call("t")
    assert call is not None
    assert command_that_stops(talk.state, talk.session, call) == Cancel("c")


def loading(talk: Conversation, method: str = "session/load") -> int:
    return talk.call(method, {"sessionId": "s", "cwd": "/work", "mcpServers": []})


def test_children_that_are_announced_while_a_session_is_loaded_open_with_it() -> None:
    talk = Conversation()
    talk.happened(STARTED)
    talk.call("initialize", {"protocolVersion": 1}, result=INITIALIZED)
    id = loading(talk)
    talk.update("subagent_update", sessionId="c", title="Taster")
    talk.say("hot", session_id="c")
    assert not child_of(talk).opened
    talk.answer(id, result={})
    assert (child_of(talk).opened, child_of(talk).cwd) == (True, "/work")
    assert last_words_of(child_of(talk)) == "hot"
    assert len(lines(talk)) == 1


def test_what_is_replayed_of_a_known_child_is_not_shown_twice() -> None:
    talk = announced()
    talk.say("hot", session_id="c")
    id = loading(talk)
    talk.update("subagent_update", sessionId="c", title="Taster")
    talk.say("hot", session_id="c")
    talk.answer(id, result={})
    talk.say("?", session_id="c")
    assert last_words_of(child_of(talk)) == "hot?"


def test_subagents_with_one_title_are_told_apart_by_numbers() -> None:
    talk = announced()
    talk.update("subagent_update", sessionId="c", title="Explore")
    talk.update("subagent_update", "c", sessionId="d", title="Explore")
    talk.update("subagent_update", sessionId="e", title="Explore")
    talk.update("subagent_update", sessionId="f", title="Review")
    assert [name_of(talk.state, one) for one in "cdef"] == [
        "Explore",
        "Explore 2",
        "Explore 3",
        "Review",
    ]
    talk.update("session_info_update", title="Review")
    assert name_of(talk.state, "s") == "Review"


def test_work_that_is_replayed_has_no_time_and_what_follows_has() -> None:
    talk = announced(state={"state": "running"})
    assert seconds_of(child_of(talk), talk.number + 5.0) == 5.0
    id = loading(talk)
    for state in ("idle", "running", "idle"):
        talk.update("subagent_update", sessionId="c", state={"state": state})
        assert seconds_of(child_of(talk), talk.number + 5.0) is None
    talk.answer(id, result={})
    talk.update("subagent_update", sessionId="c", state={"state": "running"})
    assert seconds_of(child_of(talk), talk.number + 5.0) == 5.0


@pytest.mark.parametrize("session_id", ["s", "c"])
def test_what_follows_the_end_of_a_replay_is_new_before_the_resume_is_answered(
    session_id: str,
) -> None:
    talk = Conversation.opened_in_2()
    talk.update("subagent_update", sessionId="c", title="Taster")
    talk.say("hot", session_id=session_id, messageId="m")
    about = {"sessionId": "s", "cwd": "/work", "replayFrom": {"type": "start"}}
    id = talk.call("session/resume", about)
    talk.update("subagent_update", sessionId="c", title="Taster")
    for replayed in ("c", "s"):
        if replayed == session_id:
            talk.say("hot", session_id=session_id, messageId="m")
        talk.update("replay_complete", session_id=replayed)
    talk.say("cold", session_id=session_id, messageId="n")
    talk.answer(id, result={})
    entries = talk.state.sessions[session_id].entries
    assert [one.text for one in entries if isinstance(one, MessageEntry)] == ["hot", "cold"]


def test_children_that_are_replayed_in_version_2_are_shown_as_they_were() -> None:
    talk = Conversation()
    talk.happened(STARTED)
    talk.call("initialize", INITIALIZE_2, result=INITIALIZED_2)
    about = {"sessionId": "s", "cwd": "/work", "replayFrom": {"type": "start"}}
    id = talk.call("session/resume", about)
    talk.update("subagent_update", sessionId="c", title="Taster", state={"state": "running"})
    talk.say("hot", session_id="c", messageId="m")
    ended = {"state": "idle", "stopReason": "end_turn"}
    talk.update("subagent_update", sessionId="c", state=ended)
    talk.update("replay_complete", session_id="c")
    talk.update("replay_complete")
    talk.answer(id, result={})
    assert child_of(talk).opened
    assert seconds_of(child_of(talk), 100.0) is None  # the replay's time is not that of the work
    assert describe_subagent(talk.state, "c") == "Subagent Taster: done\nhot"
    assert len(lines(talk)) == 1


@pytest.mark.parametrize("answer", [{"error": {"code": 1, "message": "no"}}, {"result": {}}])
def test_a_child_is_open_again_once_a_restarted_agent_announces_it(answer: dict[str, Any]) -> None:
    talk = announced(state={"state": "running"})
    talk.say("hot", session_id="c")
    talk.happened(ProcessExited(5.0, 1))
    assert condition(talk) == "lost with the agent"
    talk.happened(STARTED)
    assert condition(talk) == "lost with the agent"
    talk.call("initialize", {"protocolVersion": 1}, result=INITIALIZED)
    id = loading(talk)
    talk.update("subagent_update", sessionId="c", state={"state": "idle"})
    talk.say("hot", session_id="c")
    talk.answer(id, **answer)
    assert child_of(talk).opened
    assert condition(talk) == "done"
    talk.say("?", session_id="c")
    assert last_words_of(child_of(talk)) == "hot?"


def test_what_a_child_says_stands_in_its_own_transcript() -> None:
    talk = announced()
    talk.say("hot", session_id="c")
    (entry,) = talk.state.sessions["c"].entries
    assert isinstance(entry, MessageEntry)
    assert entry.text == "hot"


@pytest.mark.parametrize(
    ("capabilities", "allowed"), [(None, False), ({}, False), ({"cancel": {}}, True)]
)
def test_a_child_may_be_cancelled_where_that_is_said(
    capabilities: dict[str, Any] | None, allowed: bool
) -> None:
    talk = announced(capabilities={"cancel": {}})
    talk.update("subagent_update", sessionId="c", capabilities=capabilities)
    about = talk.state.sessions["c"].subagent
    assert about is not None
    assert about.can_cancel is allowed


def test_a_session_of_the_persons_own_is_nobodys_child() -> None:
    talk = Conversation.opened()
    talk.update("subagent_update", sessionId="s", title="Me?")
    assert talk.session.subagent is None
    assert lines(talk) == []


def test_a_child_ends_with_its_process_and_is_not_brought_back() -> None:
    talk = announced()
    child = talk.state.sessions["c"]
    talk.happened(ProcessExited(5.0, 1))
    assert child.opened
    assert not child.lost
    talk.happened(STARTED)
    assert (child.opened, child.closed) == (False, True)


def test_messages_between_sessions_are_written_over_and_grow() -> None:
    talk = announced()
    piece = {"type": "text", "text": "hot"}
    talk.update("session_message_chunk", messageId="m", content=piece)
    talk.update("session_message", messageId="m", senderSessionId="s", recipientSessionId="c")
    talk.update("session_message_chunk", messageId="m", content={**piece, "text": "?"})
    assert told(talk) == [("Message to Taster", "hot?")]
    image = {"type": "image", "data": "", "mimeType": "image/png"}
    talk.update("session_message", messageId="m", senderSessionId="c", content=[piece, image])
    assert told(talk) == [("Message from Taster to ?", "hot[image]")]
    talk.update("session_message", messageId="m", content=None)
    assert told(talk) == [("Message from Taster to ?", "")]
    talk.update("session_message", messageId="n")
    assert told(talk)[1:] == [("Message from ? to ?", None)]
    talk.update("session_message", messageId="o", senderSessionId="c", recipientSessionId="s")
    assert told(talk)[2:] == [("Message from Taster", None)]


@pytest.mark.parametrize("opened", [Conversation.opened, Conversation.opened_in_2])
def test_a_message_between_sessions_is_shown_whatever_its_ends_are(
    opened: Callable[[], Conversation],
) -> None:
    talk = opened()
    bad = {"senderSessionId": 5, "recipientSessionId": ["c"], "content": "hot"}
    talk.update("session_message", messageId="m", **bad)
    assert [title for title, _ in told(talk)] == ["Message from ? to ?"]


def test_a_parent_without_a_title_is_not_named_by_its_id() -> None:
    talk = announced()
    sent = {"senderSessionId": "s", "recipientSessionId": "c"}
    talk.update("session_message", session_id="c", messageId="m", **sent)
    talk.update("session_info_update", title="Tea")
    talk.update("session_message", session_id="c", messageId="n", **sent)
    titles = [one.title for one in talk.state.sessions["c"].entries if isinstance(one, NoticeEntry)]
    assert titles == ["Message from the parent", "Message from Tea"]


def test_a_cancel_reaches_the_subagents_of_the_turn_and_of_the_subagent() -> None:
    talk = announced(state={"state": "running"})
    talk.update("subagent_update", session_id="c", sessionId="d")
    assert not any(is_canceled(talk.state, id) for id in ("s", "c", "d", "nobody"))
    talk.frame(OUT, {"method": "session/cancel", "params": {"sessionId": "c"}})
    assert [is_canceled(talk.state, id) for id in ("s", "c", "d")] == [False, True, True]
    talk.update("subagent_update", sessionId="c", state={"state": "idle"})
    talk.prompt()
    assert not is_canceled(talk.state, "d")
    talk.cancel()
    assert all(is_canceled(talk.state, id) for id in ("s", "c", "d"))


def test_subagents_that_name_each_other_as_parents_are_not_followed_forever() -> None:
    talk = Conversation.opened()
    talk.update("subagent_update", session_id="x", sessionId="y")
    talk.update("subagent_update", session_id="y", sessionId="x")
    assert not is_canceled(talk.state, "x")
    assert [one.session_id for one in descendants_of(talk.state, "x")] == ["y"]


def test_subagents_of_subagents_may_be_as_many_as_there_are() -> None:
    talk = Conversation.opened()
    parent = "s"
    for number in range(1_200):
        talk.update("subagent_update", session_id=parent, sessionId=f"c{number}")
        parent = f"c{number}"
    assert root_of(talk.state, parent) == "s"
    assert [one.session_id for one in descendants_of(talk.state, "s")][-1] == parent


def test_a_session_that_is_resumed_leaves_the_subagents_that_are_gone_closed() -> None:
    talk = announced()
    talk.happened(ProcessExited(5.0, 1))
    talk.happened(STARTED)
    talk.call("initialize", {"protocolVersion": 1}, result=INITIALIZED)
    talk.answer(loading(talk, "session/resume"), result={})
    assert talk.session.opened
    assert not child_of(talk).opened


def test_tool_calls_that_link_elsewhere_leave_a_subagent_where_it_is_shown() -> None:
    talk = announced()
    link = {"type": "session", "sessionId": "c"}
    for id in ("t", "u"):
        talk.update("tool_call", toolCallId=id, title="Taste", content=[link])
    talk.update("tool_call", toolCallId="v", title="Wait")
    changes = talk.update("tool_call_update", toolCallId="t", content=[])
    assert lines(talk)[0].embedded
    assert EntryChanged("s", talk.session.entries.index(lines(talk)[0])) not in changes
    assert EntryChanged("s", talk.session.indexes.tool_calls["v"]) not in talk.say(
        "hot", session_id="c"
    )


def test_subagents_are_shown_at_their_line_or_the_call_that_links_to_them() -> None:
    talk = announced()
    talk.update("subagent_update", session_id="c", sessionId="d")
    links = [{"type": "session", "sessionId": one} for one in ("c", "c", "d", "s", "unknown")]
    state, session = talk.state, talk.session
    line = next(one for one in session.entries if isinstance(one, SubagentEntry))
    assert subagents_at(state, session, line) == [state.sessions["c"]]
    talk.update("tool_call", toolCallId="t", title="Task", content=links)
    talk.say("Hello")
    assert [
        [one.session_id for one in subagents_at(state, session, at)] for at in session.entries
    ] == [
        *[[]] * (len(session.entries) - 2),
        ["c"],
        [],
    ]
