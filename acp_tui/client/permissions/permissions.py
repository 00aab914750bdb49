"""What decides on the agent's requests: the rules in force, else the user."""

from acp_tui.client.connection.replies import Replies
from acp_tui.client.core import Core
from acp_tui.client.files.resolved_roots import ResolvedRoots
from acp_tui.client.permissions.consent import Consent
from acp_tui.client.permissions.policy import PolicyEvaluator
from acp_tui.client.permissions.rule_book import RuleBook


class Permissions:
    """The parts that decide on the agent's requests, created in order."""

    def __init__(self, core: Core) -> None:
        launch = core.launch
        self.roots = ResolvedRoots([launch.cwd, *launch.additional_directories])
        self.rules = RuleBook(core, self.roots)
        self.consent = Consent(core, self.rules)
        self.replies = Replies(core, self.consent)
        self.policy = PolicyEvaluator(core, self.roots, self.consent, self.replies)
