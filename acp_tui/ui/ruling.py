"""The part of the app that makes, shows and revokes rules about permissions."""

from typing import TYPE_CHECKING

from acp_tui.policy.rules import Rule
from acp_tui.session.commands import AddRule, ForgetRule
from acp_tui.ui.asking import AskingApp

if TYPE_CHECKING:
    from acp_tui.ui.dialogs.rules import RulesScreen
    from acp_tui.ui.permission.panel import PermissionPanel

NO_RULE = "no rule can be made of this: what is wanted can't be read for sure"

COUNTS = "by a rule that counts before any that allows"


class RulingApp(AskingApp):
    """A rule is made of a question that waits; it settles that one, too."""

    def on_permission_panel_remember(self, event: "PermissionPanel.Remember") -> None:
        """Ask what shall be decided from now on, and for how long."""
        from acp_tui.ui.dialogs.new_rule import RememberDialog, rules_of

        agent, permission = event.asked
        session = agent.state.session(permission.session_id)
        rules = rules_of(permission, session)
        if not rules:
            self.notify(NO_RULE, timeout=5, markup=False)
            return

        def decided(rule: Rule | None) -> None:
            if rule is not None:
                agent.do(AddRule(rule))

        about = f"Asked, {COUNTS}: {permission.rule}" if permission.rule else ""
        self.push_screen(RememberDialog(rules, about, session, self._clock), decided)

    def action_rules(self) -> None:
        """Show the rules that are in force for the agent that is shown."""
        from acp_tui.ui.dialogs.rules import RulesScreen

        self.push_screen(RulesScreen(self.agent))

    def show_rules(self) -> None:
        """Bring the list up to date, where it is shown."""
        if len(self.screen_stack) == 1:
            return
        from acp_tui.ui.dialogs.rules import RulesScreen

        screen = self._on_stack(RulesScreen)
        if screen is not None:
            screen.show()

    def on_rules_screen_forget(self, event: "RulesScreen.Forget") -> None:
        """Revoke it."""
        event.agent.do(ForgetRule(event.rule))

    def on_rules_screen_kept(self, event: "RulesScreen.Kept") -> None:
        """Say where it stands."""
        words = f"it stands in {event.rule.origin}: take it away there"
        self.notify(words, timeout=5, markup=False)
