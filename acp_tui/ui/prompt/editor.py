"""The prompt editor, and the placeholder that it shows while it is empty."""

from collections.abc import Callable, Sequence
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Protocol

from textual import actions, events
from textual.message import Message

from acp_tui.config.settings import Settings
from acp_tui.state.peer import Peer, Phase
from acp_tui.state.session import Session
from acp_tui.text import clean_text, one_line, reveal_escapes
from acp_tui.ui.keys import key_name
from acp_tui.ui.prompt import bindings
from acp_tui.ui.prompt.command_list import CommandList
from acp_tui.ui.prompt.completion import PromptCompletion
from acp_tui.ui.prompt.familiar_commands import FamiliarCommand
from acp_tui.ui.prompt.file_list import FileList
from acp_tui.ui.prompt.history import PromptHistory
from acp_tui.ui.prompt.pasting_text_area import PastingTextArea
from acp_tui.ui.tabs.conditions import is_ready
from acp_tui.ui.tabs.tabs import Asked
from acp_tui.ui.textual_fixes.key_bindings import bindings_of
from acp_tui.ui.toolkit.hints import describe_closing_key
from acp_tui.ui.window import QuestionAbove, Window

if TYPE_CHECKING:
    from acp_tui.config.own_prompts import OwnPrompt

MISSING_PARTS = {
    Phase.FAILED: "No agent now",
    Phase.EXITED: "No agent now",
    Phase.NO_SESSION: "No session now",
}
"""What is missing in the phases in which nothing can be sent."""
INVITATION = "Ask the agent"
"""The placeholder before anything is known about the agent."""


def sendable_suggestion(peer: Peer, session: Session | None, *, waits: bool) -> str:
    """Return the prompt that the agent suggests, escaped so that it attaches no files; "" if it
    can't be sent now.

    `waits` is whether something else has to be sent or answered first.
    """
    if session is None or session.subagent is not None or session.turn is not None or waits:
        return ""
    suggested = session.suggested_prompt
    if not suggested or not is_ready(peer, session):
        return ""
    from acp_tui.workspace.mentions import escape_mentions  # not needed at startup

    text = escape_mentions(clean_text(reveal_escapes(suggested)))
    return f" {text}" if text.startswith("!") else text  # only the user may run a `!` command


def invitation_to(suggested: str) -> str:
    """Return the placeholder that offers the prompt suggested by the agent."""
    return f"{key_name('tab', 'prompt')} writes: {one_line(suggested)}"


def empty_prompt_hint(
    peer: Peer, session: Session | None, hint: str, *, waits: bool, held: bool
) -> str:
    """Return the placeholder of the empty prompt, with a hint.

    `waits` is whether prompts are queued, `held` whether only the user can release them.
    """
    if peer.phase in MISSING_PARTS:
        return f"{MISSING_PARTS[peer.phase]}: what is written here is kept"
    if session is not None and session.subagent is not None:
        return "A subagent's session, to read: only the agent talks to it"
    if session is not None and session.turn is not None:
        return "Keep typing: sent after this turn"
    if held:
        return "Enter sends what is held; Esc takes it back"
    if not is_ready(peer, session):
        when = (
            "after the sign-in" if peer.phase is Phase.SIGN_IN else "as soon as the agent is ready"
        )
        return f"Sent {when}; Esc takes it back" if waits else f"Keep typing: sent {when}"
    return f"{INVITATION}; {hint}" if hint else INVITATION


class PromptActions(Protocol):
    """The actions that the editor leaves to its feature."""

    def submit(self, text: str, *, steer: bool = False, question: Asked | None = None) -> None:
        """Send a text, or queue it; without text, resume the queue."""

    def unqueue_newest(self) -> None:
        """Move the newest queued prompt back into the editor."""

    def list_own(self) -> None:
        """Read the prompt files, and offer them for completion."""

    def use_own(self, prompt: "OwnPrompt", words: str = "") -> None:
        """Insert a prompt from a file into the editor, with the words that followed its name."""


