"""The list of all features, and their construction."""

from collections.abc import Callable
from typing import Any, Protocol

from acp_tui.host.agent import Hosts
from acp_tui.ui.checkpoints import CheckpointsFeature
from acp_tui.ui.client_profile.feature import ClientProfileFeature
from acp_tui.ui.command_palette.feature import CommandPaletteFeature
from acp_tui.ui.desktop.feature import NotificationsFeature
from acp_tui.ui.export.feature import ExportFeature, PicturedWindow
from acp_tui.ui.external.feature import ExternalFeature
from acp_tui.ui.feature import Event, Feature
from acp_tui.ui.folders import FoldersFeature
from acp_tui.ui.inspector.composer.feature import ComposerFeature
from acp_tui.ui.inspector.feature import (
    ComparisonsFeature,
    InspectorFeature,
    InspectorWindow,
    NumbersFeature,
)
from acp_tui.ui.inspector.holding.feature import HoldingFeature
from acp_tui.ui.leaving.feature import LeavingFeature, SelectableWindow
from acp_tui.ui.notices.feature import NoticesFeature
from acp_tui.ui.options.feature import OptionsFeature, SessionStartFeature, SignInFeature
from acp_tui.ui.preferences import PreferencesFeature
from acp_tui.ui.prompt.drafts import DraftsFeature
from acp_tui.ui.prompt.editor import EditorWindow
from acp_tui.ui.prompt.feature import PromptFeature
from acp_tui.ui.prompt.own_commands import OwnCommandsFeature
from acp_tui.ui.prompt.own_prompts import OwnPromptsFeature
from acp_tui.ui.prompt.recall import RecallFeature
from acp_tui.ui.prompt.reruns import RerunsFeature
from acp_tui.ui.question.feature import QuestionFeature, RulesFeature, TrustFeature
from acp_tui.ui.review.feature import ReviewFeature
from acp_tui.ui.rewind.feature import RewindFeature
from acp_tui.ui.sessions.agents import AgentsFeature
from acp_tui.ui.sessions.feature import SessionAdminFeature, SessionsFeature
from acp_tui.ui.sessions.recorded import RecordedFeature
from acp_tui.ui.settings.feature import SettingsFeature, ThemesFeature
from acp_tui.ui.settings.followed import FollowedSettings, SettingsWindow
from acp_tui.ui.tips import TipsFeature
from acp_tui.ui.turns import TurnsFeature


class AppWindow(
    EditorWindow,
    InspectorWindow,
    PicturedWindow,
    SelectableWindow,
    SettingsWindow,
    Protocol,
):
    """The app as seen by all features together."""


class Features:
    """The features of a window. Events reach them in the order of construction."""

    def __init__(self, window: AppWindow, hosts: Hosts | None = None) -> None:
        """Create the features of every window; `hosts` starts agents."""
        self.checkpoints = CheckpointsFeature(window)
        self.recall = RecallFeature(window)
        self.folders = FoldersFeature(window)
        self.own_commands = OwnCommandsFeature(window, self.folders)
        self.own_prompts = OwnPromptsFeature(window)
        self.tips = TipsFeature(window)
        self.choices = PreferencesFeature(window)
        self.external = ExternalFeature(window, self.choices)
        self.prompts = PromptFeature(
            window,
            self.checkpoints,
            self.recall,
            self.own_commands,
            self.own_prompts,
            self.external,
        )
        self.reruns = RerunsFeature(window, self.prompts)
        self.agents = AgentsFeature(window, hosts)
        self.session_admin = SessionAdminFeature(window)
        self.recorded = RecordedFeature(window, self.agents)
        self.sessions = SessionsFeature(window, self.agents, self.session_admin, self.recorded)
        self.rewind = RewindFeature(window, self.checkpoints, self.agents.open_session)
        self.turns = TurnsFeature(window)
        self.notifications = NotificationsFeature(window)
        self.rules = RulesFeature(window)
        self.questions = QuestionFeature(window, self.rules)
        self.authentication = SignInFeature(window)
        self.trust = TrustFeature(window)
        self.options = OptionsFeature(window, self.authentication, self.choices)
        self.session_start = SessionStartFeature(window)
        self.exports = ExportFeature(window)
        self.review = ReviewFeature(
            window, self.external, self.exports.folder_for, self.folders, self.checkpoints
        )
        self.notices = NoticesFeature(window)
        self.inspector = InspectorFeature(
            window, self.exports.folder_for, self.external, self.choices
        )
        self.comparisons = ComparisonsFeature(window, self.inspector)
        self.numbers = NumbersFeature(window, self.inspector)
        self.client_profile = ClientProfileFeature(window)
        self.composer = ComposerFeature(window, self.inspector, self.external)
        self.holding = HoldingFeature(window, self.external)
        self.leaving = LeavingFeature(window, self.inspector.stays_open)
        able = [self.turns, self.sessions, self.agents, self.session_start]
        self.palette = CommandPaletteFeature(window, able)
        self.drafts = DraftsFeature(window, self.prompts)
        self.settings = SettingsFeature(window, FollowedSettings(window))
        self.themes = ThemesFeature(window, self.settings)
        self.by_name: dict[str, Feature] = {}
        self._listeners: dict[type[Event], list[Callable[[Any], None]]] = {}
        for feature in [one for one in vars(self).values() if isinstance(one, Feature)]:
            self.add(feature)

    def add(self, feature: Feature) -> None:
        """Add a feature that only some windows have, such as the replay."""
        self.by_name[feature.name] = feature
        for event, method in feature.handlers.items():
            self._listeners.setdefault(event, []).append(getattr(feature, method))

    def emit(self, event: Event) -> None:
        """Call the features that declared this event, in the order of the list."""
        for listener in self._listeners.get(type(event), ()):
            listener(event)

    @property
    def all(self) -> list[Feature]:
        """All features."""
        return list(self.by_name.values())
