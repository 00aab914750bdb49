"""Entries about the session: notices, compactions, turn ends, and unknown updates."""

import math
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from acp_tui.debug.turn_times import records_between, summarize_times
from acp_tui.formatting import NOTABLE_WAIT, counted, duration, short_count
from acp_tui.protocol.jsonrpc import Error
from acp_tui.state.changed_files import ChangedFile, changed_files
from acp_tui.state.entries import (
    CompactionEntry,
    NoticeEntry,
    RawEntry,
    TurnEndEntry,
    known_severity,
)
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.state.subagents import descendants_of
from acp_tui.ui.diff.header import count_file_changes
from acp_tui.ui.json.json_lines import JsonLines
from acp_tui.ui.keys import CLICKED, key_name
from acp_tui.ui.lines.lines import BUDGET, LineColumn
from acp_tui.ui.lines.stack import StackPart
from acp_tui.ui.lines.text_lines import LineHead, StyledSpan, TextLines
from acp_tui.ui.transcript.entries.content import ContentBlocks
from acp_tui.ui.transcript.entries.context import Context, Fold
from acp_tui.ui.transcript.entries.entry_view import EntryView
from acp_tui.ui.turn_reader import TurnReader

REVIEW = "f7"
"""The key that opens the list of changed files."""
TITLE_LINES = 4
"""Most lines of a notice's title until the user expands it."""
RAW_LINES = 20
"""Most lines of unknown content, a notice or an agent's error until the user expands it."""
SEVERITIES = {"error": ("✗", "error"), "warning": ("⚠", "warning"), "info": ("ℹ", "accent")}
REASONS = {
    "cancelled": "canceled",
    "error": "failed",
    "max_tokens": "stopped: the limit of tokens was reached",
    "max_turn_requests": "stopped: the limit of requests in one turn was reached",
}
REFUSAL = (
    "The agent refused to continue. This prompt and everything after it were dropped from the "
    "conversation: the agent won't remember them."
)
SILENT = "The agent ended the turn without saying anything."
_TOKENS = (
    ("inputTokens", "in"),
    ("cachedReadTokens", "cached"),
    ("outputTokens", "out"),
    ("thoughtTokens", "thought"),
)


class TurnChanges:
    """Counts a turn's changes: those found by comparing the folder, or else those reported, file by
    file.

    Lines are counted only if they are known for every file.
    """

    def __init__(self, state: State, session: Session, entry: TurnEndEntry) -> None:
        self._uncounted: list[ChangedFile] = []
        self._added = self._removed = 0
        self._is_exact = True
        self._compared = entry.compared is not None
        if entry.compared is not None:
            self._files = entry.compared.changed
            self._is_exact = entry.compared.added is not None
            self._added, self._removed = entry.compared.added or 0, entry.compared.removed or 0
            return
        after = math.nextafter(entry.at, math.inf)
        found = changed_files(
            session, entry.started, after, descendants_of(state, session.session_id)
        )
        self._uncounted = [one for one in found if not (one.undone or one.unchanged)]
        self._files = len(self._uncounted)

    def count(self, until: float) -> bool:
        """Count files until `perf_counter` reaches `until`, at least one; return whether done."""
        while self._uncounted:
            file = self._uncounted.pop()
            lines = count_file_changes(file)
            if lines is None or file.textless_changes:
                self._is_exact = False
            else:
                self._added += lines[0]
                self._removed += lines[1]
            if perf_counter() >= until:
                break
        return not self._uncounted

    def spans(self, style: str) -> list[StyledSpan]:
        """Return the counts and the key that shows the changes; [] if the folder wasn't compared
        and no changes were reported.
        """
        if not self._files and not self._compared:
            return []
        act = {CLICKED: REVIEW}
        many = counted(self._files, "file") if self._files else "no file"
        files = StyledSpan(f"{many} changed ", style, act)
        key = StyledSpan(f"({key_name(REVIEW)})", style, act)
        if self._uncounted or not self._is_exact or not self._files:
            return [files, key]
        lines = [
            StyledSpan(f"+{self._added:,} ", "success", act),
            StyledSpan(f"−{self._removed:,} ", "error", act),
        ]
        return [files, *lines, key]


