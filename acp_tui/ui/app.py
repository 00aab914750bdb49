"""The app: shows the state, and turns what a person does into commands."""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.filter import NoColor
from textual.screen import Screen

from acp_tui.config.errors import ConfigError
from acp_tui.config.paths import settings_file
from acp_tui.config.settings import DEFAULT_THEME, FEW_COLORS_THEME, load_settings
from acp_tui.config.themes import load_theme, theme_files
from acp_tui.session.changes import Change, EntryAdded, EntryChanged, NoticeAdded, TerminalChanged
from acp_tui.session.commands import Do
from acp_tui.session.state import Phase, Session, State
from acp_tui.text import clean, clean_line
from acp_tui.ui import bindings, modes, theme
from acp_tui.ui.asking import RunProgram
from acp_tui.ui.conversation.prompt import PromptEditor
from acp_tui.ui.conversation.screen import ConversationScreen
from acp_tui.ui.enter_keys import recognize_alt_keys
from acp_tui.ui.recovering import RecoveringApp
from acp_tui.wire.recording import Record

if TYPE_CHECKING:
    from acp_tui.ui.inspector.screen import InspectorScreen

SECOND_THOUGHT = 2.0
"""Seconds within which a second Ctrl+C leaves for sure."""
NOTICED = 300
"""How many characters of a notice are said in passing."""
IN_CONVERSATION = (
    "next_mode",
    "restart",
    "inspect",
    "export",
    "sessions",
    "new_session",
    "close_session",
    "step_session",
    "show_session",
    "options",
    "notices",
)
"""What can't be done from a dialog."""


