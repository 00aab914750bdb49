"""Rules about permissions: how they are made, shown and revoked."""

from acp_tui.policy.rules import Rule
from acp_tui.state.commands import ConsiderRules
from acp_tui.ui.feature import Feature
from acp_tui.ui.tabs.tabs import AskedPermission
from acp_tui.ui.window import Window

NO_RULE = "no rule can be made of this: the request can't be read with certainty"


class RulesFeature(Feature):
    """Lists the rules in force, and offers rules made from a question, which then answer it."""

    name = "rules"

    def __init__(self, window: Window) -> None:
        self._window = window

    def offered(self, asked: AskedPermission) -> list[Rule]:
        """Return the rules that can be made from a question; if there are none, say so."""
        from acp_tui.ui.question.permission.new_rule import rules_of

        agent, permission = asked
        rules = rules_of(permission, agent.state.session(permission.session_id))
        if rules:
            agent.do(ConsiderRules(tuple(rules)))
        else:
            self._window.refuse(NO_RULE)
        return rules

    def open(self) -> None:
        """Show the rules that are in force for the agent that is shown."""
        from acp_tui.ui.question.rules_screen import RulesScreen

        self._window.push(RulesScreen(self._window.tabs.agent, self._window.refuse))
