"""The composer: a screen on which a message to the agent is written by hand."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from acp_tui.debug.drafts import DraftError, DraftKind, MessageDraft, begin_draft
from acp_tui.host.agent import Agent
from acp_tui.protocol.method_forms import MethodForm, method_forms
from acp_tui.text import clean_text
from acp_tui.ui.inspector import bindings
from acp_tui.ui.inspector.composer.body import MessageBody
from acp_tui.ui.toolkit.boxes import PAGE, QuestionBox
from acp_tui.ui.toolkit.hints import WIDE, Hint
from acp_tui.ui.toolkit.line_input import LineInput
from acp_tui.ui.toolkit.screens import OverlayScreen

if TYPE_CHECKING:
    from acp_tui.ui.inspector.composer.feature import ComposerFeature

FIRST = "session/prompt"
"""The method that is listed first, if it matches."""
OTHER_ROWS = 12
"""Rows of the screen that the list of methods leaves free."""
TAB = "Tab "
"""The key that inserts the first method."""


class MethodField(Vertical):
    """Asks for a method. Lists the methods that contain the text, unless it is a full name; Tab
    inserts the first.
    """

    def __init__(self) -> None:
        super().__init__(id="of-method")
        self.kind = DraftKind.REQUEST
        self.input = LineInput(select_on_focus=False, id="method")
        self._offered = Static(markup=False, id="offered")

    def compose(self) -> ComposeResult:
        with Horizontal(classes="line"):
            yield Static(" method", markup=False, classes="name")
            yield self.input
        yield self._offered

    @property
    def completions(self) -> list[str]:
        """Methods of this kind whose names contain the text, extensions last; none if the text is a
        full name.
        """
        text, wanted = self.input.value, self.kind is DraftKind.REQUEST
        if text in method_forms():
            return []
        found = [
            one.name
            for one in method_forms().values()
            if one.is_request is wanted and text.casefold() in one.name.casefold()
        ]
        return sorted(found, key=lambda one: (one != FIRST, one.startswith("_")))

    def indent(self, cells: int) -> None:
        """Align the list with the field, whose label takes `cells`."""
        self._offered.styles.padding = (0, 0, 0, cells - len(TAB))

    def offer(self) -> None:
        """List the completions."""
        found = self.completions
        most = max(1, self.screen.size.height - OTHER_ROWS)
        rows = [self._row(one, is_first=at == 0) for at, one in enumerate(found[:most])]
        if len(found) > most:
            more = f"    … {len(found) - most} more: write a part of the name"
            rows.append(Content.styled(more, "$text-muted"))
        self._offered.update(Content("\n").join(rows))
        self._offered.display = bool(rows)

    def _row(self, method: str, *, is_first: bool) -> Content:
        """Draw a method with the typed part in bold; the first one with the key that inserts it."""
        at, size = method.casefold().find(self.input.value.casefold()), len(self.input.value)
        style = "$foreground" if is_first else "$text-muted"
        return Content.assemble(
            (TAB if is_first else " " * len(TAB), "bold $primary"),
            (method[:at], style),
            (method[at : at + size], f"bold {style}"),
            (method[at + size :], style),
        )


KINDS: list[DraftKind] = [*DraftKind]


RAW_HELP = (
    r"Each line is sent as a line of its own, with a newline behind it. \xff is the byte of that "
    "number; everything else is sent as written, in UTF-8."
)

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


class SchemaAbout(Static):
    """The schema's description of a param, shown below the message, or next to it if there is room."""

    def __init__(self) -> None:
        super().__init__(markup=False, id="about")

    def show_text(self, words: str) -> None:
        """Show a description with the lines of each paragraph joined, and links reduced to their words."""
        joined = re.sub(r"(?<!\n)\n(?![\n*-])", " ", _LINK.sub(r"\1", words))
        self.update(Content.styled(clean_text(joined), "$text-muted"))