class NoticeView(EntryView[NoticeEntry]):
    foldable = False

    def sync(self) -> bool:
        entry = self.entry
        mark, style = SEVERITIES.get(entry.severity, ("•", "accent"))
        title = entry.attributed_title
        if entry.ours and entry.severity not in ("info", ""):  # not all terminals have colors
            title = f"{known_severity(entry.severity)}: {entry.title}"
        heading, words = (
            TextLines(title, style, mark=f"{mark} "),
            TextLines(entry.description or ""),
        )
        if entry.ours:
            parts = [StackPart(heading), StackPart(words, indent=2)]
        else:
            parts = [
                StackPart(self.shorten(heading, TITLE_LINES)),
                StackPart(self.shorten(words, RAW_LINES), indent=2),
            ]
        self.replace(parts if entry.description else parts[:1])
        return True


class CompactionView(EntryView[CompactionEntry]):
    """The agent compacted its context: one line, with the summary when opened."""

    def __init__(self, entry: CompactionEntry, context: Context) -> None:
        super().__init__(entry, context)
        self._head = StackPart(LineHead(self._title))
        self._blocks = ContentBlocks()

    def sync(self) -> bool:
        parts = [self._head]
        if self.entry.error:
            error = self.shorten(TextLines(self.entry.error, "error"), RAW_LINES)
            parts.append(StackPart(error, indent=2))
        complete = True
        if self.fold is not Fold.FOLDED and self.entry.blocks:
            ended = self.context.session.turn is None
            complete = self._blocks.update(self.entry.blocks, ended, resting=True)
            parts.append(StackPart(self._blocks, indent=2))
        elif self.fold is not Fold.FOLDED:
            parts.append(StackPart(TextLines("there is no summary", "muted"), indent=2))
        self.replace(parts)
        self.touch(len(parts) - 1)
        return complete

    def _title(self) -> list[StyledSpan]:
        status = self.entry.status
        words = {
            "completed": "Context compacted",
            "in_progress": "Compacting the context…",
            "failed": "Compacting the context failed",
        }
        text = words.get(status, f"Compaction of the context: {status}")
        style = "error" if status == "failed" else "muted"
        return [StyledSpan("⇲ ", "accent"), StyledSpan(text, style, {"toggle": True})]


