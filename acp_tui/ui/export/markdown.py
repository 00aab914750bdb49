"""A session as Markdown: its texts are quoted, so that nothing in them runs or passes for ours."""

import re
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
    is_prompt,
    known_severity,
)
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.state.subagents import name_of, subagents_at
from acp_tui.text import clean_text, clean_title
from acp_tui.ui.export.about import ExportAbout
from acp_tui.ui.markdown.blocks import close_fence, read_blocks
from acp_tui.ui.markdown.leaves import Fence, Leaf
from acp_tui.ui.transcript.entry_markdown import markdown_steps

_PARAGRAPHS = re.compile(r"(\n[ \t]*(?=\n))")
_TICKS = re.compile(r"\\.|`+")
_MARKUP = re.compile(
    r"""
    (?P<escaped>\\.)
    | <(?=[a-z/!?])  # HTML, or an address between angle brackets
    # where a link leads, unless that is an address of a safe scheme, or none with a scheme
    | (?<=\])(?P<link>[(:])(?!\s*+(?:https?://|file:|mailto:|[^\s():&\\/?\#]*[/?\#)]|[^\s():&\\/?\#]+(?:\s|\Z)))
    """,
    re.IGNORECASE | re.VERBOSE,
)


def quote_text(text: str, level: int) -> Steps[str]:
    """Return a text as a quote, with its headings lowered below `level`; in steps.

    Anything that the text leaves open (a fence, a list) ends with the quote. HTML, and links that
    could run something, are escaped.
    """
    text = yield from close_fence(text, level)
    blocks = yield from read_blocks(text)
    pieces, at = [], 0
    for leaf in blocks.leaves:
        if _is_code(leaf):
            pieces += [escape_markdown(text[at : leaf.start]), text[leaf.start : leaf.end]]
            at = leaf.end
            yield
    pieces.append(escape_markdown(text[at:]))
    # A margin of four cells preserves tab stops.
    margin = "  > " if "\t" in text else "> "
    lines = "".join(pieces).split("\n")
    return "\n".join(f"{margin}{line}" if line else margin.rstrip() for line in lines)


def _is_code(leaf: Leaf) -> bool:
    """Return whether every Markdown reader takes a leaf for code: not all support footnotes."""
    is_fenced = leaf.kind == "code" and isinstance(leaf.block, Fence) and leaf.block.char != ""
    return is_fenced and all(one.kind != "footnote" for one in leaf.path)


def escape_markdown(text: str) -> str:
    """Escape HTML, and links that could run something."""
    return "".join(map(_escape_paragraph, _PARAGRAPHS.split(text)))


def _escape_paragraph(text: str) -> str:
    """Escape the lines of a paragraph outside of code.

    If a line has unclosed backticks, readers disagree about what is code: then everything is
    escaped.
    """
    lines = text.split("\n")
    codes = [[*_code_spans(line)] for line in lines]
    if any(code is None for found in codes for code in found):
        codes = [[] for _ in lines]
    return "\n".join(map(_escape_line, lines, codes))


def _code_spans(line: str) -> Iterator[tuple[int, int] | None]:
    """Yield the code spans of a line; None for unclosed backticks, or ones a table may cut."""
    at = 0
    while ticks := _TICKS.search(line, at):
        at = ticks.end()
        if ticks[0].startswith("`"):
            end = re.compile(rf"(?<!`){ticks[0]}(?!`)").search(line, at)
            if end is None or "|" in line[at : end.start()]:
                yield None
                return
            yield ticks.start(), end.end()
            at = end.end()


def _escape_line(line: str, codes: list[tuple[int, int] | None]) -> str:
    pieces, at = [], 0
    for code in codes:
        assert code is not None
        pieces += [_MARKUP.sub(_escape, line[at : code[0]]), line[code[0] : code[1]]]
        at = code[1]
    return "".join([*pieces, _MARKUP.sub(_escape, line[at:])])


def _escape(found: re.Match[str]) -> str:
    return found[0] if found["escaped"] else f"\\{found[0]}"


def markdown_page(state: State, session: Session, about: ExportAbout) -> Iterator[str]:
    """Yield the page in pieces; an empty one lets the caller pause."""
    yield "# Session with an agent\n\n"
    title = yield from _whole(quote_text(about.title, 1))
    yield f"{title}\n\n"
    yield "".join(f"- {name}: {escape_markdown(value)}\n" for name, value in about.facts)
    yield from _conversation(state, session, [], set())


def _conversation(
    state: State, session: Session, names: list[str], done: set[str]
) -> Iterator[str]:
    """Yield all entries, and below each, once, the conversations of its subagents.

    `names` are those of the subagents that lead to this session.
    """
    above = ""
    for entry in list(session.entries):
        if isinstance(entry, TerminalEntry | SubagentEntry) and entry.embedded:
            continue
        heading = _heading_of_subagent(names, entry) if names else _heading(entry)
        text = yield from _whole(markdown_steps(entry, state))
        said = clean_text(_quote_words(entry, text)).rstrip()
        body = (yield from _whole(quote_text(said, max(2, heading.count("#"))))) if said else ""
        yield f"\n{heading}\n" if heading != above else ""
        yield f"\n{body}\n"
        above = heading
        for child in subagents_at(state, session, entry):
            if child.session_id not in done:
                done.add(child.session_id)
                name = escape_markdown(clean_title(name_of(state, child.session_id)))
                yield from _conversation(state, child, [*names, name], done)
                above = ""


def _heading_of_subagent(names: list[str], entry: Entry) -> str:
    """Return the heading of an entry in a subagent's session; its prompts are from the parent."""
    if isinstance(entry, TurnEndEntry):
        words = "End of its work"
    elif is_prompt(entry):
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
    """Return the heading of an entry: who speaks, or what it is."""
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
            return f"---\n\n*End of the turn after {duration(entry.worked)}*"
        case RawEntry():
            return "### Not understood"


def _quote_words(entry: Entry, text: str) -> str:
    match entry:
        case NoticeEntry(severity=severity, ours=True) if severity not in ("", "info"):
            return f"{known_severity(severity)}: {text}"
        case CompactionEntry(error=error) if error:
            return f"{error}\n\n{text}"
    return text
