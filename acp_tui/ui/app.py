"""The Textual app: draws the state of the agents, and turns keys into commands."""

import os
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import anyio
from textual import events
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.theme import Theme
from textual.widget import Widget

from acp_tui.config.layers import load_settings
from acp_tui.config.paths import settings_file
from acp_tui.config.themes import theme_in_settings
from acp_tui.host.agent import Agent
from acp_tui.state.changes import Change
from acp_tui.state.session import Session
from acp_tui.ui import bindings
from acp_tui.ui.colors import theme
from acp_tui.ui.colors.contrast import EnoughContrast
from acp_tui.ui.conversation.screen import ConversationScreen
from acp_tui.ui.feature import ActionDone, AppClosed, AppReady, Event
from acp_tui.ui.following import Following, OwnContext
from acp_tui.ui.keys import key_name
from acp_tui.ui.lines.lines import measure
from acp_tui.ui.prompt.command_list import CommandList
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.file_list import FileList
from acp_tui.ui.stylesheets import STYLESHEETS
from acp_tui.ui.tabs.tabs import Tabs
from acp_tui.ui.textual_fixes.callbacks import count_parameters_once
from acp_tui.ui.textual_fixes.gc_control import GcControl
from acp_tui.ui.textual_fixes.key_order import KeyOrderApp
from acp_tui.ui.textual_fixes.stylesheet import CachingStylesheet
from acp_tui.ui.toolkit.clipboard import fill_clipboard, too_long, without_controls
from acp_tui.ui.toolkit.hints import name_keys, press_clicked
from acp_tui.ui.toolkit.notes import (
    REFUSAL,
    REMARK,
    SECONDS,
    SEVERITIES,
    WARNING,
    Note,
    NoteKind,
    NoteRow,
    always,
)
from acp_tui.ui.toolkit.screens import OverlayScreen
from acp_tui.ui.toolkit.type_ahead import TypedAhead
from acp_tui.ui.window import PromptPort, QuestionPort, TerminalPort, TranscriptPort

if TYPE_CHECKING:
    from acp_tui.ui.features import AppWindow, Features

T = TypeVar("T")
IN_USE = 30.0
"""Seconds without a key or a click after which the user is assumed to have left the terminal."""


