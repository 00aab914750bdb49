"""Rules about permissions: how they are made, shown and revoked."""

from acp_tui.host.agent import Agent
from acp_tui.policy.rules import Rule
from acp_tui.state.commands import AddRule, ConsiderRules, ForgetRule
from acp_tui.ui.feature import Feature
from acp_tui.ui.tabs.open_questions import AskedPermission
from acp_tui.ui.window import Window

NO_RULE = "no rule can be made of this: the request can't be read with certainty"


class RulesFeature(Feature):
    """A rule is made of a question that waits; it settles that one, too."""

    name = "rules"

    def __init__(self, window: Window) -> None:
        self._window = window

    def find(self, asked: AskedPermission) -> list[Rule]:
        """Return the rules that can be made of a question."""
        from acp_tui.ui.question.permission.new_rule import rules_of

        agent, permission = asked
        return rules_of(permission, agent.state.session(permission.session_id))

    def offered(self, asked: AskedPermission) -> list[Rule]:
        """Return the rules that can be made of a question; where none can, say so."""
        rules = self.find(asked)
        if rules:
            asked.agent.do(ConsiderRules(tuple(rules)))
        else:
            self._window.refuse(NO_RULE)
        return rules

    def keep(self, agent: Agent, rule: Rule) -> None:
        """Keep a rule that was made of a question."""
        agent.do(AddRule(rule))

    def open(self) -> None:
        """Show the rules that are in force for the agent that is shown."""
        from acp_tui.ui.question.rules_screen import RulesScreen

        self._window.push(RulesScreen(self._window.tabs.agent, self.forget_rule, self.name_file))

    def forget_rule(self, agent: Agent, rule: Rule) -> None:
        """Revoke a rule."""
        agent.do(ForgetRule(rule))

    def name_file(self, rule: Rule) -> None:
        """Name the file of a rule that can't be revoked here."""
        self._window.refuse(f"it is in {rule.origin}: remove it there")
