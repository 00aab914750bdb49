"""Messages of the user and the agent, and the agent's thoughts (ACP: Prompt Turn)."""

from collections.abc import Iterator

from acp_tui.formatting import running_duration, with_duration
from acp_tui.state.blocks import Block, TextRun
from acp_tui.state.entries import MessageEntry
from acp_tui.ui.lines.lines import LineColumn
from acp_tui.ui.lines.stack import StackPart
from acp_tui.ui.lines.text_lines import LineHead, StyledSpan, TextLines
from acp_tui.ui.transcript.entries.content import ContentBlocks, block_lines, has_folded_text
from acp_tui.ui.transcript.entries.context import Context, Fold
from acp_tui.ui.transcript.entries.entry_view import EntryView

REWORDED = "⚠ The agent says that you wrote:"
NO_WORDS = "(no words)"
PROMPT_LINES = 24
"""Lines of a long prompt that are shown until the user expands it."""
LAST_LINE = 400
"""Characters at the end of a thought that are searched for its last line."""


class UserView(EntryView[MessageEntry]):
    """The user's message as it was typed: it isn't Markdown."""

    foldable = False
    bar = "user.bar"
    tint = "user"

    def __init__(self, entry: MessageEntry, context: Context) -> None:
        super().__init__(entry, context)
        self._texts: dict[int, tuple[TextRun, int, bool, TextLines]] = {}
        self._has_chips = False

    def sync(self) -> bool:
        notes = [StackPart(TextLines("✎ sent by hand", "muted"))] if self.entry.by_hand else []
        if self.entry.is_reworded:
            notes += [StackPart(lines) for lines in self._own_words()]
            notes.append(StackPart(TextLines(REWORDED, "warning")))
        indent = 2 if self.entry.is_reworded else 0
        blocks = (StackPart(self._lines(*at), indent) for at in enumerate(self.entry.blocks))
        self.replace([*notes, *blocks])
        return True

    def _own_words(self) -> Iterator[LineColumn]:
        """Yield the lines of the prompt as it was sent."""
        for block in self.entry.sent or [TextRun([NO_WORDS])]:
            if isinstance(block, TextRun):
                text = block.text if self.fold is Fold.FULL else self.context.with_chips(block.text)
                self._has_chips |= text != block.text
                yield self.shorten(TextLines(text, "user"), PROMPT_LINES)
            else:
                yield block_lines(block)

    @property
    def has_more(self) -> bool:
        return super().has_more or self._has_chips or has_folded_text(self.entry.blocks)

    def _lines(self, index: int, block: Block) -> LineColumn:
        """Return the lines of a block; the cached ones if its text hasn't changed."""
        is_full = self.fold is Fold.FULL
        if not isinstance(block, TextRun):
            return block_lines(block, full=is_full)
        known, length, was_full, lines = self._texts.get(index, (None, 0, False, None))
        if lines is None or known is not block or length != block.length or was_full != is_full:
            text = block.text if is_full else self.context.with_chips(block.text)
            self._has_chips |= not is_full and text != block.text
            lines = TextLines(text, "muted" if self.entry.is_reworded else "user")
            self._texts[index] = (block, block.length, is_full, lines)
        return self.shorten(lines, PROMPT_LINES)


class AgentView(EntryView[MessageEntry]):
    """The agent's message, as Markdown."""

    foldable = False

    def __init__(self, entry: MessageEntry, context: Context) -> None:
        super().__init__(entry, context)
        self._blocks = ContentBlocks()
        self.add(StackPart(self._blocks))

    @property
    def is_final(self) -> bool:
        return self._complete

    @property
    def has_more(self) -> bool:
        return super().has_more or has_folded_text(self.entry.blocks)

    def choose(self, fold: Fold | None) -> None:
        before = self.fold
        super().choose(fold)
        if self.fold is not before:
            self._blocks = ContentBlocks(full=self.fold is Fold.FULL)
            self.replace([StackPart(self._blocks)])

    @property
    def _complete(self) -> bool:
        """Whether no more text is expected; before the turn ends, an old message may still grow."""
        return self.entry.ended is not None and self.context.session.turn is None

    def sync(self) -> bool:
        self.touch(0)
        return self._blocks.update(self.entry.blocks, self._complete, self.entry.ended is not None)


class ThoughtView(EntryView[MessageEntry]):
    """A thought: one line with its duration, and the whole text when opened."""

    def __init__(self, entry: MessageEntry, context: Context) -> None:
        super().__init__(entry, context)
        self._head = StackPart(LineHead(self._title))
        self._blocks = ContentBlocks()

    @property
    def kind(self) -> str:
        return "thoughts"

    @property
    def live(self) -> bool:
        return self.entry.ended is None and self.context.session.turn is not None

    def sync(self) -> bool:
        if self.fold is Fold.FOLDED:
            self.replace([self._head])
            return True
        self.replace([self._head, StackPart(self._blocks, indent=2)])
        self.touch(1)
        return self._blocks.update(self.entry.blocks, not self.live, resting=False)

    def _title(self) -> list[StyledSpan]:
        toggle = {"toggle": True}
        if not self.live:
            ended = self.entry.at if self.entry.ended is None else self.entry.ended
            time = with_duration(" for ", ended - self.entry.at)
            return [StyledSpan("✻ ", "accent"), StyledSpan(f"Thought{time}", "muted", toggle)]
        time = running_duration(self.context.clock() - self.entry.at)
        spans = [StyledSpan("✻ ", "accent"), StyledSpan(f"Thinking… {time}", "muted", toggle)]
        last = self._last_line() if self.fold is Fold.FOLDED else ""
        return [*spans, StyledSpan(f"  {last}", "muted", toggle)] if last else spans

    def _last_line(self) -> str:
        run = next((one for one in reversed(self.entry.blocks) if isinstance(one, TextRun)), None)
        if run is None:
            return ""
        end = run.since(max(0, run.length - LAST_LINE), LAST_LINE).rstrip()
        return end.rpartition("\n")[2]
