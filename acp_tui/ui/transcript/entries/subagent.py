"""The sessions of subagents: one line each, with what the subagent does, and its last words."""

from acp_tui.formatting import duration, running_duration, short_count
from acp_tui.state.entries import SubagentEntry
from acp_tui.state.state import Session, State
from acp_tui.state.subagents import (
    SubagentCondition,
    condition_of,
    is_at_work,
    last_words_of,
    name_of,
    seconds_of,
    tokens_of,
)
from acp_tui.ui.lines.lines import LineColumn
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


def subagent_lines(context: Context, session_id: str) -> LineColumn:
    """Return the line of a subagent, and its last words below."""
    head = LineHead(
        lambda: _title(context, session_id), lambda: subagent_facts(context, session_id)
    )
    words = LineHead(lambda: _last_words(context, session_id))
    child = context.state.sessions.get(session_id)
    parts = [StackPart(head)]
    if child is not None and (last_words_of(child) or _description(child)):
        parts.append(StackPart(words, indent=2))
    return Stack(parts)


def subagent_facts(context: Context, session_id: str) -> list[StyledSpan]:
    """Return what a subagent does, for how long, and how many tokens it has used."""
    state, child = context.state, context.state.sessions.get(session_id)
    if child is None:
        return [StyledSpan("  ◌ not announced", "warning")]
    condition = condition_of(state, child)
    mark, style = _MARKS.get(condition, (context.spinner, "accent"))
    told = [*_time(state, child, context), *_tokens(child)]
    facts = "".join(f" · {one}" for one in told)
    return [StyledSpan(f"  {mark} {condition}", style), StyledSpan(facts, "muted")]


def _time(state: State, child: Session, context: Context) -> list[str]:
    seconds = seconds_of(child, context.clock())
    if seconds is None:
        return []
    if not is_at_work(state, child):
        return [duration(seconds)]
    return [running_duration(seconds), *_stop_words(child)]


def _stop_words(child: Session) -> list[str]:
    """Return whether it can be stopped alone, or is to stop."""
    about = child.subagent
    if about is not None and about.canceled is not None:
        return ["asked to stop"]
    return ["x stops it"] if about is not None and about.can_cancel else []


def _tokens(child: Session) -> list[str]:
    tokens = tokens_of(child)
    return [] if tokens is None else [f"{short_count(tokens)} tokens"]


def _title(context: Context, session_id: str) -> list[StyledSpan]:
    return [
        StyledSpan("↪ ", "accent"),
        StyledSpan(name_of(context.state, session_id), "strong", {"open": True}),
    ]


def _last_words(context: Context, session_id: str) -> list[StyledSpan]:
    child = context.state.sessions.get(session_id)
    if child is None:
        return []
    failed = condition_of(context.state, child) is SubagentCondition.FAILED
    return [StyledSpan(last_words_of(child) or _description(child), "error" if failed else "muted")]


def _description(child: Session) -> str:
    return (child.subagent.description if child.subagent is not None else None) or ""


class SubagentView(EntryView[SubagentEntry]):
    """The line of a subagent; nothing while a tool call links to it."""

    foldable = False

    @property
    def live(self) -> bool:
        child = self.context.state.sessions.get(self.entry.session_id)
        works = child is not None and is_at_work(self.context.state, child)
        return works and not self.entry.embedded

    def sync(self) -> bool:
        lines = subagent_lines(self.context, self.entry.session_id)
        self.replace([] if self.entry.embedded else [StackPart(lines)])
        self.touch(0)
        return True
