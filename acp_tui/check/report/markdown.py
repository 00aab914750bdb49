"""Results as Markdown, for an issue or a README."""

from collections.abc import Iterator

from acp_tui.check.model import Outcome, Result
from acp_tui.check.summary import Summary
from acp_tui.text import clean_line, reveal_escapes

_SIGNS = {
    Outcome.PASS: "✅",
    Outcome.FAIL: "❌",
    Outcome.WARNING: "⚠️",
    Outcome.SKIPPED: "–",
}


def markdown(summary: Summary) -> str:
    """Format a table of all results, and the evidence of what is wrong below it."""
    name = " ".join(filter(None, (summary.agent or "the agent", summary.agent_version)))
    lines = [f"## `acp-tui check` of {_plain(name)}", "", _plain(summary.words), ""]
    lines += ["| | check | tier | |", "| --- | --- | --- | --- |"]
    for one in summary.results:
        words = one.verdict.words or str(one.verdict.why or "")
        cells = (f"{one.check.id} {one.check.title}", str(one.check.tier), words)
        row = " | ".join(_plain(cell).replace("|", "\\|") for cell in cells)
        lines.append(f"| {_SIGNS[one.verdict.outcome]} | {row} |")
    for one in summary.results:
        if one.verdict.outcome in (Outcome.FAIL, Outcome.WARNING):
            lines += ["", *_evidence(one)]
    return "\n".join([*lines, ""])


def _evidence(result: Result) -> Iterator[str]:
    check = result.check
    yield f"### {check.id}: {_plain(result.verdict.words)}"
    yield ""
    for one in check.sentences:
        yield f"> {_plain(one.text)} ([{one.source}]({one.link}))"
        yield ">"
    if result.excerpts:
        fence = "`" * 3
        while any(fence in line for line in result.excerpts):
            fence += "`"
        yield from ("", fence, *map(clean_line, result.excerpts), fence)
    yield ""
    yield f"Usual fix: {_plain(check.mend)}."
    yield ""
    yield f"    {result.command}"


def _plain(text: str) -> str:
    """Return a text of which Markdown takes nothing for markup, and a terminal for a sequence."""
    text = clean_line(reveal_escapes(text))
    for sign in "\\`*_<>[]":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
