"""The desktop notification feature: when to notify the user, and by which means."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from acp_tui.config.settings import NotifySettings
from acp_tui.host.agent import Agent
from acp_tui.state.changes import EntryAdded
from acp_tui.state.entries import TurnEndEntry
from acp_tui.text import clean_line
from acp_tui.ui.feature import (
    AgentChanged,
    AgentClosed,
    Feature,
    QuestionAsked,
    SettingsChanged,
    UserNeeded,
)
from acp_tui.ui.tabs.tabs import is_gone
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.desktop.notification import DesktopNotification

FRESH = 5.0
"""Seconds after which a turn's end is no longer news: it is from a loaded session or a replay."""


class NotificationsFeature(Feature):
    """Notifies the user of events while they aren't watching the terminal, as configured."""

    name = "notifications"
    handlers: ClassVar = {
        AgentChanged: "follow",
        AgentClosed: "forget",
        QuestionAsked: "notify_of_question",
        UserNeeded: "notify_of_dialog",
        SettingsChanged: "use_settings",
    }
    settings: NotifySettings | None = None
    """When and how to notify; None for never."""
    environment: Mapping[str, str] = os.environ

    def __init__(self, window: Window) -> None:
        self._window = window
        self._tabs = window.tabs
        self._exited: set[Agent] = set()
        self._has_failed = False

    def use_settings(self, event: SettingsChanged) -> None:
        """Apply the settings for desktop notifications."""
        self.settings = event.settings.notify

    def follow(self, event: AgentChanged) -> None:
        """Notify of turns that ended, and of agents that are gone."""
        agent = event.agent
        added = (one for one in event.changes if isinstance(one, EntryAdded))
        notified = [self._notify_of_end(agent, one) for one in added]
        peer = agent.state.peer
        if not is_gone(peer):
            self._exited.discard(agent)
        elif agent not in self._exited:
            self._exited.add(agent)
            was_requested = peer.process.exit is not None and peer.process.exit.asked
            if self._is_enabled("failure") and not was_requested and not any(notified):
                from acp_tui.ui.desktop.notification import agent_exited

                self._send_notification(agent_exited(agent))

    def forget(self, event: AgentClosed) -> None:
        """Forget an agent that was closed."""
        self._exited.discard(event.agent)

    def notify_of_question(self, event: QuestionAsked) -> None:
        """Notify of a question."""
        if self._is_enabled("question"):
            from acp_tui.ui.desktop.notification import question_asked

            self._send_notification(question_asked(event.asked))

    def notify_of_dialog(self, event: UserNeeded) -> None:
        """Notify of a dialog that needs the user."""
        if self._is_enabled("question"):
            from acp_tui.ui.desktop.notification import dialog_opened

            self._send_notification(dialog_opened(event.agent, event.what))

    def _is_enabled(self, about: str) -> bool:
        settings = self.settings
        if settings is None or about not in settings.about or settings.when == "never":
            return False
        return settings.when == "always" or not self._window.terminal.is_watched

    def _notify_of_end(self, agent: Agent, change: EntryAdded) -> bool:
        """Notify of the end of a turn, if the settings want that; return whether they do."""
        session = agent.state.sessions.get(change.session_id)
        entry = session.entries[change.index] if session is not None else None
        settings = self.settings
        if session is None or not isinstance(entry, TurnEndEntry) or settings is None:
            return False
        was_cancelled = entry.canceled or entry.stop_reason == "cancelled"  # by the user
        if was_cancelled or session.opening.loading or self._window.clock() - entry.at > FRESH:
            return False
        from acp_tui.ui.desktop.notification import is_failure, turn_ended

        failed = is_failure(entry)
        is_long = entry.worked >= settings.after
        enabled = self._is_enabled("failure") if failed else self._is_enabled("turn") and is_long
        if enabled:
            self._send_notification(turn_ended(agent, change.session_id, entry))
        return enabled

    def _send_notification(self, message: "DesktopNotification") -> None:
        from acp_tui.ui.desktop import notification

        settings, environment = self.settings, self.environment
        assert settings is not None
        if settings.command:
            self._window.spawn(
                self._run_notifier(notification.own_command(settings.command, message))
            )
            return
        how: str = settings.how
        if how == "auto":
            how = (
                notification.understood_sequence(environment)
                or notification.at_hand(environment)
                or ""
            )
        if how in notification.SEQUENCES and not self._window.terminal.is_suspended:
            sequence = notification.SEQUENCES[how](message)
            self._window.terminal.write_sequence(notification.passed_on(sequence, environment))
        elif how in notification.PROGRAMS:
            self._window.spawn(self._run_notifier(notification.PROGRAMS[how](message)))

    async def _run_notifier(self, argv: Sequence[str]) -> None:
        from acp_tui.ui.desktop.notification import CannotNotifyError, run_notifier

        try:
            await run_notifier(argv)
        except CannotNotifyError as error:
            if not self._has_failed:  # report it only once
                self._has_failed = True
                words = clean_line(str(error))
                self._window.notify(words, title="Not notified", severity="warning")
