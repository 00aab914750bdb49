"""Tool calls: one line with the status, and all details when opened (ACP: Tool Calls)."""

from collections.abc import Sequence
from typing import Any

from acp_tui.edits.edits import describe_file_change
from acp_tui.edits.shown_changes import JoinedContent, Renamed, join_renames
from acp_tui.extensions import ViewContext, extensions
from acp_tui.protocol.content import (
    ContentItem,
    Diff,
    FileChange,
    SessionRef,
    TerminalRef,
    TextContent,
    UnknownContent,
)
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.input_parts import command_line, covers_words, input_parts
from acp_tui.state.subagents import working_since
from acp_tui.state.subject import call_headline, call_title
from acp_tui.ui.diff import edit_facts
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.header import DiffCounts
from acp_tui.ui.diff.rows import WHOLE, DiffStart
from acp_tui.ui.json.json_lines import JsonLines
from acp_tui.ui.lines.lines import LineColumn
from acp_tui.ui.lines.stack import Stack, StackPart
from acp_tui.ui.lines.text_lines import ClientNote, LineHead, StyledSpan, TextLines
from acp_tui.ui.terminal.terminal_lines import TerminalLines
from acp_tui.ui.transcript.entries.content import ResentText, block_lines, has_folded_text
from acp_tui.ui.transcript.entries.context import Context, Fold
from acp_tui.ui.transcript.entries.entry_view import EntryView
from acp_tui.ui.transcript.entries.raw_io import RawIO, shown_values
from acp_tui.ui.transcript.entries.subagent import SubagentLines
from acp_tui.ui.transcript.entries.tool_heading import Places, call_answers, call_status

STYLES = ("text", "muted", "strong", "accent", "success", "warning", "error")
"""The styles that extensions may use."""
ICONS = {
    "read": "≡",
    "edit": "✎",
    "delete": "⌫",
    "move": "⇄",
    "search": "⌕",
    "execute": "$",
    "think": "✻",
    "fetch": "↓",
    "switch_mode": "⚙",
    "other": "•",
}
TEXT_LINES = 20
"""Lines of a text that are shown until the user expands it."""
DIFF_LINES = 40
TAIL = 10
"""Lines at the end of a terminal that are shown."""


def extension_lines(entry: ToolCallEntry, cwd: str) -> list[StackPart]:
    """Return the lines of the extension for this kind of entry; [] if there is none or it fails."""
    extension = extensions.view_of(entry)
    if extension is None:
        return []
    try:
        return [_extension_line(one) for one in extension.value.lines(entry, ViewContext(cwd))]
    except Exception as error:  # an extension may raise anything
        extensions.switch_off(extension, error)
        return []


def _extension_line(line: str | tuple[str, str]) -> StackPart:
    """Return one line from an extension. Raises ValueError if it isn't text, or text and style."""
    text, style = (line, "text") if isinstance(line, str) else line
    if not isinstance(text, str) or style not in STYLES:
        raise ValueError(f"no text with a style of {', '.join(STYLES)}: {line!r}")
    return StackPart(TextLines(text, style), indent=2)