class AcpApp(RecoveringApp):
    """A leaf of the program: it is handed the state and a way to ask for things."""

    CSS_PATH: ClassVar = [
        Path(__file__).parent / f"{name}.tcss"
        for name in (
            "app",
            "choices",
            "conversation/screen",
            "conversation/welcome",
            "conversation/plan",
            "conversation/trouble",
            "conversation/waiting",
            "conversation/command_list",
            "conversation/file_list",
            "conversation/prompt",
            "conversation/search",
            "conversation/status_line",
            "conversation/hints",
        )
    ]
    BINDINGS: ClassVar[list[BindingType]] = [*bindings.EVERYWHERE, *bindings.SESSION_KEYS]
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        state: State,
        do: Do,
        *,
        clock: Callable[[], float] = time.monotonic,
        theme_name: str | None = None,
        timeout: float = 60.0,
        records: Sequence[Record] = (),
        run_program: RunProgram | None = None,
    ) -> None:
        """Show `state`; ask by `do`. `timeout` is how long `initialize` may take, in seconds.
        `records` is what the inspector shows; it may grow.

        Raises:
            ConfigError: the settings or the theme can't be used.
        """
        super().__init__(state, do, clock, run_program)
        recognize_alt_keys()
        if self.no_color:
            self._leave_out_colors()
        self._records = records
        self._inspector: InspectorScreen | None = None
        self._leaving_at = float("-inf")
        self._problems_seen = 0
        self._moved: list[Change] = []
        self._title_shown = ""
        self.conversation = ConversationScreen(state, clock, timeout, records)
        self._use_theme(theme_name or load_settings(settings_file()).theme or self._default_theme)

    def say(self, words: str) -> None:
        """Say for a moment what was done."""
        self.conversation.hints.say(words)

    def get_default_screen(self) -> Screen[None]:
        return self.conversation

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theme.DEFAULTS

    def on_conversation_screen_ready(self) -> None:
        """Show what happened before the screen was there."""
        self.refresh_all()
        self._tell([NoticeAdded(index) for index in range(len(self._state.notices))])

    def on_unmount(self) -> None:
        self._write("\x1b[23;2t")

    def changed(self, changes: Iterable[Change]) -> None:
        """Something moved in the state. Cheap; the screen follows soon after.

        Must be called in the app's event loop; may be called before the app runs.
        """
        if not self.conversation.is_mounted:
            return
        if not self._moved:
            # Not here: timers that a widget starts belong to the app's own context.
            self.call_later(self._follow_changes)
        self._moved += changes

    def _follow_changes(self) -> None:
        changes, self._moved = self._moved, []
        self.conversation.changed(changes)
        if self._inspector is not None:
            self._inspector.changed(changes)
        self._tell(changes)
        grown = (EntryChanged, TerminalChanged)
        if not all(isinstance(change, grown) for change in changes):
            self.refresh_all()

    def _tell(self, changes: Sequence[Change]) -> None:
        """Say in passing what was noticed; it is kept, too."""
        if not any(isinstance(change, NoticeAdded | EntryAdded) for change in changes):
            return
        from acp_tui.ui.notices.told import new, severity

        for notice in new(self._state, changes, self.desk.shown_id):
            words = clean(notice.description or "")[:NOTICED]
            title = clean_line(notice.title)[:NOTICED]
            kind = severity(notice)
            self.notify(words or title, title=title if words else "", severity=kind, markup=False)

    def action_notices(self) -> None:
        """Show all that was told in passing."""
        from acp_tui.ui.notices.screen import NoticesScreen

        self.push_screen(NoticesScreen(self._state, self._clock))

    def refresh_all(self) -> None:
        """Bring everything beside the transcript up to date."""
        self.converse()
        self.show_questions()
        self._name_terminal()

    # The agent

    def action_next_mode(self) -> None:
        """Ask for the agent's next mode."""
        command = modes.next_mode(self.session) if self.session else None
        if command is None:
            self.conversation.hints.say("this agent has no other mode")
        else:
            self._do(command)

    # The screen

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In a dialog, Shift+Tab and the like are the dialog's own."""
        if action in IN_CONVERSATION and self.screen.is_modal:
            return False
        return super().check_action(action, parameters)

    def action_help(self) -> None:
        """Show all keys, or hide them."""
        from acp_tui.ui.help.screen import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.dismiss()
        else:
            self.push_screen(HelpScreen())

    # The inspector

    def action_inspect(self) -> None:
        """Show the frames, from an entry of the transcript its own; or go back."""
        from acp_tui.ui.inspector.screen import InspectorScreen

        if isinstance(self.screen, InspectorScreen):
            self.screen.dismiss()
        elif self._inspector is not None and self._inspector in self.screen_stack:
            self.bell()  # it lies below a dialog
        else:
            self._inspect()

    def _inspect(self) -> None:
        from acp_tui.ui.inspector.screen import InspectorScreen

        if self._inspector is None:
            self._inspector = InspectorScreen(self._state, self._records, self._clock)
            self.install_screen(self._inspector, "inspector")
        self.push_screen(self._inspector)
        transcript, session = self.conversation.transcript, self.session
        current = transcript.current if transcript is not None and transcript.has_focus else None
        if session is not None and current is not None:
            self._inspector.show_entry(session.session_id, current)
        elif self._state.problem_count > self._problems_seen:
            self._inspector.show_problem()
        self._problems_seen = self._state.problem_count

    def on_inspector_screen_show_entry(self, event: "InspectorScreen.ShowEntry") -> None:
        """Go back to the transcript, to the entry of a frame."""
        transcript = self.conversation.transcript
        if self._inspector is None or transcript is None:
            return
        self._inspector.dismiss()
        transcript.focus()
        transcript.show_entry(event.session_id, event.index)

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
            self.say(f'theme = "{name}"; to keep it: {_from_home(settings_file())}')

    def _leave_out_colors(self) -> None:
        """Show by bold, reverse and the like what themes say in colors, whichever is chosen.

        Textual's own way is gray levels, and black on black where the terminal's colors are used.
        """
        self.ansi_color = True
        self._filters = [NoColor()]

    @property
    def _default_theme(self) -> str:
        return FEW_COLORS_THEME if self.console.color_system == "standard" else DEFAULT_THEME

    def _use_theme(self, name: str) -> None:
        self.register_theme(theme.to_textual(name, load_theme(name)))
        self.theme = name

    def action_redraw(self) -> None:
        """Draw everything again, over what something else left on the screen."""
        self._write("\x1b[2J")
        self.screen.refresh(layout=True)

    def _name_terminal(self) -> None:
        """Tell in the terminal's title who is there and whether a person is wanted."""
        name = clean_line(self._state.peer.name)[:40]
        title = f"acp-tui — {name}{_wanted(self._state, self.session)}"
        if title != self._title_shown:
            begin = "" if self._title_shown else "\x1b[22;2t"
            self._title_shown = title
            self._write(f"{begin}\x1b]2;{title}\x07")

    def _write(self, sequence: str) -> None:
        if self._driver is not None and not self._driver.is_headless and not self._away:
            self._driver.write(sequence)

    # Leaving

    async def action_leave(self) -> None:
        """Copy the selection; without one leave, at the second key if something would be lost."""
        selected = self._selected_text()
        if selected:
            self.copy_to_clipboard(selected)
            self.conversation.hints.say("copied")
            return
        now = self._clock()
        busy = any(session.turn is not None for session in self._state.sessions.values())
        if now - self._leaving_at > SECOND_THOUGHT and (busy or self.conversation.prompt.text):
            self._leaving_at = now
            what = "a turn is running" if busy else "the prompt is not sent"
            self.conversation.hints.say(f"{what}; Ctrl+C again leaves", SECOND_THOUGHT)
            return
        self.exit()

    def on_trouble_panel_leave(self) -> None:
        """Leave."""
        self.exit()

    def _selected_text(self) -> str:
        focused = self.focused
        if isinstance(focused, PromptEditor) and focused.selected_text:
            return focused.selected_text
        transcript = self.conversation.transcript
        if transcript is not None and (selected := transcript.selected_text()):
            return selected
        return self.screen.get_selected_text() or ""


def _from_home(path: Path) -> str:
    """A path as short as one would type it."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def _wanted(state: State, session: Session | None) -> str:
    asked = state.waiting_permissions() or state.elicitations or state.trust
    if asked or state.peer.phase is Phase.SIGN_IN:
        return " — waiting for you"
    if state.peer.phase in (Phase.FAILED, Phase.EXITED):
        return " — not running"
    return " — working" if session is not None and session.turn is not None else ""
