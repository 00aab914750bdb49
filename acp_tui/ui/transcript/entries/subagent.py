"""Subagent sessions: one line each, with the subagent's status and its last message."""

from acp_tui.formatting import duration, running_duration, short_count
from acp_tui.state.entries import SubagentEntry
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.state.subagents import (
    SubagentCondition,
    condition_of,
    is_at_work,
    last_words_of,
    name_of,
    seconds_of,
    tokens_of,
)
from acp_tui.ui.lines.stack import Stack, StackPart
from acp_tui.ui.lines.text_lines import LineHead, StyledSpan
from acp_tui.ui.transcript.entries.context import Context
from acp_tui.ui.transcript.entries.entry_view import EntryView

_MARKS = {
    SubagentCondition.ASKS: ("?", "warning"),
    SubagentCondition.NEEDS_ACTION: ("◆", "warning"),
    SubagentCondition.DONE: ("✓", "success"),
    SubagentCondition.READY: ("○", "muted"),
    SubagentCondition.FAILED: ("✗", "error"),
    SubagentCondition.LOST: ("✗", "error"),
    SubagentCondition.CANCELED: ("⊘", "warning"),
    SubagentCondition.STOPPED: ("⊘", "warning"),
    SubagentCondition.UNKNOWN: ("◌", "muted"),
}


class SubagentLines(Stack):
    """A subagent's line, with its last message below."""

    def __init__(self, context: Context, session_id: str) -> None:
        super().__init__()
        self._context = context
        self._session_id = session_id
        head = LineHead(
            lambda: [
                StyledSpan("↪ ", "accent"),
                StyledSpan(name_of(context.state, session_id), "strong", {"open": True}),
            ],
            lambda: subagent_facts(context, session_id),
        )
        self._head = StackPart(head)
        self._words = StackPart(LineHead(lambda: _last_words(context, session_id)), indent=2)

    @property
    def live(self) -> bool:
        """Whether the subagent is working, so that its clock runs."""
        child = self._context.state.sessions.get(self._session_id)
        return child is not None and is_at_work(self._context.state, child)

    def lay_out(self, width: int, until: float) -> bool:
        child = self._context.state.sessions.get(self._session_id)
        has_words = child is not None and bool(last_words_of(child) or _description(child))
        self.replace([self._head, self._words] if has_words else [self._head])
        return super().lay_out(width, until)


def subagent_facts(context: Context, session_id: str) -> list[StyledSpan]:
    """Return a subagent's condition, duration, and token usage."""
    state, child = context.state, context.state.sessions.get(session_id)
    if child is None:
        return [StyledSpan("  ◌ not announced", "warning")]
    condition = condition_of(state, child)
    mark, style = _MARKS.get(condition, (context.spinner, "accent"))
    words = _time(state, child, context)
    tokens = tokens_of(child)
    if tokens is not None:
        words.append(f"{short_count(tokens)} tokens")
    facts = "".join(f" · {one}" for one in words)
    return [StyledSpan(f"  {mark} {condition}", style), StyledSpan(facts, "muted")]


def _time(state: State, child: Session, context: Context) -> list[str]:
    seconds = seconds_of(child, context.clock())
    if seconds is None:
        return []
    if not is_at_work(state, child):
        return [duration(seconds)]
    words = [running_duration(seconds)]
    about = child.subagent
    if about is not None and about.canceled is not None:
        words.append("asked to stop")
    elif about is not None and about.can_cancel:
        words.append("x stops it")
    return words


def _last_words(context: Context, session_id: str) -> list[StyledSpan]:
    child = context.state.sessions.get(session_id)
    if child is None:
        return []
    failed = condition_of(context.state, child) is SubagentCondition.FAILED
    return [StyledSpan(last_words_of(child) or _description(child), "error" if failed else "muted")]


def _description(child: Session) -> str:
    return (child.subagent.description if child.subagent is not None else None) or ""


class SubagentView(EntryView[SubagentEntry]):
    """A subagent's line; nothing while a tool call links to the session."""

    foldable = False

    def __init__(self, entry: SubagentEntry, context: Context) -> None:
        super().__init__(entry, context)
        self._lines = SubagentLines(context, entry.session_id)

    @property
    def live(self) -> bool:
        return self._lines.live and not self.entry.embedded

    def sync(self) -> bool:
        self.replace([] if self.entry.embedded else [StackPart(self._lines)])
        self.touch(0)
        return True
