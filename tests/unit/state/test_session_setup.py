"""Sessions found, opened and ended, as the fold sees them."""

from typing import Any

import pytest

from acp_tui.protocol.events import ClientNotice, SignedIn
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import ProcessExited, StdoutClosed
from acp_tui.state.changes import Change, NoticeAdded, ScreenChanged
from acp_tui.state.entries import MessageEntry, NoticeEntry
from acp_tui.state.peer import Phase
from tests.unit.state.conversation import INITIALIZED, STARTED, Conversation

OLD = {"sessionId": "old", "cwd": "/work", "mcpServers": []}
NO = {"error": {"code": -32603, "message": "no", "data": {"why": "because"}}}


def started() -> Conversation:
    """A conversation before its first session."""
    talk = Conversation()
    talk.happened(STARTED)
    talk.call("initialize", {"protocolVersion": 1}, result=INITIALIZED)
    return talk


def listed(talk: Conversation, *pages: dict[str, Any]) -> None:
    cursor = None
    for page in pages:
        talk.call("session/list", {"cursor": cursor} if cursor else {}, result=page)
        cursor = page.get("nextCursor")


def info(session_id: str, **more: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "cwd": "/work", **more}


def test_before_initialize_nothing_is_offered() -> None:
    talk = Conversation()
    assert not talk.state.peer.offers("session/new")
    assert started().state.peer.offers("session/new")
    assert not started().state.peer.offers("session/fork")


@pytest.mark.parametrize(
    ("steering", "offered"),
    [({"supported": True}, True), ({"supported": "yes"}, False), (True, False), (None, False)],
)
def test_steering_is_offered_in_the_agent_s_own_words(steering: Any, offered: bool) -> None:
    talk = Conversation()
    talk.happened(STARTED)
    result = {**INITIALIZED, "_meta": {"steering": steering}}
    talk.call("initialize", {"protocolVersion": 1}, result=result)
    assert talk.state.peer.offers("_session/steering") is offered


def test_pages_make_one_list_and_a_new_list_replaces_it() -> None:
    talk = started()
    listed(talk, {"sessions": [info("a")], "nextCursor": "2"}, {"sessions": [info("b")]})
    assert list(talk.state.catalogue.sessions) == ["a", "b"]
    assert talk.state.catalogue.cursors == ["2"]
    listed(talk, {"sessions": [info("c")]})
    assert list(talk.state.catalogue.sessions) == ["c"]
    assert talk.state.catalogue.cursors == []


def test_a_list_loads_until_it_is_answered_or_fails() -> None:
    talk = started()
    number = talk.call("session/list", {})
    assert talk.state.catalogue.loading
    changes = talk.answer(number, **NO)
    assert ScreenChanged() in changes
    assert not talk.state.catalogue.loading
    assert talk.state.notices[-1].description == 'no (-32603)\n{"why": "because"}'
    talk.call("session/list", {})
    changes = talk.happened(ProcessExited(9.0, 1))
    assert ScreenChanged() in changes
    assert not talk.state.catalogue.loading


def test_a_loaded_session_has_its_title_from_the_list() -> None:
    talk = started()
    listed(talk, {"sessions": [info("old", title="Tea")]})
    talk.call("session/load", OLD, result=None)
    assert talk.state.sessions["old"].title == "Tea"
    talk.call("session/resume", OLD | {"sessionId": "other"}, result={})
    assert [one.session_id for one in talk.state.open_sessions()] == ["old", "other"]


def test_a_load_clears_what_was_there_and_a_failed_one_brings_it_back() -> None:
    talk = Conversation.opened("old")
    talk.say("kept", session_id="old")
    before = talk.state.sessions["old"]
    number = talk.call("session/load", OLD)
    assert talk.state.sessions["old"].entries == []
    changes = talk.answer(number, **NO)
    assert ScreenChanged() in changes
    assert talk.state.sessions["old"] is before
    assert isinstance(before.entries[-1], NoticeEntry)
    talk.call("session/load", OLD)
    talk.happened(ProcessExited(9.0, 0))
    assert talk.state.sessions["old"] is before
    assert before.lost


def test_a_question_is_answered_while_its_session_is_loaded_anew() -> None:
    talk = Conversation.opened()
    talk.say("kept")
    params = {"toolCall": {"toolCallId": "t"}, "options": []}
    question = talk.asks("session/request_permission", **params)
    load = talk.call("session/load", OLD | {"sessionId": "s"})
    assert [one.number for one in talk.state.waiting_permissions()] == [question]
    talk.settle(question, result={"outcome": {"outcome": "cancelled"}})
    assert talk.state.waiting_permissions() == []
    talk.answer(load, **NO)
    assert talk.state.waiting_permissions() == []
    assert isinstance(talk.session.entries[0], MessageEntry)


