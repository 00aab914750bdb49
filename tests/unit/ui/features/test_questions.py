"""What is asked of a person is answered, and nothing is done without a yes."""

from typing import cast

import pytest

from acp_tui.protocol.events import TrustAsked
from acp_tui.protocol.initialization import AuthMethod
from acp_tui.state import commands
from acp_tui.state.commands import AnswerPermission, AnswerTrust
from acp_tui.ui.feature import ViewRefreshed
from acp_tui.ui.question.trust_dialog import TrustDialog
from acp_tui.ui.tabs.tabs import AskedPermission
from acp_tui.ui.toolkit.dialogs.question_dialogs import ConfirmDialog
from acp_tui.ui.window import QuestionPort
from tests.unit.ui.app import states
from tests.unit.ui.features.window import FakeWindow


def asked(window: FakeWindow) -> AskedPermission:
    (question,) = window.tabs.questions()
    assert isinstance(question, AskedPermission)
    return question


def test_the_bell_rings_once_for_each_question_if_it_is_wanted() -> None:
    state, session = states.asking()
    window = FakeWindow(state)
    for _ in range(2):
        window.feature.questions.call_person(ViewRefreshed())
    assert window.rung == 1
    states.ask(state, session, 51, "Another")
    window.feature.questions.call_person(ViewRefreshed())
    assert window.rung == 2
    states.ask(state, session, 52, "Unheard")
    window.feature.questions.bell_enabled = False
    window.feature.questions.call_person(ViewRefreshed())
    assert window.rung == 2


def test_a_permission_is_answered_as_chosen() -> None:
    state, _ = states.asking()
    window = FakeWindow(state)
    seen = (("title", "Edit main.py"),)
    window.feature.questions.answer_permission(asked(window), "yes", seen)
    assert window.asked == [AnswerPermission(50, "yes", in_view=seen)]


def test_cancelling_ends_the_turn_and_outside_one_all_questions_of_the_session() -> None:
    state, session = states.asking()
    window = FakeWindow(state)
    question = asked(window)
    window.feature.questions.cancel_permission(question)
    assert window.asked == [commands.Cancel(session.session_id)]
    session.turn = None
    states.ask(state, session, 51, "Another")
    window.feature.questions.cancel_permission(question)
    assert window.asked[1:] == [AnswerPermission(50, None), AnswerPermission(51, None)]


def test_one_answer_counts_for_every_agent_with_the_same_file() -> None:
    both, other = [states.connected(), states.connected()], states.connected()
    for state in both:
        state.trust = TrustAsked(states.NOW, "/srv/.mcp.json", "{}")
    other.trust = TrustAsked(states.NOW, "/srv/.mcp.json", "{ }")
    window = FakeWindow(*both, other)
    window.feature.trust.ask(ViewRefreshed())
    window.feature.trust.ask(ViewRefreshed())
    (dialog,) = window.screens[1:]
    assert isinstance(dialog, TrustDialog)
    assert both[0].trust is not None
    window.feature.trust.answer(both[0].trust, trusted=True)
    assert window.asked == [AnswerTrust(True), AnswerTrust(True)]


def test_a_mode_is_not_changed_beside_a_question() -> None:
    state, _ = states.opened()
    window = FakeWindow(state)
    options = window.feature.options
    assert options.allows("next_mode")
    window.question = cast("QuestionPort", object())
    assert not options.allows("next_mode")
    assert options.allows("open")


def test_the_next_mode_is_asked_for() -> None:
    state, session = states.opened()
    window = FakeWindow(state)
    window.feature.options.next_mode()
    assert window.asked == [commands.SetMode(session.session_id, "plan")]
    session.config.modes = None
    window.feature.options.next_mode()
    assert window.said == ["to mode Plan", "this agent has no other mode"]


@pytest.mark.parametrize("agreed", [True, False])
def test_signing_out_wants_a_yes(agreed: bool) -> None:
    state, _ = states.opened()
    window = FakeWindow(state)
    window.feature.options.choose(window.tabs.agent, commands.Logout())
    assert isinstance(window.screens[-1], ConfirmDialog)
    assert window.asked == []
    window.answer(agreed)
    assert window.asked == ([commands.Logout()] if agreed else [])


def test_a_method_of_the_agents_own_is_passed_on() -> None:
    state = states.connected()
    assert state.peer.initialized is not None
    state.peer.initialized.auth_methods.append(AuthMethod(id="key", name="A key"))
    window = FakeWindow(state)
    window.feature.authentication.sign_in(window.tabs.agent, "key")
    assert window.asked == [commands.Authenticate("key")]


def test_no_rule_is_made_before_one_is_chosen() -> None:
    state, _ = states.asking_untruly()
    window = FakeWindow(state)
    offered = window.feature.rules.offered(asked(window))
    assert window.asked == [commands.ConsiderRules(tuple(offered))]
