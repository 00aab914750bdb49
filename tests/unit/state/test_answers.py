"""Where a question was answered, of several screens that show it."""

from acp_tui.protocol.content import Diff
from acp_tui.protocol.events import AnswerGiven
from acp_tui.state.entries import NoticeEntry
from acp_tui.ui.transcript.entries.tool_heading import call_answers
from tests.unit.state.conversation import Conversation

OPTIONS = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
YES = {"result": {"outcome": {"outcome": "selected", "optionId": "y"}}}


def test_a_permission_tells_where_it_was_answered() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.update("tool_call", toolCallId="t", title="Work", status="pending")
    call = {"toolCallId": "t"}
    number = talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    assert talk.happened(AnswerGiven(9.0, number, "pts/2")) == []
    talk.settle(number, **YES)
    entry = talk.session.tool_call("t")
    assert entry is not None
    assert entry.consent.decisions == ["Yes, on pts/2"]


def test_what_no_person_answered_is_said_of_none() -> None:
    talk = Conversation.opened()
    talk.prompt()
    talk.update("tool_call", toolCallId="t", title="Work", status="pending")
    call = {"toolCallId": "t"}
    number = talk.asks("session/request_permission", toolCall=call, options=OPTIONS)
    talk.happened(AnswerGiven(9.0, number, "", "--permissions allow"))
    talk.settle(number, **YES)
    talk.settle(talk.asks("session/request_permission", toolCall=call, options=OPTIONS), **YES)
    entry = talk.session.tool_call("t")
    assert entry is not None
    assert entry.consent.decisions == ["Yes", "Yes"]
    assert entry.consent.answered_by == {0: "--permissions allow"}
    assert [*call_answers(entry)] == ["Answered by --permissions allow: Yes", "You answered: Yes"]


def test_a_form_tells_where_it_was_answered() -> None:
    talk = Conversation.opened()
    asked = {"message": "Who?", "mode": "form", "requestedSchema": {}}
    other = talk.asks("elicitation/create", **asked)
    number = talk.asks("elicitation/create", **asked)
    talk.happened(AnswerGiven(9.0, number, "pts/2"))
    for one in (number, other):
        talk.settle(one, result={"action": "decline"})
    told = [one.description for one in talk.session.entries if isinstance(one, NoticeEntry)]
    assert told == ["Answered on pts/2: decline", "Your answer: decline"]


def test_an_answer_to_nothing_moves_nothing() -> None:
    talk = Conversation.opened()
    assert talk.happened(AnswerGiven(9.0, 99, "pts/2")) == []


def test_what_was_allowed_is_remembered_as_it_was_asked() -> None:
    talk = Conversation.opened()
    talk.prompt()
    diff = {"type": "diff", "path": "/w/a", "oldText": None, "newText": "1\n"}
    call = {"toolCallId": "t", "kind": "edit", "title": "Edit", "content": [diff]}
    options = [*OPTIONS, {"optionId": "n", "name": "No", "kind": "reject_once"}]
    for answer in ("y", "n"):
        number = talk.asks("session/request_permission", toolCall=call, options=options)
        talk.settle(number, result={"outcome": {"outcome": "selected", "optionId": answer}})
    number = talk.asks("session/request_permission", toolCall=call, options=options)
    talk.settle(number, result={"outcome": {"outcome": "cancelled"}})
    later = {**diff, "newText": "2\n"}
    talk.update("tool_call_update", toolCallId="t", status="completed", content=[later])
    answers_given = talk.session.answers
    assert [one.allowed for one in answers_given] == [True, False, False]
    [shown] = answers_given[0].call.content if answers_given[0].call is not None else []
    assert isinstance(shown, Diff)
    assert shown.new_text == "1\n"
