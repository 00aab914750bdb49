"""A session as Markdown: everything that was said and done, below who it was; ours is what isn't quoted."""

from collections.abc import Generator, Iterator

from acp_tui.edits.steps import Steps
from acp_tui.formatting import duration
from acp_tui.state.entries import (
    CompactionEntry,
    Entry,
    MessageEntry,
    NoticeEntry,
    PlanSnapshot,
    RawEntry,
    Role,
    SubagentEntry,
    TerminalEntry,
    ToolCallEntry,
    TurnEndEntry,
    known_severity,
)
from acp_tui.state.state import Session, State
from acp_tui.state.subagents import name_of, subagents_at
from acp_tui.text import clean, clean_title
from acp_tui.ui.export.about import ExportAbout
from acp_tui.ui.export.quoting import harmless, quoted
from acp_tui.ui.transcript.entry_markdown import markdown_steps


def markdown_page(state: State, session: Session, about: ExportAbout) -> Iterator[str]:
    """The page in pieces; one is empty where some work was done and more is left."""
    yield "# Session with an agent\n\n"
    title = yield from _whole(quoted(about.title, 1))
    yield f"{title}\n\n"
    yield "".join(f"- {name}: {harmless(value)}\n" for name, value in about.facts)
    yield from _conversation(state, session, [], set())


def _conversation(
    state: State, session: Session, names: list[str], done: set[str]
) -> Iterator[str]:
    """Yield all entries, and below each the conversations of the subagents that are shown there, once;
    `names` are those of the subagents that lead to this session.
    """
    above = ""
    for entry in list(session.entries):
        if isinstance(entry, TerminalEntry | SubagentEntry) and entry.embedded:
            continue
        heading = _heading_of_subagent(names, entry) if names else _heading(entry)
        text = yield from _whole(markdown_steps(entry, state))
        said = clean(_said(entry, text)).rstrip()
        body = (yield from _whole(quoted(said, max(2, heading.count("#"))))) if said else ""
        yield f"\n{heading}\n" if heading != above else ""
        yield f"\n{body}\n"
        above = heading
        for child in subagents_at(state, session, entry):
            if child.session_id not in done:
                done.add(child.session_id)
                name = harmless(clean_title(name_of(state, child.session_id)))
                yield from _conversation(state, child, [*names, name], done)
                above = ""


def _heading_of_subagent(names: list[str], entry: Entry) -> str:
    """Return who speaks in the session of a subagent: its prompts come from its parent."""
    if isinstance(entry, TurnEndEntry):
        words = "End of its work"
    elif isinstance(entry, MessageEntry) and entry.role is Role.USER:
        words = "Task"
    else:
        words = _heading(entry).lstrip("#").strip()
    return f"{'#' * min(3 + len(names), 6)} {' › '.join(names)}: {words}"


def _whole(steps: Steps[str]) -> Generator[str, None, str]:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            text: str = end.value
            return text
        yield ""


def _heading(entry: Entry) -> str:
    """Who speaks, or what this is; not said again while it stays the same."""
    match entry:
        case MessageEntry(role=Role.USER):
            return "## You"
        case MessageEntry(role=Role.AGENT):
            return "## Agent"
        case MessageEntry():
            return "### Thought"
        case ToolCallEntry():
            return "### Tool calls"
        case PlanSnapshot():
            return "### Plan"
        case NoticeEntry(ours=True):
            return "### Notice"
        case NoticeEntry():
            return "### Notice of the agent"
        case CompactionEntry():
            return "### Context compacted"
        case TerminalEntry():
            return "### Terminal"
        case SubagentEntry():
            return "### Subagent"
        case TurnEndEntry():
            return f"---\n\n*End of the turn after {duration(entry.at - entry.started)}*"
        case RawEntry():
            return "### Not understood"


def _said(entry: Entry, text: str) -> str:
    match entry:
        case NoticeEntry(severity=severity, ours=True) if severity not in ("", "info"):
            return f"{known_severity(severity)}: {text}"
        case CompactionEntry(error=error) if error:
            return f"{error}\n\n{text}"
    return text
