"""Where a question was answered, of several screens that show it."""

from acp_tui.protocol.events import AnswerGiven
from acp_tui.session.entries import NoticeEntry
from acp_tui.ui.transcript.entries.tool_status import answers
from tests.unit.session.conversation import Conversation

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
    assert entry.decisions == ["Yes, on pts/2"]


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
    assert entry.decisions == ["Yes", "Yes"]
    assert entry.answered_by == {0: "--permissions allow"}
    assert [*answers(entry)] == ["Answered by --permissions allow: Yes", "You answered: Yes"]


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
