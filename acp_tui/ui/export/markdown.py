"""A session as Markdown: everything that was said and done, as it came."""

from collections.abc import Generator, Iterator

from acp_tui.formatting import duration
from acp_tui.session.entries import (
    CompactionEntry,
    Entry,
    MessageEntry,
    NoticeEntry,
    PlanSnapshot,
    RawEntry,
    Role,
    TerminalEntry,
    ToolCallEntry,
    TurnEndEntry,
)
from acp_tui.session.state import Session, State
from acp_tui.text import clean
from acp_tui.ui.export.about import About
from acp_tui.ui.markdown.fencing import fenced
from acp_tui.ui.steps import Steps
from acp_tui.ui.transcript.entry_markdown import markdown_steps


def markdown_page(state: State, session: Session, about: About) -> Iterator[str]:
    """The page in pieces; one is empty where some work was done and more is left."""
    yield f"# {about.title}\n\n"
    yield "".join(f"- {name}: {value}\n" for name, value in about.facts)
    above = ""
    for entry in list(session.entries):
        if isinstance(entry, TerminalEntry) and entry.embedded:
            continue
        heading = _heading(entry)
        text = clean((yield from _whole(markdown_steps(entry, state))))
        text = yield from _whole(fenced(text, max(2, heading.count("#"))))
        yield f"\n{heading}\n" if heading != above else ""
        yield f"\n{clean(_body(entry, text)).rstrip()}\n"
        above = heading


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
        case NoticeEntry():
            return "### Notice"
        case CompactionEntry():
            return "### Context compacted"
        case TerminalEntry():
            return "### Terminal"
        case TurnEndEntry():
            return "---"
        case RawEntry():
            return "### Not understood"


def _body(entry: Entry, text: str) -> str:
    match entry:
        case MessageEntry(role=Role.THOUGHT):
            return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
        case TurnEndEntry():
            return f"*End of the turn after {duration(entry.at - entry.started)}:* {text}"
        case NoticeEntry(severity=severity) if severity not in ("", "info"):
            return f"{severity}: {text}"
        case CompactionEntry(error=error) if error:
            return f"{error}\n\n{text}"
    return text