class AcpApp(KeyOrderApp):
    """The app, which gets its agents, each with its state and a way to send commands.

    The app is the `Window` of its features, which do all the work.
    """

    CSS_PATH: ClassVar = STYLESHEETS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings.EVERYWHERE, *bindings.SESSION_KEYS]
    ENABLE_COMMAND_PALETTE = False
    TITLE = "acp-tui"

    def __init__(
        self,
        agents: Sequence[Agent],
        features: "Callable[[AppWindow], Features]",
        *,
        clock: Callable[[], float] = time.monotonic,
        theme_name: str | None = None,
    ) -> None:
        """Show these agents, the first one in front. `features` creates the features. Raises
        ConfigError if the settings or the theme can't be used.
        """
        self._enough_contrast = EnoughContrast()
        self._is_themed = False
        count_parameters_once()
        super().__init__()
        self.stylesheet = CachingStylesheet(variables=self.get_css_variables())
        self.clock = clock
        self.gc_control = GcControl(self.set_timer)
        self.tabs = Tabs(agents, clock)
        self.editor = PromptEditor(CommandList(), FileList(clock))
        self.feature = features(self)  # `features` is an attribute of Textual's own
        self.editor.actions = self.feature.prompts
        self.conversation = ConversationScreen(self.tabs, clock, self.editor, self.feature)
        self._own_context = OwnContext(self.run_worker)
        self._reports_focus = False
        self._following = Following(self, self._own_context)
        settings = load_settings(settings_file())
        measure.cells = settings.prose_width
        self.editor.use_settings(settings)
        self.use_theme(theme_name or theme_in_settings(settings_file()))

    @property
    def agent(self) -> Agent:
        """The agent of the tab that is shown."""
        return self.tabs.agent

    @property
    def session(self) -> Session | None:
        """The session that is shown."""
        return self.tabs.shown.session

    def get_default_screen(self) -> Screen[None]:
        self.conversation.expect(self.size)
        return self.conversation

    def refresh_css(self, animate: bool = True) -> None:
        """Apply the theme's colors. The first screen reads the stylesheets itself, so until then
        only the variables are set.
        """
        if self.screen_stack:
            super().refresh_css(animate)
        else:
            self.stylesheet.set_variables(self.get_css_variables())

    def get_css_variables(self) -> dict[str, str]:
        """Return the theme's colors; none during construction, when the theme is still Textual's,
        which is never drawn.
        """
        return super().get_css_variables() if self._is_themed else {}

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theme.DEFAULTS

    def on_load(self) -> None:
        """Save the app's own context before anything can open a screen: an agent may be quick."""
        self._own_context.save()

    def on_conversation_screen_ready(self) -> None:
        """Show everything that happened before the screen was mounted."""
        self.refresh_view()
        self.emit(AppReady())
        self.gc_control.begin()

    def on_click(self, event: events.Click) -> None:
        """Press the key whose hint was clicked."""
        press_clicked(self, event)

    def on_app_focus(self) -> None:
        """Record that this terminal reports its focus."""
        self._reports_focus = True

    def on_app_blur(self) -> None:
        """Record that this terminal reports its focus."""
        self._reports_focus = True

    def on_enter_in_paste(self) -> None:
        """Explain that an unfinished paste kept Enter from sending, and which keys send."""
        end, enter = key_name("end"), key_name("enter")
        self.show_note(
            f"Not sent: {enter} may belong to the paste, whose end is missing. Press {end}, then {enter}.",
            kind=WARNING,
        )

    @property
    def is_watched(self) -> bool:
        """Whether the terminal has the focus or, if it doesn't report that, was used recently."""
        return (
            self.app_focus if self._reports_focus else time.monotonic() - self.last_typed < IN_USE
        )

    def on_unmount(self) -> None:
        self.emit(AppClosed())
        self._following.close()

    # Changes of agents

    def changed(self, agent: Agent, changes: Sequence[Change]) -> None:
        """Receive changes of an agent's state. Returns at once; the screen follows soon after.

        Must be called in the app's event loop; may be called before the app runs.
        """
        self._following.changed(agent, changes)

    def refresh_view(self) -> None:
        """Update everything on screen except the transcripts, which update themselves."""
        self._following.show()

    def emit(self, event: Event) -> None:
        """Call the features that handle this event."""
        self.feature.emit(event)

    def refresh_status(self) -> None:
        """Update the status line, and nothing else."""
        self.conversation.show_status()

    # The window that features see

    @property
    def prompt(self) -> PromptPort:
        """The prompt."""
        return self.feature.prompts

    @property
    def transcript(self) -> TranscriptPort | None:
        """The transcript of the tab that is shown; None until it has its first entry."""
        return self.conversation.transcript

    @property
    def question(self) -> QuestionPort | None:
        """The question of the tab that is shown."""
        return self.conversation.question

    @property
    def terminal(self) -> TerminalPort:
        """The terminal that the app runs on."""
        return self

    @property
    def is_conversation_in_front(self) -> bool:
        """Whether no other screen covers the conversation."""
        return bool(self.screen_stack) and self.screen_stack[-1] is self.conversation

    def show_side_pane(self, pane: Widget | None, focusable: Sequence[Widget] = ()) -> None:
        """Mount a pane beside the conversation; None removes it."""
        self.conversation.show_side_pane(pane, focusable)

    @property
    def screens(self) -> Sequence[Screen[Any]]:
        """The open screens, the one in front last."""
        return self.screen_stack

    def push(
        self,
        screen: Screen[T],
        then: Callable[[T | None], object] | None = None,
        *,
        over: Screen[Any] | None = None,
    ) -> None:
        """Open a screen; call `then` with its result, even if the widget that opened it is gone.
        With `over`, open it only if that screen is in front.
        """
        if over is None or over is self.screen:
            self._own_context.run(self.push_screen, screen, then)

    def leave_overlay(self) -> bool:
        """Close the screen in front, unless it is the conversation. Return whether one was closed."""
        overlay = isinstance(self.screen, OverlayScreen)
        if overlay:
            self.screen.dismiss()
        return overlay

    def show_note(
        self,
        words: str,
        seconds: float = SECONDS,
        is_valid: Callable[[], bool] | None = None,
        kind: NoteKind = REMARK,
    ) -> None:
        """Show a note on the screen in front for some seconds, as long as `is_valid` returns true."""
        self._add_note(Note(words, kind, seconds, is_valid or always))

    def refuse(self, words: str) -> None:
        """Show why a key does nothing."""
        self._add_note(Note(words, REFUSAL))

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,  # noqa: ARG002 - markup in a message is never interpreted
    ) -> None:
        """Show a note instead of Textual's toast."""
        seconds = self.NOTIFICATION_TIMEOUT if timeout is None else timeout
        self._add_note(Note(message, SEVERITIES[severity], seconds, title=title))

    @property
    def notes(self) -> Sequence[Note]:
        """The notes of the screen in front, the newest last."""
        return (self._overlay or self.conversation).notes.notes

    def _add_note(self, note: Note) -> None:
        """Show a note on the screen in front."""
        if self._overlay is not None:
            self._overlay.show_note(note)
        else:
            self.conversation.notes.show_note(note)

    @property
    def _overlay(self) -> OverlayScreen[object] | None:
        """The screen in front, unless it is the conversation."""
        front = self.screen_stack[-1] if self.screen_stack else None
        return front if isinstance(front, OverlayScreen) else None

    def spawn(self, work: Coroutine[Any, Any, None], *, name: str = "") -> None:
        """Run a coroutine until it ends, or the app does."""
        self._own_context.spawn(work, name)

    def appearance(self) -> tuple[Theme, int]:
        """Return the theme and the screen's width."""
        return self.current_theme, self.size.width

    async def picture(self) -> str:
        """Return the screen as an SVG, without passing notes."""
        notes = [*self.screen.query(NoteRow)]
        drawn = anyio.Event()
        for one in notes:
            one.cover(True)
        try:
            self.call_after_refresh(drawn.set)
            await drawn.wait()
            return self.export_screenshot(title="acp-tui")
        finally:
            for one in notes:
                one.cover(False)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy through the terminal, and to the system's clipboard where there is one.

        Everything that is copied goes through here; a text that is too long is not copied.
        """
        if too_long(len(text)) is None:
            super().copy_to_clipboard(without_controls(text))
            if not self.is_headless:
                fill = fill_clipboard(without_controls(text), os.environ)
                self.run_worker(fill, group="clipboard", exclusive=True)

    def open_url(self, url: str, *, new_tab: bool = True) -> None:  # noqa: ARG002
        """Open a URL in the system's viewer."""
        self.feature.external.open_page(url)

    def selected_text(self) -> str:
        """Return the selected text of the screen in front."""
        return self.conversation.selected_text() or self.screen.get_selected_text() or ""

    def action_do(self, action: str, *args: object) -> None:
        """Run a key's action: `sessions.step` is the method `step` of the feature `sessions`."""
        feature, _, method = action.partition(".")
        getattr(self.feature.by_name[feature], method)(*args)
        self.emit(ActionDone(action))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Ask the key's feature whether it allows the action; leave keys such as Shift+Tab to an
        open dialog.
        """
        if action != "do":
            return super().check_action(action, parameters)
        action_name = str(parameters[0])
        if action_name in bindings.NOT_IN_DIALOGS and self.screen.is_modal:
            return action_name == "palette.open" and bindings.has_palette_actions(self.screen)
        feature, _, method = action_name.partition(".")
        return self.feature.by_name[feature].allows(method)

    def action_help(self) -> None:
        """Show or hide the list of all keys."""
        from acp_tui.ui.help.screen import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.dismiss()
        else:
            topics = [feature.topic for feature in self.feature.all]
            here = bindings.section_of(self.screen.focused or self.screen)
            self.push_screen(HelpScreen(next(filter(None, [*topics, here]), "")))

    # Messages of widgets that don't know the features

    def on_overlay_screen_closed(self, event: OverlayScreen.Closed) -> None:
        """Free a closed screen's memory; show its remaining notes on the screen below."""
        event.stop()
        for note in event.notes:
            self._add_note(note)
        self.gc_control.collect_soon()

    def on_typed_ahead(self, event: TypedAhead) -> None:
        """Insert typed-ahead text into the prompt, if it answered no question."""
        self.feature.prompts.type_ahead(event.typed)

    def use_keys(self) -> None:
        """Bind the keys that are in the tables now, and update their names on screen."""
        AcpApp.BINDINGS[:] = [*bindings.EVERYWHERE, *bindings.SESSION_KEYS]
        self.rebind_keys()
        name_keys(self.screen_stack)
        self.refresh_view()

    # Theme

    def use_theme(self, name: str | None) -> None:
        """Use a theme by its name, or the default theme. Raises ConfigError."""
        name = name or theme.default_theme(self.console.color_system)
        self.register_theme(theme.theme_called(name))
        self._is_themed = True
        if name == self.theme:
            self.mutate_reactive(AcpApp.theme)  # its file may have changed
        self.theme = name

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Ensure enough contrast between text and background, if the terminal's colors are known."""
        filters = super().get_line_filters()
        return filters if self.native_ansi_color else [*filters, self._enough_contrast]
