"""Sessions put in order, providers and accounts."""

from typing import Any

import pytest

from acp_tui.protocol.frames import Direction
from acp_tui.state.changes import ScreenChanged
from tests.unit.state.conversation import STARTED, Conversation

HERE = {"sessionId": "s"}
LISTED = {"sessions": [{"sessionId": "s", "cwd": "/work"}, {"sessionId": "t", "cwd": "/work"}]}


def listed() -> Conversation:
    """An agent that told which sessions it keeps; one of them is open."""
    talk = Conversation.opened()
    talk.call("session/list", {}, result=LISTED)
    return talk


def test_an_archived_session_is_closed_and_stays_in_the_list() -> None:
    talk = listed()
    talk.call("session/archive", HERE, result={})
    assert talk.state.catalogue.sessions["s"].archived
    assert talk.session.closed
    talk.call("session/unarchive", HERE, result={})
    assert not talk.state.catalogue.sessions["s"].archived


def test_a_session_that_nobody_opened_or_listed_can_be_archived_and_renamed() -> None:
    talk = listed()
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
    talk = listed()
    talk.call("session/set_title", {**HERE, "title": " tea "}, result={"title": "Tea"})
    assert talk.session.title == "Tea"
    assert talk.state.catalogue.sessions["s"].title == "Tea"


def test_what_the_agent_has_in_memory_is_kept() -> None:
    talk = listed()
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
    talk = listed()
    talk.call("providers/list", {}, result={"providers": given})
    assert len(talk.state.peer.providers or []) == read
    assert talk.state.peer.unread_providers == unread


def test_providers_are_asked_for_again_when_one_was_set() -> None:
    talk = listed()
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
    talk = listed()
    talk.call("auth/status", {}, result={"state": "signed_out"})
    assert talk.state.peer.auth_status is not None
    assert talk.state.peer.auth_status.state == "signed_out"
    update = {"method": "auth/status_update", "params": {"state": "signed_in"}}
    assert talk.frame(Direction.IN, update) == [ScreenChanged()]
    assert talk.state.peer.auth_status.state == "signed_in"
