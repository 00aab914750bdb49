"""The agents' questions to the user, and the rules and trust that answer questions in advance."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from acp_tui.host.agent import Agent
from acp_tui.policy.rules import Rule
from acp_tui.protocol.elicitation import Value
from acp_tui.protocol.events import TrustAsked
from acp_tui.state import commands
from acp_tui.state.commands import ConsiderRules
from acp_tui.state.session import Session
from acp_tui.ui.feature import (
    Feature,
    QuestionAsked,
    SettingsChanged,
    TurnCancelRequested,
    UserNeeded,
    ViewRefreshed,
)
from acp_tui.ui.tabs.tabs import AskedElicitation, AskedPermission
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.state.subject_parts import Parts
    from acp_tui.ui.question.panel import QuestionPanel
    from acp_tui.ui.question.trust_dialog import TrustDialog


class QuestionFeature(Feature):
    """Alerts the user to new questions, and answers them. Each question is shown in its own tab."""

    name = "questions"
    handlers: ClassVar = {
        ViewRefreshed: "call_person",
        UserNeeded: "ring",
        SettingsChanged: "use_settings",
    }
    bell_enabled = True
    """Whether new questions ring the terminal's bell."""

    def __init__(self, window: Window, rules: "RulesFeature") -> None:
        self._window = window
        self._tabs = window.tabs
        self._rules = rules
        self._asked: set[tuple[Agent, int]] = set()

    @property
    def topic(self) -> str:
        """The help section of the question on screen, unless the user reads or searches."""
        question = self._window.question
        if question is None or not self._window.is_conversation_in_front:
            return ""
        has_keys = self._window.prompt.has_focus or question.has_focus_within
        return question.topic if has_keys else ""

    def call_person(self, _: ViewRefreshed) -> None:
        """Alert the user if a new question waits."""
        if self._window.terminal.is_suspended:
            return
        questions = self._tabs.questions()
        new = [one for one in questions if (one.agent, one.number) not in self._asked]
        if new:
            self._ring()
            self._window.emit(QuestionAsked(new[0]))
        self._asked = {(one.agent, one.number) for one in questions}

    def ring(self, _: UserNeeded) -> None:
        """Ring for a dialog that needs the user."""
        self._ring()

    def use_settings(self, event: SettingsChanged) -> None:
        """Enable or disable the bell."""
        self.bell_enabled = event.settings.bell

    def _ring(self) -> None:
        if self.bell_enabled:
            self._window.terminal.bell()

    def permission_panel(self) -> "QuestionPanel":
        """Create a panel that can show any permission request."""
        from acp_tui.ui.question.permission.panel import PermissionPanel

        return PermissionPanel(self._window.clock, self, self._rules)

    def elicitation_panel(self, asked: AskedElicitation) -> "QuestionPanel":
        """Create the panel of a form or a link."""
        clock = self._window.clock
        if asked.elicitation.url is not None:
            from acp_tui.ui.question.elicitations import LinkPanel

            return LinkPanel(asked, clock, self)
        from acp_tui.ui.question.elicitations import FormPanel

        return FormPanel(asked, clock, self)

    # Permissions

    def answer_permission(self, asked: AskedPermission, option_id: str, in_view: "Parts") -> None:
        """Answer a permission request with one of its options; record what was in view."""
        asked.agent.do(commands.AnswerPermission(asked.number, option_id, in_view=in_view))

    def cancel_permission(self, asked: AskedPermission) -> None:
        """Cancel the turn; outside a turn, cancel all permission requests of the session."""
        agent, permission = asked
        session = agent.state.sessions.get(permission.session_id)
        turn = self.turn_of(asked)
        if turn is not None:
            self._window.emit(TurnCancelRequested(agent, turn.session_id))
        elif session is not None:
            for waiting in list(session.permissions):
                agent.do(commands.AnswerPermission(waiting.number, None))

    def turn_of(self, asked: AskedPermission) -> Session | None:
        """Return the session whose turn is canceled along with a question: the question's own or,
        for a subagent, the session of the tab that shows it.
        """
        state, shown = asked.agent.state, self._tabs.shown
        own = state.sessions.get(asked.permission.session_id)
        if own is not None and own.subagent is not None and shown.agent is asked.agent:
            own = shown.session
        return own if own is not None and own.turn is not None else None

    # Elicitations

    def answer_elicitation(
        self, asked: AskedElicitation, action: str, content: Mapping[str, Value] | None = None
    ) -> None:
        """Answer an elicitation."""
        asked.agent.do(commands.AnswerElicitation(asked.number, action, content))

    def open_link(self, asked: AskedElicitation, url: str) -> None:
        """Open a link with the user's consent, which accepts the elicitation."""
        self._window.open_url(url)
        self.answer_elicitation(asked, "accept")

    def copy_link(self, asked: AskedElicitation, url: str) -> None:
        """Copy a link with the user's consent, which accepts the elicitation."""
        self._window.copy_to_clipboard(url)
        self._window.notify("copied", timeout=3)
        self.answer_elicitation(asked, "accept")


NO_RULE = "no rule can be made of this: the request can't be read with certainty"


class RulesFeature(Feature):
    """Lists the rules in force, and offers new rules made from a question, which they then answer."""

    name = "rules"

    def __init__(self, window: Window) -> None:
        self._window = window

    def offered(self, asked: AskedPermission) -> list[Rule]:
        """Return the rules that can be made from a question; if there are none, explain that."""
        from acp_tui.ui.question.permission.new_rule import rules_of

        agent, permission = asked
        rules = rules_of(permission, agent.state.session(permission.session_id))
        if rules:
            agent.do(ConsiderRules(tuple(rules)))
        else:
            self._window.refuse(NO_RULE)
        return rules

    def open(self) -> None:
        """Show the rules in force for the agent of the tab that is shown."""
        from acp_tui.ui.question.rules_screen import RulesScreen

        self._window.push(RulesScreen(self._window.tabs.agent, self._window.refuse))


class TrustFeature(Feature):
    """Asks for trust in a project's MCP file, once for all agents that would use it."""

    name = "trust"
    handlers: ClassVar = {ViewRefreshed: "ask"}

    def __init__(self, window: Window) -> None:
        self._window = window
        self._dialog: TrustDialog | None = None

    def ask(self, _: ViewRefreshed) -> None:
        """Open the dialog if the shown agent waits for an answer."""
        agent = self._window.tabs.agent
        open_already = self._dialog in self._window.screens
        if self._window.terminal.is_suspended or open_already or agent.state.trust is None:
            return
        from acp_tui.ui.question.trust_dialog import TrustDialog

        self._window.emit(UserNeeded(agent, "asks for your trust in this project"))
        self._dialog = TrustDialog(agent, self._window.clock, self.answer)
        self._window.push(self._dialog, lambda _: self._window.refresh_view())

    def answer(self, asked: TrustAsked, trusted: bool) -> None:
        """Answer for all agents that wait for trust in the same content."""
        for agent in self._window.tabs.agents:
            trust = agent.state.trust
            if trust is not None and trust.content == asked.content:
                agent.do(commands.AnswerTrust(trusted))