class TurnEndView(EntryView[TurnEndEntry]):
    """The line at the end of a turn, with its errors and, when expanded, where its time went."""

    foldable = False

    def __init__(self, entry: TurnEndEntry, context: Context) -> None:
        super().__init__(entry, context)
        self._reading: TurnReader | None = None
        self._times = ""
        """Where the time went, in words; or the progress while the turn is being read."""
        self._changes: TurnChanges | None = None

    @property
    def default_fold(self) -> Fold:
        return Fold.FOLDED

    def toggle(self) -> None:
        """Expand where the time went, then a long error; then fold both."""
        if self.fold is Fold.FOLDED:
            self.choose(Fold.OPEN)
        else:
            self.choose(Fold.FULL if self.fold is Fold.OPEN and self.has_more else Fold.FOLDED)

    def changed(self) -> None:
        self._changes = None  # what its tool calls did to files may only be known now
        super().changed()

    def sync(self) -> bool:
        parts = [StackPart(self.shorten(lines, RAW_LINES)) for lines in self._lines()]
        if self._changes is None:
            self._changes = TurnChanges(self.context.state, self.context.session, self.entry)
        complete = self._changes.count(perf_counter() + BUDGET)
        if self.fold is not Fold.FOLDED and self.context.records:
            complete = self._read_turn() and complete
            parts.append(StackPart(TextLines(self._times, "muted"), indent=3))
        self.replace(parts)
        return complete

    def _read_turn(self) -> bool:
        """Read a slice of the turn's records, and update the text about its times."""
        if self._times and self._reading is None:
            return True
        entry, context = self.entry, self.context
        if self._reading is None:
            places = records_between(context.records, entry.started, entry.at)
            session_id = context.session.session_id
            self._reading = TurnReader(context.records, places, session_id, entry.started, entry.at)
        turn = self._reading.work(perf_counter() + BUDGET)
        if turn is None:
            self._times = f"reading the turn: {self._reading.share:.0%}"
            return False
        self._times, self._reading = summarize_times(turn), None
        return True

    def _lines(self) -> Iterator[LineColumn]:
        entry = self.entry
        yield LineHead(self._rule)
        if entry.silent and entry.stop_reason == "end_turn":
            yield TextLines(SILENT, "warning", mark="⚠ ")
        if entry.stop_reason == "refusal":
            yield TextLines(REFUSAL, "warning", mark="⚠ ")
        if entry.lost is not None and not self._is_shown_below:
            why = f"{entry.lost[:1].upper()}{entry.lost[1:]}."
            yield TextLines(why, "error", mark="✗ ")
        if entry.error is not None:
            yield from _error_lines(entry.error)

    @property
    def _is_shown_below(self) -> bool:
        """Whether the screen reports the same exit below; it stops once the agent runs again."""
        ended = self.context.state.peer.process.exit if self.context.shows_agent_exit else None
        return ended is not None and not ended.asked and ended.at == self.entry.at

    def _rule(self) -> list[StyledSpan]:
        entry = self.entry
        worked = duration(entry.worked)
        ended = "interrupted after " if entry.lost else "failed after " if entry.is_failed else ""
        pieces = [f"{ended}{worked}"]
        if entry.waited >= NOTABLE_WAIT:
            pieces.append(f"waited {duration(entry.waited)} for you")
        reason, odd = entry.stop_reason, entry.stop_reason not in (None, "end_turn", "refusal")
        if entry.canceled and reason != "cancelled":
            pieces.insert(0, f"canceled; the agent answered {reason}" if reason else "canceled")
        elif odd:
            pieces.insert(0, REASONS.get(str(reason), f"stopped: {reason}"))
        style = "warning" if odd or entry.canceled else "muted"
        style = "error" if ended else style
        time = StyledSpan(" · ".join(pieces), style, {"toggle": True})
        changes = self._changes.spans(style) if self._changes is not None else []
        if changes:
            changes.insert(0, StyledSpan(" · ", style))
        tokens = [
            StyledSpan(f" · {one}", style, {"toggle": True}) for one in _tokens(entry.usage or {})
        ]
        return [StyledSpan("── ", "rule"), time, *changes, *tokens, StyledSpan(" ──", "rule")]


def _error_lines(error: Error) -> Iterator[LineColumn]:
    """Yield an agent's error: its message, then its explanation or data unless that repeats it."""
    yield TextLines(f"Error {error.code}: {error.message}", "error", mark="✗ ")
    if error.explanation:
        if error.explanation.strip() not in error.message:
            yield TextLines(error.explanation)
    elif error.data is not None:
        yield JsonLines(error.data, folded=False)


def _tokens(usage: dict[str, Any]) -> list[str]:
    """Return the turn's token counts as the agent reports them, in words; [] if there are none."""
    counted = [
        f"{short_count(usage[name])} {word}"
        for name, word in _TOKENS
        if isinstance(usage.get(name), int) and usage[name] > 0
    ]
    return [f"{', '.join(counted)} tokens"] if counted else []


class RawView(EntryView[RawEntry]):
    """An unknown update or message: one line, and its JSON when opened."""

    def __init__(self, entry: RawEntry, context: Context) -> None:
        super().__init__(entry, context)
        self._json = JsonLines(entry.raw, folded=False)

    def sync(self) -> bool:
        parts = [StackPart(LineHead(self._title))]
        if self.entry.problem:
            parts.append(StackPart(TextLines(self.entry.problem, "warning"), indent=2))
        if self.fold is not Fold.FOLDED:
            parts.append(StackPart(self.shorten(self._json, RAW_LINES), indent=2))
        self.replace(parts)
        return True

    def _title(self) -> list[StyledSpan]:
        return [
            StyledSpan("{} ", "warning"),
            StyledSpan(self.entry.what, "muted", {"toggle": True}),
        ]
