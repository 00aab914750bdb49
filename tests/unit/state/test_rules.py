"""What rules said: who is asked nevertheless, and what stands in the conversation."""

from acp_tui.policy.rules import Rule, RuleAnswer, RuleScope
from acp_tui.protocol.events import Ruled, RulesChanged
from acp_tui.state.changes import ScreenChanged
from acp_tui.state.entries import NoticeEntry, ToolCallEntry
from tests.unit.state.conversation import Conversation

YES = {"optionId": "yes", "name": "Yes", "kind": "allow_once"}
CHOSEN = {"result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}


def asked() -> tuple[Conversation, int]:
    """A question that the rules evaluate."""
    talk = Conversation.opened()
    rules = (Rule(RuleAnswer.ALLOW, kinds=("read",)),)
    assert talk.happened(RulesChanged(3.0, rules)) == [ScreenChanged()]
    call = {"toolCallId": "t", "title": "Look"}
    return talk, talk.asks("session/request_permission", toolCall=call, options=[YES])


def test_what_rules_weigh_waits_for_nobody() -> None:
    talk, number = asked()
    assert talk.session.permissions == []
    talk.happened(Ruled(5.0, number, "s", "allow", "a rule"))
    assert talk.session.permissions == []
    talk.settle(number, **CHOSEN)
    assert talk.session.evaluating == []
    entry = talk.session.entries[0]
    assert isinstance(entry, ToolCallEntry)
    assert [("a rule" in one) for one in entry.consent.rulings] == [True]
    assert entry.consent.decisions == []


def test_what_rules_leave_open_waits_for_a_person() -> None:
    for answer, by in (("ask", "a rule"), ("none", "")):
        talk, number = asked()
        talk.happened(Ruled(5.0, number, "s", answer, by))
        assert [one.rule for one in talk.session.permissions] == [by]
        assert talk.session.evaluating == []


def test_a_ruling_that_no_tool_call_shows_is_told() -> None:
    talk, _ = asked()
    for answer in ("reject", "ask"):
        talk.happened(Ruled(5.0, 999, "s", answer, "a rule", "read /etc/passwd"))
    told = [one for one in talk.session.entries if isinstance(one, NoticeEntry)]
    assert [(one.severity, one.title) for one in told] == [
        ("warning", "Rejected by a rule: read /etc/passwd")
    ]


def test_a_ruling_on_what_is_settled_changes_nothing() -> None:
    talk, number = asked()
    talk.settle(number, **CHOSEN)
    assert talk.happened(Ruled(5.0, number, "s", "ask", "a rule")) == []
    assert talk.session.permissions == []


def test_a_person_s_answer_to_what_a_rule_asks_about_names_both() -> None:
    talk, number = asked()
    talk.happened(Ruled(5.0, number, "s", "ask", "a rule"))
    talk.settle(number, **CHOSEN)
    entry = talk.session.entries[0]
    assert isinstance(entry, ToolCallEntry)
    assert entry.consent.rulings == ["Asked: a rule"]
    assert entry.consent.decisions == ["Yes"]


def test_allow_all_is_known() -> None:
    talk, _ = asked()
    assert not talk.state.allows_all
    talk.happened(RulesChanged(9.0, (Rule(RuleAnswer.ALLOW, scope=RuleScope.ALL),)))
    assert talk.state.allows_all