def test_a_session_that_the_agent_works_in_while_it_is_loaded_is_kept() -> None:
    talk = Conversation.opened()
    talk.say("before")
    load = talk.call("session/load", OLD | {"sessionId": "s"})
    question = talk.asks("session/request_permission", toolCall={"toolCallId": "t"}, options=[])
    talk.answer(load, **NO)
    assert [one.number for one in talk.state.waiting_permissions()] == [question]


def test_a_first_load_that_fails_is_the_agent_s_trouble() -> None:
    talk = started()
    talk.call("session/load", OLD, **NO)
    assert talk.state.sessions["old"].opening.loading is None
    assert "couldn't load the session (session/load): " in str(talk.state.peer.trouble)
    assert talk.state.peer.phase is Phase.NO_SESSION
    talk.call("auth/status", {})
    assert talk.state.peer.phase is Phase.NO_SESSION
    number = talk.call("session/new", {"cwd": "/work"})
    assert talk.state.peer.phase is Phase.CONNECTED
    talk.answer(number, **NO)
    assert talk.state.peer.phase is Phase.NO_SESSION
    talk.happened(StdoutClosed(8.0))
    assert talk.state.peer.phase is Phase.FAILED


def test_a_load_that_wants_a_sign_in_is_what_is_blocked() -> None:
    talk = started()
    talk.call("session/load", OLD, error={"code": -32000, "message": "sign in"})
    assert talk.state.peer.sign_in is not None
    assert talk.state.peer.sign_in.blocked.method == "session/load"
    assert talk.state.notices == []


def test_a_result_that_makes_no_sense_is_told() -> None:
    talk = Conversation.opened()
    talk.call("session/list", {}, result=[])
    assert (
        "can't be read" in f"{talk.state.notices[-1].title}: {talk.state.notices[-1].description}"
    )


@pytest.mark.parametrize("answer", [{"result": {}}, {"error": {"code": -32002, "message": "gone"}}])
def test_deleting_closes_and_strikes_from_the_list(answer: dict[str, Any]) -> None:
    talk = Conversation.opened()
    listed(talk, {"sessions": [info("s"), info("t")]})
    talk.call("session/delete", {"sessionId": "s"}, **answer)
    assert list(talk.state.catalogue.sessions) == ["t"]
    assert talk.session.closed
    talk.call("session/delete", {"sessionId": "t"}, **answer)
    assert not talk.state.catalogue.sessions
    assert talk.state.notices == []


def test_a_closed_session_stays_to_be_read_and_can_be_opened_again() -> None:
    talk = Conversation.opened()
    talk.say("words")
    talk.call("session/close", {"sessionId": "s"}, result={})
    assert talk.session.closed
    assert not talk.state.open_sessions()
    talk.call("session/resume", OLD | {"sessionId": "s"}, result={})
    assert talk.state.open_sessions() == [talk.session]
    assert not talk.session.closed


def test_a_failing_close_is_told_in_the_session() -> None:
    talk = Conversation.opened()
    talk.call("session/close", {"sessionId": "s"}, **NO)
    entry = talk.session.entries[-1]
    assert isinstance(entry, NoticeEntry)
    assert entry.severity == "error"
    assert talk.session.opened


def test_a_fork_that_names_an_open_session_is_none_and_leaves_that_as_it_is() -> None:
    talk = started()
    talk.call("session/new", {"cwd": "/work", "mcpServers": []}, result={"sessionId": "s"})
    elsewhere = {"cwd": "/else", "mcpServers": [], "sessionId": "s"}
    talk.call("session/fork", elsewhere, result={"sessionId": "s"})
    [notice] = talk.session.entries
    assert isinstance(notice, NoticeEntry)
    assert (notice.severity, notice.title) == ("warning", "Not a new session")
    assert talk.session.cwd == "/work"


