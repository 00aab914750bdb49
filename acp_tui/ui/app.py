"""The app: shows the state, and turns what a person does into commands."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from contextvars import copy_context
from pathlib import Path
from typing import ClassVar

from textual.binding import BindingType
from textual.filter import LineFilter
from textual.screen import Screen

from acp_tui.config.errors import ConfigError
from acp_tui.config.paths import settings_file
from acp_tui.config.settings import DEFAULT_THEME, FEW_COLORS_THEME, load_settings
from acp_tui.config.themes import load_theme, theme_files, theme_in_settings
from acp_tui.session.changes import Change, EntryAdded, EntryChanged, NoticeAdded, TerminalChanged
from acp_tui.session.state import Phase
from acp_tui.text import clean_line
from acp_tui.ui import bindings, modes, theme
from acp_tui.ui.contrast import EnoughContrast
from acp_tui.ui.conversation.prompt import PromptEditor
from acp_tui.ui.conversation.screen import ConversationScreen
from acp_tui.ui.hints import SECONDS as SAID
from acp_tui.ui.inspecting import InspectingApp
from acp_tui.ui.lines.measure import measure
from acp_tui.ui.recovering import SECOND_THOUGHT
from acp_tui.ui.sessions.agent import Agent, Hosts
from acp_tui.ui.sessions.tabs import Tabs, is_gone
from acp_tui.ui.textual_fixes.enter_keys import recognize_alt_keys
from acp_tui.ui.words import cropped, from_home

NOTICED = 100
"""How many characters of a notice are said in passing: three lines on a narrow screen."""
IN_CONVERSATION = (
    "next_mode",
    "restart",
    "split",
    "export",
    "files",
    "undo_write",
    "sessions",
    "new_session",
    "choose_agent",
    "close_session",
    "step_session",
    "show_session",
    "go_to_question",
    "options",
    "notices",
    "rules",
)
"""What can't be done from a dialog."""
GROWN = (EntryChanged, TerminalChanged)
"""What makes no difference to anything but the transcript and the frames."""


