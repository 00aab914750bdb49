"""All controllers of a window."""

from typing import Protocol

from acp_tui.host.agent import Hosts
from acp_tui.ui.controllers.agents import AgentController, ForgetfulWindow
from acp_tui.ui.controllers.authentication import AuthenticationController
from acp_tui.ui.controllers.checkpoints import CheckpointController
from acp_tui.ui.controllers.choices import ChoiceController
from acp_tui.ui.controllers.client_profile import ClientProfileController
from acp_tui.ui.controllers.comparisons import ComparisonController
from acp_tui.ui.controllers.composer import ComposerController
from acp_tui.ui.controllers.controller import Controller
from acp_tui.ui.controllers.drafts import DraftController
from acp_tui.ui.controllers.exports import ExportController, PicturedWindow
from acp_tui.ui.controllers.external import ExternalController
from acp_tui.ui.controllers.folders import FolderController
from acp_tui.ui.controllers.followed_settings import FollowedSettings, SettingsWindow
from acp_tui.ui.controllers.holding import HoldingController
from acp_tui.ui.controllers.inspector import InspectorController, InspectorWindow
from acp_tui.ui.controllers.leaving import LeaveController, SelectableWindow
from acp_tui.ui.controllers.notices import NoticeController
from acp_tui.ui.controllers.notifications import NotificationController
from acp_tui.ui.controllers.numbers import NumberController
from acp_tui.ui.controllers.options import OptionController
from acp_tui.ui.controllers.own_commands import OwnCommandController
from acp_tui.ui.controllers.own_prompts import OwnPromptController
from acp_tui.ui.controllers.palette import PaletteController
from acp_tui.ui.controllers.prompts import PromptController
from acp_tui.ui.controllers.questions import QuestionController
from acp_tui.ui.controllers.recall import RecallController
from acp_tui.ui.controllers.recorded import RecordedController
from acp_tui.ui.controllers.reruns import RerunController
from acp_tui.ui.controllers.restart import RestartController
from acp_tui.ui.controllers.review import ReviewController
from acp_tui.ui.controllers.rewind import RewindController
from acp_tui.ui.controllers.rules import RuleController
from acp_tui.ui.controllers.session_admin import SessionAdminController
from acp_tui.ui.controllers.sessions import SessionController
from acp_tui.ui.controllers.settings import SettingController
from acp_tui.ui.controllers.themes import ThemeController
from acp_tui.ui.controllers.tips import TipController
from acp_tui.ui.controllers.trust import TrustController
from acp_tui.ui.controllers.turns import TurnController


class AppWindow(
    ForgetfulWindow,
    InspectorWindow,
    PicturedWindow,
    SelectableWindow,
    SettingsWindow,
    Protocol,
):
    """What the app is to all controllers together."""


class Controllers:
    """Each gets those that it needs. They follow changes in this order."""

    def __init__(self, window: AppWindow, hosts: Hosts | None = None) -> None:
        """Make all that every window has; `hosts` starts agents."""
        self.checkpoints = CheckpointController(window)
        self.recall = RecallController(window)
        self.folders = FolderController(window)
        self.own_commands = OwnCommandController(window, self.folders)
        self.own_prompts = OwnPromptController(window)
        self.tips = TipController(window)
        self.choices = ChoiceController(window)
        self.external = ExternalController(window, self.choices)
        self.prompts = PromptController(
            window,
            self.checkpoints,
            self.recall,
            self.own_commands,
            self.own_prompts,
            self.tips,
            self.external,
        )
        self.restart = RestartController(window)
        self.reruns = RerunController(window, self.prompts)
        self.agents = AgentController(window, hosts)
        self.session_admin = SessionAdminController(window)
        self.recorded = RecordedController(window, self.agents)
        self.sessions = SessionController(window, self.agents, self.session_admin, self.recorded)
        self.rewind = RewindController(window, self.checkpoints, self.agents)
        self.turns = TurnController(window, self.rewind)
        self.notifications = NotificationController(window)
        self.rules = RuleController(window)
        self.questions = QuestionController(window, self.turns, self.notifications, self.rules)
        self.authentication = AuthenticationController(window, self.questions)
        self.trust = TrustController(window, self.questions)
        self.options = OptionController(window, self.authentication, self.choices)
        self.exports = ExportController(window)
        self.review = ReviewController(
            window, self.external, self.exports, self.folders, self.checkpoints
        )
        self.notices = NoticeController(window)
        self.inspector = InspectorController(
            window, self.sessions, self.exports, self.external, self.choices
        )
        self.comparisons = ComparisonController(window, self.inspector)
        self.numbers = NumberController(window, self.inspector)
        self.client_profile = ClientProfileController(window)
        self.composer = ComposerController(window, self.inspector, self.external)
        self.holding = HoldingController(window, self.external)
        self.leaving = LeaveController(window, self.inspector)
        self.palette = PaletteController(window, [self.turns, self.sessions, self.restart])
        self.drafts = DraftController(window, self.prompts)
        followed = FollowedSettings(
            window,
            self.notifications,
            self.checkpoints,
            self.tips,
            self.recall,
            self.drafts,
            self.questions,
        )
        self.settings = SettingController(window, followed)
        self.themes = ThemeController(window, self.settings)
        self.by_name: dict[str, Controller] = {one.name: one for one in vars(self).values()}

    def add(self, controller: Controller) -> None:
        """Add one that few windows have, as that of a replay."""
        self.by_name[controller.name] = controller

    @property
    def all(self) -> list[Controller]:
        """Each of them."""
        return list(self.by_name.values())