def test_a_fork_names_what_it_came_from() -> None:
    talk = Conversation.opened()
    talk.update("session_info_update", title="Tea")
    talk.call("session/fork", OLD | {"sessionId": "s"}, result={"sessionId": "f"})
    talk.call("session/fork", OLD | {"sessionId": "unseen"}, result={"sessionId": "g"})
    kept = {"sessionId": "kept", "cwd": "/work", "title": "Coffee"}
    talk.call("session/list", {}, result={"sessions": [kept]})
    talk.call("session/fork", OLD | {"sessionId": "kept"}, result={"sessionId": "h"})
    titles = [talk.state.sessions[one].entries[0] for one in ("f", "g", "h")]
    assert [one.title for one in titles if isinstance(one, NoticeEntry)] == [
        "A fork of Tea",
        "A fork of unseen",
        "A fork of Coffee",
    ]


def test_what_we_take_back_is_marked_until_it_is_answered() -> None:
    talk = Conversation.opened()
    number = talk.call("session/list", {})
    params = {"requestId": number}
    changes = talk.frame(Direction.OUT, {"method": "$/cancel_request", "params": params})
    assert ScreenChanged() in changes
    assert talk.state.cancelled_calls.keys() == talk.state.calls.keys()
    talk.answer(number, error={"code": -32800, "message": "cancelled"})
    assert not talk.state.cancelled_calls
    assert [one.severity for one in talk.state.notices] == ["info"]


def test_modes_and_models_follow_what_was_agreed() -> None:
    talk = Conversation()
    talk.happened(STARTED)
    talk.call("initialize", {"protocolVersion": 1}, result=INITIALIZED)
    models = {"currentModelId": "a", "availableModels": [{"modelId": "a", "name": "A"}]}
    talk.call("session/new", {"cwd": "/"}, result={"sessionId": "s", "models": models})
    talk.call("session/set_model", {"sessionId": "s", "modelId": "b"}, result=None)
    assert talk.session.config.models is not None
    assert talk.session.config.models.current_model_id == "b"
    talk.call("session/set_model", {"sessionId": "t", "modelId": "b"}, result=None)
    assert talk.state.sessions["t"].config.models is None


def test_a_message_that_joined_the_turn_stands_in_the_transcript() -> None:
    talk = Conversation.opened()
    talk.prompt()
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": "faster"}]}
    talk.call("_session/steering", params, result={"outcome": "promptRequired"})
    count = len(talk.session.entries)
    talk.call("_session/steering", params, result={"outcome": "injected"})
    assert len(talk.session.entries) == count + 1


def test_what_belongs_to_no_session_is_told_beside_them() -> None:
    talk = Conversation.opened()
    changes: list[Change] = talk.happened(ClientNotice(5.0, None, "error", "Oh", "dear"))
    assert changes == [NoticeAdded(0)]
    assert talk.state.peer.trouble is None
    alone = Conversation()
    assert ScreenChanged() in alone.happened(ClientNotice(5.0, None, "error", "Oh"))
    assert alone.state.peer.trouble == "Oh"


def test_a_logout_is_told() -> None:
    talk = Conversation.opened()
    talk.call("logout", {}, result=None)
    assert talk.state.notices[-1].title == "Signed out"


def test_a_sign_in_program_s_end() -> None:
    talk = started()
    talk.happened(SignedIn(2.0, "login", 0))  # nobody asked for it
    talk.call("session/new", {"cwd": "/"}, error={"code": -32000, "message": "sign in"})
    sign_in = talk.state.peer.sign_in
    assert sign_in is not None
    talk.happened(SignedIn(3.0, "login", 3))
    assert sign_in.failure is not None
    assert sign_in.trying is None
    talk.happened(SignedIn(3.0, "login", 0))
    assert sign_in.failure is None
    assert sign_in.trying == "login"


def test_why_no_session_could_be_opened_is_told_once_and_without_escapes() -> None:
    talk = started()
    data = {"details": 'It ended. stderr: "/a/b" is cut.\nInstall it again.'}
    error = {"code": -32603, "message": "Internal error", "data": data}
    talk.call("session/new", {"cwd": "/"}, error=error)
    first, *rest = str(talk.state.peer.trouble).splitlines()
    assert first.endswith(" couldn't open a session (session/new): Internal error (-32603)")
    assert rest == ['It ended. stderr: "/a/b" is cut.', "Install it again."]


HERE = {"sessionId": "s"}
LISTED = {"sessions": [{"sessionId": "s", "cwd": "/work"}, {"sessionId": "t", "cwd": "/work"}]}


def with_listed_sessions() -> Conversation:
    """An agent that told which sessions it keeps; one of them is open."""
    talk = Conversation.opened()
    talk.call("session/list", {}, result=LISTED)
    return talk


