"""Sessions after a restart of the agent, as the fold sees them."""

from typing import Any

import pytest

from acp_tui.protocol.process_events import ProcessExited, SourceChanged, StdoutClosed
from acp_tui.state.changes import ScreenChanged
from acp_tui.state.entries import Entry, MessageEntry, NoticeEntry, ToolCallEntry
from tests.unit.state.conversation import INITIALIZED, STARTED, Conversation

HERE = {"sessionId": "s", "cwd": "/work", "mcpServers": []}
NEW = {"cwd": "/work"}
NO = {"error": {"code": -32603, "message": "no"}}


def restarted(*, cut: bool = False) -> Conversation:
    """An agent that was asked something, died, and was started again."""
    talk = Conversation.opened()
    id = talk.prompt("First?")
    talk.say("One.")
    if not cut:
        talk.answer(id, result={"stopReason": "end_turn"})
    talk.happened(ProcessExited(talk.number + 0.5, None, "SIGKILL"))
    talk.happened(STARTED)
    talk.call("initialize", {"protocolVersion": 1}, result=INITIALIZED)
    return talk


def texts(entries: list[Entry]) -> list[str]:
    """What was said, and what the client told."""
    said = (one for one in entries if isinstance(one, MessageEntry | NoticeEntry))
    return [one.text if isinstance(one, MessageEntry) else str(one.description) for one in said]


def replayed(talk: Conversation, *texts: str) -> None:
    for text in texts:
        talk.update("user_message_chunk", content={"type": "text", "text": text})
        talk.update("agent_message_chunk", content={"type": "text", "text": "One."})


def test_a_resumed_session_goes_on_where_it_stood() -> None:
    talk = restarted()
    talk.call("session/resume", HERE, result={})
    assert talk.state.open_sessions() == [talk.session]
    assert texts(talk.session.entries) == ["First?", "One.", "It has resumed this session."]


def test_a_turn_that_was_cut_is_said_not_to_be_sent_again() -> None:
    talk = restarted(cut=True)
    talk.call("session/resume", HERE, result={})
    assert texts(talk.session.entries)[-1] == (
        "It has resumed this session. The turn that was lost is not sent again."
    )


def test_what_a_load_replays_is_not_shown_twice() -> None:
    talk = restarted()
    session, entries = talk.session, list(talk.session.entries)
    id = talk.call("session/load", HERE)
    replayed(talk, "First?")
    talk.update("available_commands_update", availableCommands=[{"name": "a", "description": "b"}])
    talk.update("usage_update", used=5, size=100)
    talk.update("something_new", more=1)
    assert talk.session is session
    assert session.entries == entries
    assert session.opening.loading is not None
    changes = talk.answer(id, result={})
    assert ScreenChanged() in changes
    assert texts(session.entries) == ["First?", "One.", "It has loaded this session."]
    assert ([one.name for one in session.commands], session.usage.used) == (["a"], 5)
    assert session.opening.loading is None


def test_what_a_resume_replays_is_not_shown_twice() -> None:
    for lost in (True, False):
        talk = restarted() if lost else Conversation.opened()
        if not lost:
            talk.answer(talk.prompt("First?"), result={"stopReason": "end_turn"})
        before = len(talk.session.entries)
        id = talk.call("session/resume", HERE)
        replayed(talk, "First?")
        talk.answer(id, result={})
        replayed(talk, "More?")
        told = ["It has resumed this session."] if lost else []
        assert texts(talk.session.entries[before:]) == told
        talk.prompt("Second?")
        talk.say("Two.")
        assert texts(talk.session.entries[before:]) == [*told, "Second?", "Two."]


def test_what_is_replayed_after_the_answer_to_a_resume_is_not_shown_twice_either() -> None:
    talk = restarted()
    talk.call("session/resume", HERE, result={})
    replayed(talk, "First?")
    assert texts(talk.session.entries) == ["First?", "One.", "It has resumed this session."]


@pytest.mark.parametrize(
    ("kind", "text", "fields"),
    [
        ("user_message_chunk", "First?\n", {}),
        ("user_message_chunk", "Fir", {}),
        ("user_message_chunk", "<context>a.py</context>\n\nFirst?", {}),
        ("agent_thought_chunk", "Hm.", {}),
        ("agent_message_chunk", "One.", {}),
        ("agent_message_chunk", "O", {"messageId": "m"}),
        ("tool_call", "", {"toolCallId": "t", "title": "Read", "status": "completed"}),
    ],
)
def test_a_late_replay_may_begin_with_anything_that_stands_there(
    kind: str, text: str, fields: dict[str, Any]
) -> None:
    talk = Conversation.opened()
    id = talk.prompt("First?")
    talk.say("One.", messageId="m")
    talk.say("Hm.", "agent_thought_chunk")
    talk.update("tool_call", toolCallId="t", title="Read", status="completed")
    talk.answer(id, result={"stopReason": "end_turn"})
    talk.happened(ProcessExited(talk.number + 0.5, None, "SIGKILL"))
    talk.happened(STARTED)
    talk.call("initialize", {"protocolVersion": 1}, result=INITIALIZED)
    talk.call("session/resume", HERE, result={})
    shown = len(talk.session.entries)
    talk.update(kind, **fields, **({"content": {"type": "text", "text": text}} if text else {}))
    talk.say("and more")
    assert len(talk.session.entries) == shown


