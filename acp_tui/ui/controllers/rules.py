"""Rules about permissions: how they are made, shown and revoked."""

from acp_tui.policy.rules import Rule
from acp_tui.session.commands import AddRule, ConsiderRules, ForgetRule
from acp_tui.ui.controllers.controller import Controller
from acp_tui.ui.sessions.agent import Agent
from acp_tui.ui.sessions.asked import AskedPermission
from acp_tui.ui.window import Window

NO_RULE = "no rule can be made of this: what is wanted can't be read with certainty"
COUNTS = "by a rule that counts before any that allows"


class RuleController(Controller):
    """A rule is made of a question that waits; it settles that one, too."""

    name = "rules"

    def __init__(self, window: Window) -> None:
        self._window = window

    def remember(self, asked: AskedPermission) -> None:
        """Ask what is to be decided from now on, and for how long."""
        from acp_tui.ui.dialogs.new_rule import RememberDialog, rules_of

        agent, permission = asked
        session = agent.state.session(permission.session_id)
        rules = rules_of(permission, session)
        if not rules:
            self._window.refuse(NO_RULE)
            return

        agent.do(ConsiderRules(tuple(rules)))

        def decided(rule: Rule | None) -> None:
            if rule is not None:
                agent.do(AddRule(rule))

        about = f"Asked, {COUNTS}: {permission.rule}" if permission.rule else ""
        dialog = RememberDialog(rules, about, session, self._window.clock, self._begin_text)
        self._window.push(dialog, decided)

    def _begin_text(self, text: str) -> None:
        """Go on in the prompt with a text that began with the key of the dialog."""
        prompt = self._window.conversation.prompt
        prompt.focus()
        prompt.insert(text)

    def open(self) -> None:
        """Show the rules that are in force for the agent that is shown."""
        from acp_tui.ui.dialogs.rules import RulesScreen

        self._window.push(RulesScreen(self._window.tabs.agent, self))

    def forget_rule(self, agent: Agent, rule: Rule) -> None:
        """Revoke a rule."""
        agent.do(ForgetRule(rule))

    def say_where(self, rule: Rule) -> None:
        """Say in which file a rule stands, which can't be revoked here."""
        self._window.refuse(f"it is in {rule.origin}: remove it there")