def test_an_archived_session_is_closed_and_stays_in_the_list() -> None:
    talk = with_listed_sessions()
    talk.call("session/archive", HERE, result={})
    assert talk.state.catalogue.sessions["s"].archived
    assert talk.session.closed
    talk.call("session/unarchive", HERE, result={})
    assert not talk.state.catalogue.sessions["s"].archived


def test_a_session_that_nobody_opened_or_listed_can_be_archived_and_renamed() -> None:
    talk = with_listed_sessions()
    for session_id in ("t", "unheard-of"):
        talk.call("session/archive", {"sessionId": session_id}, result={})
        params = {"sessionId": session_id, "title": "Tea"}
        talk.call("session/set_title", params, result={"title": "Tea"})
    assert talk.state.catalogue.sessions["t"].archived
    assert talk.state.catalogue.sessions["t"].title == "Tea"
    assert set(talk.state.catalogue.sessions) == {"s", "t"}
    assert set(talk.state.sessions) == {"s"}


def test_providers_are_asked_of_an_agent_that_has_them_where_unstable_methods_are_wanted() -> None:
    def offered(client: dict[str, Any], agent: dict[str, Any]) -> bool:
        talk = Conversation()
        talk.happened(STARTED)
        params = {"protocolVersion": 1, "clientCapabilities": client}
        result = {"protocolVersion": 1, "agentCapabilities": agent}
        talk.call("initialize", params, result=result)
        return talk.state.peer.offers("providers/list")

    assert offered({"plan": {}}, {"providers": {}})
    assert not offered({"plan": {}}, {})
    assert not offered({}, {"providers": {}})


def test_the_title_is_what_the_agent_made_of_it() -> None:
    talk = with_listed_sessions()
    talk.call("session/set_title", {**HERE, "title": " tea "}, result={"title": "Tea"})
    assert talk.session.title == "Tea"
    assert talk.state.catalogue.sessions["s"].title == "Tea"


def test_what_the_agent_has_in_memory_is_kept() -> None:
    talk = with_listed_sessions()
    talk.call("session/status", {"sessionId": "t"}, result={"status": "open"})
    assert talk.state.catalogue.statuses == {"t": "open"}


@pytest.mark.parametrize(
    ("given", "read", "unread"),
    [
        ([{"providerId": "p", "supported": []}, {"id": "q"}, 3], 1, 2),
        ({"p": {"supported": []}}, 0, 1),
        ([], 0, 0),
    ],
)
def test_providers_of_another_shape_are_counted(given: object, read: int, unread: int) -> None:
    talk = with_listed_sessions()
    talk.call("providers/list", {}, result={"providers": given})
    assert len(talk.state.peer.providers or []) == read
    assert talk.state.peer.unread_providers == unread


def test_providers_are_asked_for_again_when_one_was_set() -> None:
    talk = with_listed_sessions()
    known = {"providers": [{"providerId": "p", "supported": ["x"]}]}
    for method, params in (
        ("providers/set", {"providerId": "p", "apiType": "x", "baseUrl": "https://x.org"}),
        ("providers/disable", {"providerId": "p"}),
    ):
        talk.call("providers/list", {}, result=known)
        assert talk.state.peer.providers is not None
        assert [one.provider_id for one in talk.state.peer.providers] == ["p"]
        talk.call(method, params, result={})
        assert talk.state.peer.providers is None


def test_who_is_signed_in_is_known_by_answer_and_by_notification() -> None:
    talk = with_listed_sessions()
    talk.call("auth/status", {}, result={"state": "signed_out"})
    assert talk.state.peer.auth_status is not None
    assert talk.state.peer.auth_status.state == "signed_out"
    update = {"method": "auth/status_update", "params": {"state": "signed_in"}}
    assert talk.frame(Direction.IN, update) == [ScreenChanged()]
    assert talk.state.peer.auth_status.state == "signed_in"


def test_the_options_of_a_session_to_come_are_those_of_the_newest_answer() -> None:
    talk = with_listed_sessions()
    option = {"id": "effort", "name": "Effort", "type": "boolean", "currentValue": True}
    for cwd, options in (("/tea", []), ("/work", [option])):
        talk.call("session/options", {"cwd": cwd}, result={"configOptions": options})
        offer = talk.state.catalogue.offer
        assert offer is not None
        assert (offer.cwd, [one.id for one in offer.options]) == (
            cwd,
            [one["id"] for one in options],
        )