class ToolCallLines(EntryView[ToolCallEntry]):
    """A tool call. Failed calls, edits and commands are open by default."""

    def __init__(self, entry: ToolCallEntry, context: Context) -> None:
        super().__init__(entry, context)
        self._head = StackPart(LineHead(self._title, self._state))
        self._items: list[tuple[JoinedContent, LineColumn]] = []
        self._tail: int | None = TAIL
        self._raw_io = RawIO()
        self._places = Places(entry, context)
        self._counts = DiffCounts()
        self._facts: tuple[tuple[Any, ...], list[LineColumn]] = ((), [])
        self._headline: tuple[tuple[Any, ...], str] = ((), "")
        self._is_extended = False

    @property
    def kind(self) -> str:
        return f"{self.entry.kind} tool calls"

    @property
    def ignores_kind_fold(self) -> bool:
        """Whether a pending question shows the call, or it failed."""
        return self._is_asked_about() or self.entry.status == "failed"

    @property
    def default_fold(self) -> Fold:
        if self._is_asked_about():
            return Fold.FOLDED  # the question below shows it
        telling = any(
            isinstance(item, Diff | FileChange | TerminalRef | SessionRef)
            for item in self.entry.content
        )
        facts = self.entry.edits
        telling = telling or (facts is not None and bool(facts.observations or facts.compared))
        return Fold.OPEN if telling or self.entry.status == "failed" else Fold.FOLDED

    @property
    def live(self) -> bool:
        session, entry = self.context.session, self.entry
        since = working_since(self.context.state, session)
        works = since is not None and max(entry.at, entry.updated_at) >= since
        works = works or session.is_in_background(entry.tool_call_id) or self._is_asked_about()
        if not entry.finished and works:
            return True
        return any(isinstance(one, SubagentLines) and one.live for _, one in self._items)

    @property
    def clock_lines(self) -> Sequence[int]:
        at, lines = 0, [0]
        for part in self.parts:
            if isinstance(part.lines, SubagentLines) and part.lines.live:
                lines.append(at)
            at += part.lines.height
        return lines

    def is_client_note(self, line: int) -> bool:
        found = self.find(line)
        if found is None:
            return False
        lines, at = found[0].lines, found[1]
        if isinstance(lines, TerminalLines):
            return lines.is_client_note(at)
        return isinstance(lines, ClientNote)

    @property
    def terminals(self) -> list[str]:
        return [item.terminal_id for item in self.entry.content if isinstance(item, TerminalRef)]

    @property
    def has_more(self) -> bool:
        raw = bool(shown_values(self.entry))
        embedded = any(_is_embedded(item) for item in self.entry.content)
        folds = any(isinstance(one, DiffLines) and one.has_folds for _, one in self._items)
        shows = any((raw, embedded, folds, self.terminals, self._is_extended))
        return shows or super().has_more

    def choose(self, fold: Fold | None) -> None:
        super().choose(fold)
        self._raw_io = RawIO()
        self._tail = None if self.fold is Fold.FULL else TAIL
        for index, (item, _) in enumerate(self._items):
            if isinstance(item, TerminalRef) or _is_embedded(item):
                self._items[index] = (item, self._lines(item))

    def sync(self) -> bool:
        parts = [self._head]
        complete = True
        if self.fold is not Fold.FOLDED:
            own = extension_lines(self.entry, self.context.session.cwd)
            parts += own
            self._is_extended = bool(own)
            if own and self.fold is not Fold.FULL:
                self.replace(parts)
                self.touch(0)
                return True
            parts += self._places.parts(self.fold)
            self._items = [self._item(*at) for at in enumerate(join_renames(self.entry.content))]
            complete = all(
                lines.update(lines.run, complete=False, resting=True)
                for _, lines in self._items
                if isinstance(lines, ResentText)
            )
            parts += [StackPart(self._limited(*item), indent=2) for item in self._items]
            parts += self._edit_facts()
            named = any(one in self.context.state.terminals for one in self.terminals)
            parts += self._raw_io.parts(self.entry, self.fold, named)
            notes = [*self.entry.consent.rulings, *call_answers(self.entry)]
            parts += [StackPart(ClientNote(one, "muted"), 2) for one in notes]
            if len(parts) == 1:
                parts.append(StackPart(TextLines("nothing more is known about it", "muted"), 2))
        self.replace(parts)
        self.touch(0)
        return complete

    def _edit_facts(self) -> list[StackPart]:
        """Return lines that compare the call's edits with the files on disk; they are rebuilt only
        after a change.
        """
        facts = self.entry.edits
        if facts is None:
            return []
        diffs = [one for one in self.entry.content if isinstance(one, Diff)]
        known = facts.count, self.entry.decided, diffs
        if known != self._facts[0]:
            cwd = self.context.session.cwd
            lines = [one for pair in edit_facts.list_derived_diffs(self.entry, cwd) for one in pair]
            lines += edit_facts.list_remarks(self.entry)
            for event in facts.compared:
                lines += edit_facts.describe_comparison(event, cwd)
            self._facts = known, lines
        for one in self._facts[1]:
            if isinstance(one, DiffLines):
                self._arrange(one)
        return [
            StackPart(
                self.shorten(one, DIFF_LINES) if isinstance(one, DiffLines) else one, indent=2
            )
            for one in self._facts[1]
        ]

    def _title(self) -> list[StyledSpan]:
        style = "error" if self.entry.status == "failed" else "strong"
        icon = ICONS[self.entry.kind]
        return [
            StyledSpan(f"{icon} ", "accent"),
            StyledSpan(self._words(), style, {"toggle": True}),
        ]

    def _words(self) -> str:
        """Return the title, completed from the input; without a command that is in full below."""
        entry = self.entry
        if self.fold is not Fold.FOLDED and self._is_command_below:
            return call_title(entry)
        shown = len(entry.locations), len(entry.content)
        known = (entry.title, entry.name, entry.kind, id(entry.raw_input), shown)
        if known != self._headline[0]:
            self._headline = (known, call_headline(entry))
        return self._headline[1]

    @property
    def _is_command_below(self) -> bool:
        """Whether a terminal shows every command that the input names."""
        every = self.context.state.terminals
        below = [command_line(every[one]) for one in self.terminals if one in every]
        commands = input_parts(self.entry.kind, self.entry.raw_input).commands
        named = [any(covers_words(command, line) for line in below) for command in commands]
        return bool(below) and all(named)

    def _state(self) -> list[StyledSpan]:
        is_asked = self._is_asked_about()
        spans = [
            StyledSpan("  "),
            *call_status(self.entry, self.context, live=self.live, asked=is_asked),
        ]
        if self.fold is not Fold.FOLDED:
            return spans
        spans[1:1] = self._counts.spans(self.entry.content)
        compared = self.entry.edits.compared if self.entry.edits is not None else []
        if any(one.verdict not in edit_facts.SOFT for one in compared):
            spans.append(StyledSpan("  ⚠ not as shown", "warning"))
        if self.entry.consent.changed_since:
            spans.append(StyledSpan("  ⚠ changed after it was allowed", "warning"))
        if self.entry.consent.rulings:
            ruling = self.entry.consent.rulings[-1].partition(":")[0].lower()
            spans.append(StyledSpan(f"  {ruling}", "muted"))
        if self.entry.locations:
            spans += self._places.title_suffix()
        return spans

    def _is_asked_about(self) -> bool:
        session, forms = self.context.session, self.context.state.elicitations
        permission_calls = [one.call for one in session.permissions]
        form_calls = [one.waiting_call for one in forms if one.session_id == session.session_id]
        return any(session.call_of(one) is self.entry for one in (*permission_calls, *form_calls))

    def _item(self, index: int, item: JoinedContent) -> tuple[JoinedContent, LineColumn]:
        """Return the lines of a content item; the previous ones if it is unchanged or only grew."""
        if index < len(self._items):
            before, lines = self._items[index]
            if before is item or before == item:
                if isinstance(lines, DiffLines):
                    self._arrange(lines)
                    if isinstance(item, Diff):
                        lines.begin_at(edit_facts.diff_start_lines(self.entry, item))
                if isinstance(lines, TerminalLines):
                    lines.omit_shown_above(*self._head_facts())
                return item, lines
            if isinstance(lines, ResentText) and lines.become(_text(item)):
                return item, lines
        return item, self._lines(item)

    def _lines(self, item: JoinedContent) -> LineColumn:
        match item:
            case ContentItem(content=TextContent(text=text)):
                return ResentText(text)
            case ContentItem(content=content):
                assert not isinstance(content, TextContent)
                return block_lines(content, full=self.fold is Fold.FULL)
            case Diff():
                return self._diff(item, edit_facts.diff_start_lines(self.entry, item))
            case Renamed():
                return self._diff(item.diff, WHOLE, item.source)
            case FileChange():
                return file_change_lines(item)
            case TerminalRef():
                return self._terminal(item.terminal_id)
            case SessionRef():
                return SubagentLines(self.context, item.session_id)
            case UnknownContent():
                return JsonLines(item.wire(), folded=False)

    def _diff(self, diff: Diff, start: DiffStart | None, source: str | None = None) -> LineColumn:
        lines = DiffLines(diff, source=source, cwd=self.context.session.cwd, start=start)
        self._arrange(lines)
        return lines

    def _arrange(self, lines: DiffLines) -> None:
        whole = self.fold is Fold.FULL and self.context.whole_diffs
        lines.arrange(self.context.split, whole)

    def _terminal(self, terminal_id: str) -> LineColumn:
        terminal = self.context.state.terminals.get(terminal_id)
        if terminal is None:
            return TextLines(f"an unknown terminal: {terminal_id}", "warning")
        lines = TerminalLines(terminal, tail=self._tail, cwd=self.context.session.cwd)
        lines.omit_shown_above(*self._head_facts())
        return lines

    def _head_facts(self) -> tuple[str, bool]:
        """Return the heading's text, and whether its mark reports that the terminal succeeded."""
        return self._words(), self.entry.status == "completed" and len(self.terminals) == 1

    def _limited(self, item: JoinedContent, lines: LineColumn) -> LineColumn:
        if isinstance(item, TerminalRef | SessionRef):
            return lines
        return self.shorten(lines, DIFF_LINES if isinstance(item, Diff | Renamed) else TEXT_LINES)


def _is_embedded(item: JoinedContent) -> bool:
    """Return whether an item is a text that is shown only in full."""
    return isinstance(item, ContentItem) and has_folded_text([item.content])


def _text(item: JoinedContent) -> str | None:
    match item:
        case ContentItem(content=TextContent(text=text)):
            return text
    return None


def file_change_lines(change: FileChange) -> LineColumn:
    """Return a description of a change, and its patch if that couldn't be parsed as a diff."""
    parts = [StackPart(TextLines(describe_file_change(change), "strong"))]
    if change.patch is not None:
        parts.append(StackPart(TextLines(change.patch)))
    return Stack(parts)