class ComposerScreen(OverlayScreen[None]):
    """Edits a message. Nothing typed or pasted here sends it: Ctrl+S shows the line and asks first."""

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.COMPOSER  # type: ignore[assignment]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012

    def __init__(
        self,
        draft: MessageDraft,
        agent: Agent,
        history: list[MessageDraft],
        composer: "ComposerFeature",
    ) -> None:
        super().__init__()
        self._draft = draft
        self._agent = agent
        self._history = history
        self._at = len(history)
        self._composer = composer
        self._prefers_form = True
        self._box = QuestionBox()
        self._kind = Static(markup=False, id="kind")
        self._of_method = MethodField()
        self._method = self._of_method.input
        self._request_id = LineInput(select_on_focus=False, id="id")
        self._body = MessageBody()
        self._about = SchemaAbout()
        self._problem = Static(markup=False, id="problem")

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._kind
            with Container(id="panes"):
                with Vertical(id="message"):
                    yield self._of_method
                    with Horizontal(id="of-id", classes="line"):
                        yield Static(" id", markup=False, classes="name")
                        yield self._request_id
                    yield self._body
                    yield self._problem
                yield self._about

    async def on_mount(self) -> None:
        self._box.ask("Compose", f"  to {self._agent.name or self._agent.state.peer.name}")
        await self._show_draft()

    # Drawing

    @property
    def _form(self) -> MethodForm | None:
        return method_forms().get(self._draft.method)

    async def _show_draft(self) -> None:
        """Show the draft, and focus the first field."""
        draft = self._draft
        with self.prevent(Input.Changed):
            self._method.value, self._request_id.value = draft.method, draft.id
        raw = draft.kind is DraftKind.RAW
        self._of_method.display = not raw
        self.query_one("#of-id").display = draft.kind is DraftKind.REQUEST
        signs = [f"{'●' if one is draft.kind else '○'} {one}" for one in KINDS]
        self._kind.update("   ".join(signs))
        self._of_method.kind = draft.kind
        self._of_method.offer()
        await self._show_body()
        if raw:
            self._body.focus_area()
        else:
            self._method.focus()

    async def _show_body(self) -> None:
        self._show_problem("")
        width = await self._body.show(self._draft, self._form if self._prefers_form else None)
        for name in self.query(".line > .name"):
            name.styles.width = width
        self._of_method.indent(width)
        self._box.offer(self._keys())
        if self.focused is not None:
            self._show_about(self.focused)

    def _keys(self) -> list[Hint]:
        """Return the key hints for the current state."""
        keys: list[Hint] = [("ctrl+s", "send…"), ("f2", f"as {self._next_kind}")]
        if self._draft.kind is not DraftKind.RAW and self._form is not None:
            keys.append(("f6", "as JSON" if self._body.is_form else "as a form"))
        return [*keys, ("ctrl+o", "editor"), ("escape", "back")]

    @property
    def _next_kind(self) -> DraftKind:
        return KINDS[(KINDS.index(self._draft.kind) + 1) % len(KINDS)]

    def _show_problem(self, words: str) -> None:
        self._problem.update(Content.styled(f"✗ {clean_text(words)}", "$error") if words else "")
        self._problem.display = bool(words)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show the schema's description of the focused field."""
        self._show_about(event.widget)

    def _show_about(self, widget: Widget) -> None:
        words = self._body.about(widget)
        if widget is self._method and self._form is not None:
            words = self._form.about
        if self._draft.kind is DraftKind.RAW:
            words = RAW_HELP
        self._about.show_text(words)

    # The method

    async def on_input_changed(self, event: Input.Changed) -> None:
        """Show the params of another method; values that were filled in are preserved."""
        event.stop()
        if event.input is not self._method:
            return
        self._of_method.offer()
        before = self._form
        if not self._try_update_draft() or self._form is before:
            return
        if self._form is not None and not self._draft.params.strip():
            self._draft = begin_draft(self._draft, self._form, *self._session_here())
            await self._show_draft()
        else:
            await self._show_body()

    def _session_here(self) -> tuple[str, str]:
        """Return the id and folder of the shown session, or of the agent's newest."""
        state = self._agent.state
        session = next(reversed(state.open_sessions()), None)
        shown = self._composer.session(self._agent) or session
        return (shown.session_id, shown.cwd) if shown is not None else ("", state.peer.cwd)

    async def action_go_on(self) -> None:
        """Complete the method if possible; otherwise go to the next field."""
        found = self._of_method.completions
        if self._method.has_focus and found:
            self._method.value = found[0]
            self._method.cursor_position = len(found[0])
        else:
            self.focus_next()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the next field; Enter never sends."""
        event.stop()
        self.focus_next()

    # The draft

    def _update_draft(self) -> MessageDraft:
        """Update the draft from the fields. Raises DraftError for unreadable params, which stay as
        they were.
        """
        draft = replace(self._draft, id=self._request_id.value)
        if draft.kind is not DraftKind.RAW:
            draft = replace(draft, method=self._method.value)
        self._draft = draft
        self._draft = self._body.write_into(draft)
        return self._draft

    async def action_next_kind(self) -> None:
        """Switch to the next kind of message."""
        if not self._try_update_draft():
            return
        kind = self._next_kind
        raw = self._draft.raw
        if kind is DraftKind.RAW and not raw and not self._draft.is_blank:
            raw = self._to_raw()
        self._draft = replace(self._draft, kind=kind, raw=raw)
        await self._show_draft()

    def _to_raw(self) -> str:
        try:
            return b"\n".join(self._draft.lines()).decode()
        except DraftError:
            return self._draft.params

    def _try_update_draft(self) -> bool:
        """Update the draft from the fields; if that fails, show why and return False."""
        try:
            self._update_draft()
        except DraftError as error:
            self._show_problem(f"{error.field}: {error}")
            return False
        return True

    async def action_toggle_json(self) -> None:
        """Toggle between params as a form and as JSON."""
        if not self._try_update_draft():
            return
        self._prefers_form = not self._prefers_form
        await self._show_body()

    def action_editor(self) -> None:
        """Edit the params, or the raw lines, in `$EDITOR`."""
        if not self._try_update_draft():
            return
        raw = self._draft.kind is DraftKind.RAW
        text = self._draft.raw if raw else self._draft.params
        self._composer.external.edit_text(text, ".txt" if raw else ".json", self._apply_edited)

    def _apply_edited(self, text: str) -> None:
        text = text.removesuffix("\n")
        if self._draft.kind is DraftKind.RAW:
            self._draft = replace(self._draft, raw=text)
        else:
            self._draft = replace(self._draft, params=text)
        self.call_later(self._show_draft)

    async def action_recall(self, step: int) -> None:
        """Load the previous or next composed message."""
        at = self._at + step
        if not self._method.has_focus or not 0 <= at < len(self._history):
            return
        self._at = at
        self._draft = replace(self._history[at], id=self._composer.fresh_id(self._agent))
        await self._show_draft()

    # Sending and closing

    def action_send(self) -> None:
        """Show the lines that would be sent, and ask whether to send them."""
        try:
            lines = self._update_draft().lines()
        except DraftError as error:
            self._show_problem(f"{error.field}: {error}")
            return
        self._show_problem("")
        self._remember_draft()
        self._composer.check(self, self._agent, lines)

    def _remember_draft(self) -> None:
        kept = replace(self._draft, id="")
        if not kept.is_blank and (not self._history or self._history[-1] != kept):
            self._history.append(kept)
            self._at = len(self._history)

    def action_close(self) -> None:
        """Close; the draft can be recalled."""
        self._try_update_draft()
        self._remember_draft()
        self.dismiss()