class AcpApp(InspectingApp):
    """A leaf of the program: it is handed agents, each with its state and a way to ask for things."""

    CSS_PATH: ClassVar = [
        Path(__file__).parent / f"{name}.tcss"
        for name in (
            "app",
            "choices",
            "question_box",
            "conversation/screen",
            "conversation/welcome",
            "conversation/plan",
            "conversation/trouble",
            "conversation/waiting",
            "conversation/elsewhere",
            "question/panel",
            "elicitation/elicitation",
            "conversation/command_list",
            "conversation/file_list",
            "conversation/prompt",
            "conversation/search",
            "conversation/status_line",
            "hints",
        )
    ]
    BINDINGS: ClassVar[list[BindingType]] = [*bindings.EVERYWHERE, *bindings.SESSION_KEYS]
    ENABLE_COMMAND_PALETTE = False
    TITLE = "acp-tui"

    def __init__(
        self,
        agents: Sequence[Agent],
        *,
        hosts: Hosts | None = None,
        clock: Callable[[], float] = time.monotonic,
        theme_name: str | None = None,
    ) -> None:
        """Show these agents, the first in front; `hosts` starts others.

        Raises:
            ConfigError: the settings or the theme can't be used.
        """
        self._enough_contrast = EnoughContrast()
        super().__init__(agents, hosts, clock)
        recognize_alt_keys()
        if self.no_color:
            self.leave_out_colors()
        self._leaving_at = float("-inf")
        self._moved: dict[Agent, list[Change]] = {}
        self._title_shown = ""
        self._own_context = copy_context()
        self.conversation = ConversationScreen(self.tabs, clock)
        measure.cells = load_settings(settings_file()).prose_width
        self._use_theme(theme_name or theme_in_settings(settings_file()) or self._default_theme)

    def say(self, words: str, seconds: float = SAID) -> None:
        """Say for a moment what was done."""
        self.conversation.hints.say(words, seconds)

    def get_default_screen(self) -> Screen[None]:
        return self.conversation

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theme.DEFAULTS

    def on_conversation_screen_ready(self) -> None:
        """Show what happened before the screen was there."""
        self._own_context = copy_context()
        self.refresh_all()
        for agent in self.tabs.agents:
            self._tell(agent, [NoticeAdded(at) for at in range(len(agent.state.notices))])

    def on_unmount(self) -> None:
        self._write("\x1b[23;2t")

    def changed(self, agent: Agent, changes: Sequence[Change]) -> None:
        """Something moved in the state of an agent. Cheap; the screen follows soon after.

        Must be called in the app's event loop; may be called before the app runs.
        """
        if not self.conversation.is_mounted or agent not in self.tabs.agents:
            return
        if not self._moved and all(isinstance(one, GROWN) for one in changes):
            # At once, as a message for each would cost as much as drawing it. Timers that a widget
            # starts belong to the app's own context.
            self._own_context.run(self._follow_growth, agent, changes)
            return
        if not self._moved:
            self.call_later(self._follow_changes)
        self._moved.setdefault(agent, []).extend(changes)

    def _follow_growth(self, agent: Agent, changes: Sequence[Change]) -> None:
        self.conversation.changed(agent, changes)
        self.inspect_changes(agent, changes)

    def _follow_changes(self) -> None:
        moved, self._moved = self._moved, {}
        for agent, changes in moved.items():
            self._follow_growth(agent, changes)
            self._tell(agent, changes)
        if not all(isinstance(one, GROWN) for changes in moved.values() for one in changes):
            self.refresh_all()

    def _tell(self, agent: Agent, changes: Sequence[Change]) -> None:
        """Say in passing what was noticed; it is kept, too."""
        if not any(isinstance(change, NoticeAdded | EntryAdded) for change in changes):
            return
        from acp_tui.ui.toasts import new, severity

        reads = agent is self.agent and self.screen is self.conversation
        shown_id = self.tabs.shown.session_id if reads else None
        whose = f"{agent.name}: " if len(self.tabs.agents) > 1 else ""
        for notice in new(agent.state, changes, shown_id):
            words = cropped(clean_line(notice.description or ""), NOTICED)
            title = cropped(f"{whose}{clean_line(notice.title)}", NOTICED)
            kind = severity(notice)
            if words and (self.screen.is_modal or self.conversation.question is not None):
                # where there is a row for it
                title, words = "", f"{title}: {words}"
            self.notify(words or title, title=title if words else "", severity=kind, markup=False)

    def action_notices(self) -> None:
        """Show all that was told in passing."""
        from acp_tui.ui.dialogs.notices import NoticesScreen

        self.push_screen(NoticesScreen(self.tabs.agents, self._clock))

    def refresh_all(self) -> None:
        """Bring everything beside the transcript up to date."""
        self.converse()
        self.show_questions()
        self.show_files()
        self.show_rules()
        self._name_terminal()

    # The agent

    def action_next_mode(self) -> None:
        """Ask for the agent's next mode."""
        command = modes.next_mode(self.session) if self.session else None
        if command is None:
            self.conversation.hints.say("this agent has no other mode")
        else:
            self.agent.do(command)

    # The screen

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In a dialog, Shift+Tab and the like are its own. Beside a question it changes no mode: in
        another one the agent may no longer ask.
        """
        if action in IN_CONVERSATION and self.screen.is_modal:
            return False
        if action == "next_mode" and self.conversation.question is not None:
            return False
        return super().check_action(action, parameters)

    def action_help(self) -> None:
        """Show all keys, or hide them."""
        from acp_tui.ui.dialogs.help import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.dismiss()
        else:
            self.push_screen(HelpScreen(self.topic))

    # The look

    def action_next_theme(self) -> None:
        """Go to the next theme for this run."""
        names = list(theme_files())
        name = (
            names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0]
        )
        try:
            self._use_theme(name)
        except ConfigError as error:
            self.notify(str(error), severity="error", markup=False)
        else:
            self.say(f'theme = "{name}"; to keep it: {from_home(str(settings_file()))}')

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Keep all that is drawn apart from its background, where its colors are known."""
        filters = super().get_line_filters()
        return filters if self.native_ansi_color else [*filters, self._enough_contrast]

    @property
    def _default_theme(self) -> str:
        return FEW_COLORS_THEME if self.console.color_system == "standard" else DEFAULT_THEME

    def _use_theme(self, name: str) -> None:
        self.register_theme(theme.to_textual(name, load_theme(name)))
        self.theme = name

    def on_resize(self) -> None:
        """Draw all of it, even at the size that it had: another one that came and went unseen may
        have cut off what the terminal showed.
        """
        self.redraw()

    def action_stop(self) -> None:
        """Give the terminal to the shell, with all of its job, until that has us go on."""
        if self.can_suspend:
            os.killpg(0, signal.SIGTSTP)

    def action_redraw(self) -> None:
        """Draw everything again, over what something else left on the screen."""
        self._write("\x1b[2J")
        self.redraw()

    def _name_terminal(self) -> None:
        """Tell in the terminal's title who is there and whether a person is wanted."""
        count = _asked(self.tabs)
        begin = f"({count}) " if count else ""
        words = " — waiting for you" if count else _goes_on(self.tabs)
        title = f"{begin}acp-tui — {self.agent.name[:40]}{words}"
        if title != self._title_shown:
            keep = "" if self._title_shown else "\x1b[22;2t"
            self._title_shown = title
            self._write(f"{keep}\x1b]2;{title}\x07")

    def _write(self, sequence: str) -> None:
        if not self._away:
            self.write_sequence(sequence)

    # Leaving

    async def action_leave(self) -> None:
        """Copy the selection; without one leave, at the second key if something would be lost."""
        selected = self._selected_text()
        if selected:
            self.copy_to_clipboard(selected)
            self.conversation.hints.say("copied")
            return
        if self.stays_in_inspector():
            return
        now = self._clock()
        sessions = [one for agent in self.tabs.agents for one in agent.state.sessions.values()]
        busy = any(session.turn is not None for session in sessions)
        if now - self._leaving_at > SECOND_THOUGHT and (busy or self.conversation.prompt.text):
            self._leaving_at = now
            here = self.session is not None and self.session.turn is not None
            esc = ": Esc cancels it" if here else " in another tab" if busy else ""
            what = f"a turn is running{esc}" if busy else "the prompt is not sent"
            self.conversation.hints.say(f"{what}; Ctrl+C again leaves", SECOND_THOUGHT)
            return
        self.exit()

    def on_trouble_panel_close(self) -> None:
        """Go on with the other agents."""
        self.close_agent(self.agent)

    def _selected_text(self) -> str:
        focused = self.focused
        if isinstance(focused, PromptEditor) and focused.selected_text:
            return focused.selected_text
        transcript = self.conversation.transcript
        if transcript is not None and (selected := transcript.selected_text()):
            return selected
        return self.screen.get_selected_text() or ""


def _asked(tabs: Tabs) -> int:
    """How many questions wait for a person, whichever window that looks at."""
    states = [agent.state for agent in tabs.agents]
    others = sum((one.peer.phase is Phase.SIGN_IN) + (one.trust is not None) for one in states)
    return others + len(tabs.questions())


def _goes_on(tabs: Tabs) -> str:
    if is_gone(tabs.agent.state.peer):
        return " — not running"
    if tabs.agent.state.peer.phase is Phase.NO_SESSION:
        return " — no session"
    session = tabs.shown.session
    return " — working" if session is not None and session.turn is not None else ""