def test_what_an_agent_does_by_itself_after_a_resume_is_shown() -> None:
    talk = restarted()
    for _ in range(2):
        talk.prompt("And?")
        talk.say("Done.")
        talk.answer(talk.id, result={"stopReason": "end_turn"})
    talk.call("session/resume", HERE, result={})
    talk.say("Done.", messageId="new")
    talk.say("From the background")
    talk.update("tool_call", toolCallId="t", title="Read", status="completed")
    talk.update("tool_call_update", toolCallId="t", title="Read", status="completed")
    talk.say("Someone else?", "user_message_chunk")
    talk.update(
        "user_message_chunk", content={"type": "image", "data": "", "mimeType": "image/png"}
    )
    assert texts(talk.session.entries)[-2:] == ["From the background", "Someone else?"]


def test_a_resume_that_fails_leaves_all_as_it_was() -> None:
    talk = restarted()
    before = texts(talk.session.entries)
    id = talk.call("session/resume", HERE)
    replayed(talk, "First?")
    talk.answer(id, **NO)
    assert texts(talk.session.entries)[:2] == before
    assert talk.session.lost
    assert talk.session.opening.loading is None


def test_an_agent_that_shows_nothing_of_a_session_is_told_from_an_empty_one() -> None:
    talk = Conversation.opened()
    talk.call("session/load", {**HERE, "sessionId": "old"}, result={})
    old = talk.state.sessions["old"]
    assert (talk.session.is_replay_empty, old.is_replay_empty) == (False, True)
    prompt = [{"type": "text", "text": "Go on"}]
    talk.call("session/prompt", {"sessionId": "old", "prompt": prompt})
    assert isinstance(old.entries[0], NoticeEntry)
    assert old.entries[0].title == "The agent showed nothing of this session"


def test_a_session_that_is_resumed_without_its_history_is_told_from_a_new_one() -> None:
    talk = Conversation.opened()
    talk.call("session/resume", {**HERE, "sessionId": "old"}, result={})
    old = talk.state.sessions["old"]
    assert (talk.session.is_without_history, old.is_without_history) == (False, True)
    prompt = [{"type": "text", "text": "Go on"}]
    talk.call("session/prompt", {"sessionId": "old", "prompt": prompt})
    assert isinstance(old.entries[0], NoticeEntry)
    assert old.entries[0].title == "The agent has resumed this session without its history"


def test_a_session_of_this_run_that_is_resumed_after_a_restart_has_all_its_history() -> None:
    talk = Conversation.opened()
    talk.call("session/resume", HERE, result={})
    assert not talk.session.is_without_history


def test_an_agent_that_replays_after_its_answer_has_shown_something() -> None:
    talk = Conversation.opened()
    id = talk.call("session/load", {**HERE, "sessionId": "old"})
    assert not talk.state.sessions["old"].is_replay_empty
    talk.answer(id, result={})
    talk.say("First?", "user_message_chunk", session_id="old")
    assert not talk.state.sessions["old"].is_replay_empty


def test_what_is_replayed_after_the_answer_to_a_load_is_not_shown_twice_either() -> None:
    talk = restarted()
    talk.call("session/load", HERE, result={})
    replayed(talk, "First?")
    talk.update("notice", severity="warning", title="Careful", description="Live")
    talk.prompt("Second?")
    talk.say("Two.")
    assert texts(talk.session.entries) == [
        "First?",
        "One.",
        "It has loaded this session.",
        "Live",
        "Second?",
        "Two.",
    ]


def test_an_agent_that_replayed_less_may_have_forgotten_the_rest() -> None:
    talk = restarted()
    talk.call("session/load", HERE, result={})
    talk.prompt("Second?")
    assert texts(talk.session.entries)[-2:] == ["It replayed 0 of 1 prompts.", "Second?"]


