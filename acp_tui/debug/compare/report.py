"""Formats a comparison as text, as JSON, and as an HTML page."""

import json
from collections import Counter
from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import Any

from acp_tui.debug.compare.comparison import Comparison, DifferenceKind, StepDifference
from acp_tui.debug.compare.steps import RecordingStep
from acp_tui.debug.compare.values import ABSENT, ValueChange, format_both
from acp_tui.formatting import exact_duration
from acp_tui.protocol.findings import format_path
from acp_tui.text import clean_line

_ABOUT = ("title", "path", "command", "text", "methodId", "modeId", "optionId")
"""Fields that name the subject of a step."""
MOST_LISTED = 1000
"""Most differences that a text lists."""
PAGE_BEGINS = "<!doctype html>"
_MOST_CHANGES = 8
"""Most changes of one step that a text lists."""
_VALUE_WIDTH = 60
_STYLE = """\
:root { color-scheme: light dark }
body { font: 14px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
td { padding: .1rem .8rem .1rem 0; vertical-align: top }
code { font-size: 13px; white-space: pre-wrap; overflow-wrap: anywhere }
.new b { color: #2a8a3e } .gone b { color: #c03a2b } .changed b { color: #9a6b00 } .slower b { color: #6a5acd }"""


def comparison_text(found: Comparison) -> Iterator[str]:
    """Format all differences, and a summary."""
    listed = found.differences[:MOST_LISTED]
    for turn, group in groupby(listed, key=lambda one: one.turn):
        yield _turn_title(turn)
        for one in group:
            yield f"  {one.kind:<8}{_step_title(one.step)}{_format_frames(one)}"
            for change in one.changes[:_MOST_CHANGES]:
                yield f"            {clean_line(_format_path(change))}: {_format_values(change)}"
            if len(one.changes) > _MOST_CHANGES:
                yield f"            and {len(one.changes) - _MOST_CHANGES} more"
        yield ""
    if len(listed) < len(found.differences):
        yield f"and {len(found.differences) - len(listed):,} more: acp-tui diff --json lists all"
    yield count_differences(found)


def count_differences(found: Comparison) -> str:
    """Format the number of differences in one line."""
    counts = Counter(one.kind for one in found.differences)
    counted = [f"{counts[kind]} {kind}" for kind in DifferenceKind if counts[kind]]
    return ", ".join([*counted, f"{found.same} the same"])


def comparison_json(found: Comparison) -> str:
    """Format a comparison as one JSON object."""
    differences = [_difference_json(one) for one in found.differences]
    body = {"differs": found.differs, "same": found.same, "differences": differences}
    return json.dumps(body, indent=2)


def comparison_html(found: Comparison, before: str, after: str) -> str:
    """Format a comparison as a self-contained HTML page."""
    rows = []
    for turn, group in groupby(found.differences, key=lambda one: one.turn):
        rows.append(f"<h2>{_turn_title(turn)}</h2>\n<table>")
        for one in group:
            changes = "".join(
                f"<br><code>{_safe(_format_path(change))}: {_safe(_format_values(change))}</code>"
                for change in one.changes
            )
            what = f"{_safe(_step_title(one.step))}{_safe(_format_frames(one))}{changes}"
            rows.append(f'<tr class="{one.kind}"><td><b>{one.kind}</b></td><td>{what}</td></tr>')
        rows.append("</table>")
    title = f"{_safe(before)} and {_safe(after)}"
    head = f'{PAGE_BEGINS}\n<meta charset="utf-8">\n<title>{title}</title>\n<style>\n{_STYLE}\n</style>'
    return "\n".join([head, f"<h1>{title}</h1>", f"<p>{count_differences(found)}</p>", *rows, ""])


def _difference_json(one: StepDifference) -> dict[str, Any]:
    changes = [
        {
            "path": format_path(change.path),
            **_present("before", change.before),
            **_present("after", change.after),
        }
        for change in one.changes
    ]
    return {
        "kind": one.kind.value,
        "turn": one.turn,
        "what": one.step.what,
        "by": "agent" if one.step.by_agent else "client",
        **{
            name: {"frame": step.number or None, "seconds": step.duration}
            for name, step in (("before", one.before), ("after", one.after))
            if step is not None
        },
        "changes": changes,
    }


def _present(name: str, value: Any) -> dict[str, Any]:
    return {} if value is ABSENT else {name: value}


def _turn_title(turn: int) -> str:
    return f"turn {turn}" if turn else "before the first turn"


def _step_title(step: RecordingStep) -> str:
    """Format a step and its subject."""
    arrow = "←" if step.by_agent else "→"
    about = _subject(step.value)
    short = about if len(about) <= _VALUE_WIDTH else f"{about[: _VALUE_WIDTH - 1]}…"
    return clean_line(f"{arrow} {step.what} {short}".rstrip())


def _subject(value: Any) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return ""
    inner = (value.get(name) for name in ("content", "toolCall", "prompt"))
    blocks = [one[0] if isinstance(one, list) and one else one for one in inner]
    for one in (value, *blocks):
        if isinstance(one, dict):
            for name in _ABOUT:
                if isinstance(one.get(name), str):
                    return str(one[name])
    return ""


def _format_frames(one: StepDifference) -> str:
    """Format a difference's frame numbers in both recordings, and its durations if it is slower."""
    steps = [step for step in (one.before, one.after) if step is not None]
    places = " → ".join(f"#{step.number}" for step in steps if step.number)
    words = f"  ({places})" if places else ""
    if one.kind is DifferenceKind.SLOWER:
        words += "  " + " → ".join(exact_duration(step.duration) for step in steps)
    return words


def _format_path(change: ValueChange) -> str:
    return format_path(change.path) or "all of it"


def _format_values(change: ValueChange) -> str:
    return clean_line(" → ".join(format_both(change)))


def _safe(text: str) -> str:
    return escape(clean_line(text))