class PromptEditor(PastingTextArea):
    """The editor of the prompt: it grows with its text, and Enter sends."""

    BINDINGS = bindings.PROMPT  # type: ignore[assignment]

    class ListChanged(Message):
        """The list of commands or files above the prompt was closed, or its items changed."""

    class Scrolls(Message):
        """A key scrolls the conversation, by `pages` or `lines`."""

        def __init__(self, pages: int, lines: int) -> None:
            super().__init__()
            self.pages, self.lines = pages, lines

    actions: PromptActions
    """Set before the first key."""

    def __init__(self, commands: CommandList, files: FileList) -> None:
        super().__init__(placeholder=INVITATION)
        self.waiting = False
        self.suggested = ""
        """The prompt that the agent suggests; Tab or Right inserts it while the editor is empty."""
        self.asked: QuestionAbove | None = None
        self.earlier = PromptHistory()
        """Prompts sent from here, in this and earlier runs, and others that Up should find."""
        self.completion = PromptCompletion(
            self, commands, files, lambda: self.earlier.prompts, self.write, self._list_own
        )
        self._is_second = False
        """Whether the next key may complete Ctrl+X Ctrl+E."""
        self._submitted: tuple[str, bool] | None = None
        """The text submitted while the prompt files were being read, and whether it steers."""

    def _list_own(self) -> None:
        self.actions.list_own()

    def remember_older(self, texts: Sequence[str]) -> None:
        """Put prompts of earlier runs into the history; show one if Up has asked for it already."""
        self.earlier.prepend_older(texts)
        self._recall_prompt(self.earlier.catch_up(self.text))

    def show_draft(self, text: str) -> None:
        """Show another tab's draft. Undo doesn't go back to this tab's text."""
        self._submitted = None
        self.text = self.folded.fold(text)
        self.move_cursor(self.document.end)

    def use_settings(self, settings: Settings) -> None:
        """Apply the setting for the number of lines from which a paste is folded."""
        self.folded.from_lines = settings.fold_pastes

    @property
    def handles_tab(self) -> bool:
        """Whether Tab may complete or open something here, so that it doesn't move the focus."""
        return self.completion.is_open or self.has_chips or self.suggests

    @property
    def familiar(self) -> FamiliarCommand | None:
        """The familiar command that is written, which Enter runs."""
        return self.completion.commands.named_familiar(self.text)

    @property
    def continues_line(self) -> bool:
        """Whether a single backslash ends the cursor's line, so that Enter begins a new line."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        return column == len(line) and line.endswith("\\") and not line.endswith("\\\\")

    def insert_typed(self, text: str, event: events.Key | events.Paste) -> None:
        """Insert what was typed or pasted elsewhere, where it wasn't a command."""
        self.focus()
        withheld = "" if self.asked is None else self.asked.start_text(event)
        self.insert(withheld + self.pastable(text))

    async def on_key(self, event: events.Key) -> None:
        """Run a key's binding at once. The app would run it only after the event has bubbled up to
        it, and keys typed after it would overtake it.
        """
        is_second, self._is_second = self._is_second, False
        self._submitted = None
        asked = None if self.completion.is_list_key(event.key) else self.asked
        if is_second and event.key == "ctrl+e":
            act: Callable[[], object] | None = partial(self.run_action, bindings.EDIT_PROMPT)
        elif event.key == "escape" and self.completion.is_open:
            act = self._close_list
        elif asked is not None and self._press_question_key(asked, event):
            act = _do_nothing
        elif text := self.writes(event):
            act = partial(self.insert, text)
        else:
            act = self._bound_to(event.key)
        if event.key.startswith("alt+"):
            event.prevent_default()  # with Alt, a letter isn't text, whichever widget binds it
        if act is not None:
            event.stop()
            event.prevent_default()
            done = act()
            if isawaitable(done):
                await done

    def _press_question_key(self, asked: QuestionAbove, event: events.Key) -> bool:
        """Pass a key to the question, insert text that it held back; return whether it's used."""
        pressed = asked.press(event)
        if pressed.text:
            self.insert(pressed.text)
        return pressed.done

    def _close_list(self) -> None:
        """Hide a list until more is typed."""
        self.completion.close()
        self.post_message(self.ListChanged())

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Return whether a key is text; keys that answer a question aren't."""
        asked = self.asked is not None and self.asked.means(key)
        return not asked and super().check_consume_key(key, character)

    def _bound_to(self, key: str) -> Callable[[], object] | None:
        """Return the action bound to a key here; None if it types text or a parent handles it."""
        for binding in bindings_of(self, key):
            where, name, given = actions.parse(binding.action)
            act = getattr(self, f"action_{name}", None)
            if not where and act is not None:
                return partial(act, *given)
        return None

    def on_paste(self, event: events.Paste) -> None:
        """Insert a paste, and report it to the pending question, so that it doesn't answer that."""
        if self.asked is not None:
            self.insert(self.asked.start_text(event))

    def offer_own(self, found: "Sequence[OwnPrompt]") -> None:
        """Offer prompts from files if a command is being written; submit what waited for them."""
        if not self.completion.offer_own(found):
            return
        self.post_message(self.ListChanged())
        submitted, self._submitted = self._submitted, None
        if submitted == (self.text, False):
            self.action_submit()
        elif submitted == (self.text, True):
            self.action_steer()

    def on_text_area_changed(self) -> None:
        """Update the lists of commands and files from the text."""
        self.completion.follow_text()

    def on_text_area_selection_changed(self) -> None:
        """Hide the files once the cursor leaves the mention."""
        self.completion.follow_cursor()

    def action_submit(self) -> None:
        """Send, or insert the marked command if it isn't fully typed; after a backslash, begin a
        new line.

        If the prompt files are still being read, wait for them.
        """
        if self.continues_line:
            self._continue_line()
            return
        if self._waits_for_own(steer=False) or self._write_own():
            return
        if self.completion.complete_unfinished():
            return
        self._send_written(steer=False)

    def action_steer(self) -> None:
        """Send into the running turn; if the prompt files are still being read, wait for them."""
        if not self._waits_for_own(steer=True):
            self._send_written(steer=True)

    def _continue_line(self) -> None:
        """Replace the backslash by a new line. In a `!` command it is kept: the shell reads it."""
        self.history.checkpoint()
        row, column = end = self.cursor_location
        start = end if self.runs else (row, column - 1)
        self.replace("\n", start, end, maintain_selection_offset=False)

    def _waits_for_own(self, *, steer: bool) -> bool:
        """Return whether prompt files are still being read; the text is submitted after that."""
        self.completion.find_own()
        if self.completion.reads_own:
            self._submitted = self.text, steer
        return self.completion.reads_own

    def _send_written(self, *, steer: bool) -> None:
        """Send the text; insert or run a prompt from a file or a familiar command instead."""
        text = self.written
        named = self.completion.commands.named_own(text)
        if named is not None:
            self.actions.use_own(*named)
            return
        if (familiar := self.familiar) is not None:
            self.clear()
            self.call_later(self.run_action, familiar.action)
            return
        if text.startswith("!") and not self.runs:
            text = f" {text}"  # folded text must not run as a command
        if text.strip():
            self.earlier.add(text)
            question = None if steer or self.asked is None else self.asked.asked
            self.clear()
            self.actions.submit(text, steer=steer, question=question)
        elif self.waiting:
            self.actions.submit("")

    async def action_delete_word(self) -> None:
        """Delete back to whitespace; if the prompt is empty, mention the key that closes a tab."""
        if self.text:
            await self.action_kill("delete_to_blank")
        else:
            self.post_message(self.NoteAdded(describe_closing_key()))

    async def action_leave_or_delete(self) -> None:
        """Delete the character at the cursor; if the prompt is empty, quit."""
        if self.text:
            self.action_delete_right()
        else:
            await self.run_action(bindings.QUIT_EMPTY)

    def action_cut(self) -> None:
        """Cut the selection; if there is none, Ctrl+E may follow and open $EDITOR, as in shells."""
        self._is_second = not self.selected_text
        if self._is_second:
            self.post_message(
                self.NoteAdded("nothing is selected to be cut; Ctrl+E opens the editor")
            )
        else:
            super().action_cut()

    def clear_by_key(self) -> bool:
        """Clear the prompt; return False if it is empty or answers a question. Undo restores it."""
        if not self.has_focus or not self.text or self.asked is not None:
            return False
        self.write("")
        self.earlier.reset()
        return True

    def action_scroll_conversation(self, pages: int = 0, lines: int = 0) -> None:
        """Ask the app to scroll the conversation above."""
        self.post_message(self.Scrolls(pages, lines))

    @property
    def suggests(self) -> bool:
        """Whether Tab inserts the prompt that the agent suggests."""
        return bool(self.suggested) and not self.text

    def _write_suggested(self) -> bool:
        """Insert the prompt that the agent suggests; return False if there is none."""
        if not self.suggests:
            return False
        self.write(self.cleaned(self.suggested))
        return True

    def action_cursor_right(self, select: bool = False) -> None:
        """Move right; in an empty prompt, insert the prompt that the agent suggests."""
        if select or not self._write_suggested():
            super().action_cursor_right(select)

    async def action_complete(self) -> None:
        """Open the chip at the cursor, insert the marked item or suggestion, or move the focus."""
        if self._write_own() or self.unfold() or self._write_suggested():
            return
        if not self.completion.complete():
            await self.run_action("screen.focus_next")

    def _write_own(self) -> bool:
        """Insert the marked prompt from a file; return False if none is marked."""
        own = self.completion.commands.marked_own
        if own is not None:
            self.actions.use_own(own)
        return own is not None

    def action_cursor_up(self, select: bool = False) -> None:
        """Move up; in the first line, to the newest queued prompt or the previous sent one."""
        if self.completion.move(-1):
            return
        if select or not self.navigator.is_first_wrapped_line(self.cursor_location):
            super().action_cursor_up(select)
        elif self.waiting and not self.text:
            self.actions.unqueue_newest()
        else:
            self._recall_prompt(self.earlier.back(self.text))

    def action_cursor_down(self, select: bool = False) -> None:
        """Move down; in the last line, to the next prompt in the history."""
        if self.completion.move(1):
            return
        if select or not self.navigator.is_last_wrapped_line(self.cursor_location):
            super().action_cursor_down(select)
        else:
            self._recall_prompt(self.earlier.forward(self.text))

    def _recall_prompt(self, text: str | None) -> None:
        if text is not None:
            self.write(self.folded.fold(text))
            self.completion.commands.hide()


def _do_nothing() -> None:
    """Do nothing: the key was handled already."""


class EditorWindow(Window, Protocol):
    """A window with the prompt's editor."""

    @property
    def editor(self) -> PromptEditor:
        """The editor below the conversation."""