def test_a_load_that_fails_leaves_all_as_it_was() -> None:
    for answer in (NO, {}):
        talk = restarted()
        before = texts(talk.session.entries)
        id = talk.call("session/load", HERE)
        replayed(talk, "First?")
        if answer:
            talk.answer(id, **answer)
        else:
            talk.happened(ProcessExited(99.0, 1))
        assert texts(talk.session.entries)[:2] == before
        assert talk.session.lost
        assert talk.session.opening.loading is None
        assert talk.session.opening.replay is None


def test_each_new_session_takes_over_a_lost_transcript_in_its_place() -> None:
    talk = Conversation.opened()
    talk.say("one")
    talk.call("session/new", {"cwd": "/else"}, result={"sessionId": "e"})
    talk.call("session/new", NEW, result={"sessionId": "t"})
    talk.say("two", session_id="t")
    talk.happened(STARTED)
    talk.update("plan", "u", entries=[{"content": "early", "priority": "low", "status": "pending"}])
    talk.call("session/new", NEW, result={"sessionId": "u"})
    talk.call("session/new", NEW, result={"sessionId": "v"})
    talk.call("session/new", NEW, result={"sessionId": "w"})
    assert list(talk.state.sessions) == ["u", "e", "v", "w"]
    sessions = talk.state.sessions
    forgot = "The agent remembers nothing of what is above."
    assert texts(sessions["u"].entries) == ["one", forgot]
    assert texts(sessions["v"].entries) == ["two", forgot]
    assert [sessions[one].opening.continues for one in ("u", "v", "w")] == ["s", "t", None]
    assert sessions["e"].lost
    assert sessions["u"].plan.snapshot == 2


def test_an_id_given_again_is_the_same_transcript() -> None:
    talk = restarted()
    talk.call("session/new", NEW, result={"sessionId": "s"})
    assert texts(talk.session.entries)[1:] == [
        "One.",
        "The agent remembers nothing of what is above.",
    ]
    assert not talk.session.lost


def test_a_session_in_which_nothing_was_said_goes_on_without_a_word() -> None:
    talk = Conversation.opened()
    talk.happened(STARTED)
    talk.call("session/new", NEW, result={"sessionId": "t"})
    assert talk.state.sessions["t"].entries == []
    assert list(talk.state.sessions) == ["t"]


def test_what_a_dead_agent_began_is_over_where_its_transcript_goes_on() -> None:
    talk = Conversation.opened()
    talk.update("tool_call", "new", toolCallId="t", title="Of one that is not open yet")
    talk.happened(StdoutClosed(talk.number + 0.5))
    talk.update("tool_call", toolCallId="t", title="Late")
    talk.call("session/new", NEW, result={"sessionId": "new"})
    calls = [one for one in talk.state.sessions["new"].entries if isinstance(one, ToolCallEntry)]
    assert [one.status for one in calls] == ["cancelled", "cancelled"]


def test_a_session_that_is_being_resumed_is_not_taken_over() -> None:
    talk = restarted()
    id = talk.call("session/resume", HERE)
    talk.call("session/new", NEW, result={"sessionId": "t"})
    talk.answer(id, result={})
    open_: list[Any] = [one.session_id for one in talk.state.open_sessions()]
    assert open_ == ["s", "t"]


def test_a_new_session_that_had_entries_is_another_object_below_what_was_said_before() -> None:
    talk = restarted()
    id = talk.call("session/new", NEW)
    talk.update("agent_message_chunk", "new", content={"type": "text", "text": "Early."})
    early = talk.state.sessions["new"]
    talk.answer(id, result={"sessionId": "new"})
    session = talk.state.sessions["new"]
    assert texts(session.entries)[-2:] == [
        "The agent remembers nothing of what is above.",
        "Early.",
    ]
    assert session is not early  # a view draws all of a session that it doesn't know
    assert session.opened
    assert list(talk.state.sessions) == ["new"]


def test_what_a_change_of_its_source_restarted_says_so_however_its_session_comes_back() -> None:
    why = "Its source changed: agent.py and 2 more. "
    for method, params, result, words in (
        ("session/resume", HERE, {}, "It has resumed this session."),
        (
            "session/new",
            NEW,
            {"sessionId": "t"},
            "The agent remembers nothing of what is above.",
        ),
    ):
        talk = Conversation.opened()
        talk.call(
            "session/prompt", {"sessionId": "s", "prompt": []}, result={"stopReason": "end_turn"}
        )
        talk.say("One.")
        talk.happened(SourceChanged(talk.number + 0.1, ("agent.py",), 2))
        talk.happened(ProcessExited(talk.number + 0.2, 0, asked=True))
        talk.happened(STARTED)
        talk.call("initialize", {"protocolVersion": 1}, result=INITIALIZED)
        talk.call(method, params, result=result)
        (session,) = talk.state.open_sessions()
        assert texts(session.entries)[-1] == why + words
        assert talk.state.peer.restart.source is None
