"""One prompt in both versions of the protocol, beside each other: what was said, in version 2's words."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.protocol.dialects import dialect_of
from acp_tui.protocol.v2 import from_v1
from acp_tui.text import clean_line
from acp_tui.wire.compare.alignment import align_parts, align_steps
from acp_tui.wire.compare.comparison import Comparison, compare
from acp_tui.wire.compare.counterparts import Counterparts
from acp_tui.wire.compare.report import comparison_json, comparison_text
from acp_tui.wire.compare.steps import PROMPT, Part, Step
from acp_tui.wire.compare.values import ABSENT

END = "end of the turn"
_CHUNKS = ("user_message_chunk", "agent_message_chunk", "agent_thought_chunk")
"""Updates whose message needs no id in version 1."""
_ONLY_2 = ("user_message",)
"""Updates that only tell what version 1 leaves unsaid: the prompt."""


def in_version_2(parts: Sequence[Part]) -> list[Part]:
    """Return what was said in version 1 in the words of version 2."""
    return [_with_end([*map(_translated, part.steps)], part) for part in parts]


def as_compared(parts: Sequence[Part]) -> list[Part]:
    """Return what was said in version 2 without what version 1 never says."""
    return [_with_end(part.steps, part) for part in parts]


class Row(NamedTuple):
    """What one step is in each version, None where there is none; `turn` is 0 before the first."""

    turn: int
    before: Step | None
    after: Step | None


def compare_versions(first: Sequence[Part], second: Sequence[Part]) -> tuple[list[Row], Comparison]:
    """Put what was said in version 1 beside what was said in version 2, and compare it."""
    before, after = in_version_2(first), as_compared(second)
    names = {
        id(step): old.what
        for part, said in zip(before, first, strict=True)
        for step in part.steps
        for old in said.steps
        if old.number == step.number and step.what != END
    }
    learned = Counterparts()
    rows = []
    for turn, (one, other) in enumerate(align_parts(before, after)):
        old, new = _steps(one), _steps(other)
        places = {
            id(step): at / len(steps) for steps in (old, new) for at, step in enumerate(steps)
        }
        pairs = align_steps(old, new, learned)
        for first_step, second_step in sorted(
            pairs, key=lambda pair: places[id(pair[0] or pair[1])]
        ):
            named = first_step and replace(
                first_step, what=names.get(id(first_step), first_step.what)
            )
            rows.append(Row(turn, named, second_step))
    return rows, compare(before, after)


def _steps(part: Part | None) -> list[Step]:
    return [] if part is None else part.steps


def versions_text(rows: Sequence[Row], found: Comparison) -> Iterator[str]:
    """Format all steps beside each other, then what differs of them."""
    yield f"{'version 1':<{_WIDTH}}  version 2"
    for row in rows:
        yield f"{_shown(row.before):<{_WIDTH}}  {_shown(row.after)}".rstrip()
    yield ""
    yield from comparison_text(found)


def versions_json(rows: Sequence[Row], found: Comparison) -> str:
    """Format the same as one JSON object, on one line."""
    steps = [
        {"turn": row.turn, "version1": _facts(row.before), "version2": _facts(row.after)}
        for row in rows
    ]
    return json.dumps({"steps": steps, **json.loads(comparison_json(found))})


_WIDTH = 38


def _shown(step: Step | None) -> str:
    if step is None:
        return ""
    text = clean_line(f"{'←' if step.by_agent else '→'} {step.what}")
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def _facts(step: Step | None) -> dict[str, Any] | None:
    if step is None:
        return None
    by = "agent" if step.by_agent else "client"
    return {"what": step.what, "by": by, "frame": step.number or None}


def _translated(step: Step) -> Step:
    """Return a step in version 2's words; as it is, if it is of no form that is known."""
    try:
        return _in_2(step)
    except (KeyError, TypeError, AttributeError, ValueError):
        return step


def _in_2(step: Step) -> Step:
    value, answer = step.value, step.answer
    if not step.by_agent:
        dialect = dialect_of(2)
        if isinstance(answer, dict) and isinstance(answer.get("result"), dict):
            result = answer["result"]
            if step.what == "initialize":
                answer = {"result": from_v1.initialized(result)}
            elif step.what.startswith("session/"):
                answer = {"result": from_v1.session(result)}
        written = dialect.written(step.what, value) if isinstance(value, dict) else value
        return replace(step, what=dialect.name(step.what), value=written, answer=answer)
    if step.what == "session/request_permission":
        return replace(step, value=from_v1.asked(value))
    if isinstance(value, dict) and "sessionUpdate" in value:
        update = from_v1.update(value, "")
        if update is not None:
            return replace(step, what=update["sessionUpdate"], value=update)
    return step


def _with_end(steps: Sequence[Step], part: Part) -> Part:
    """Return a turn whose end is one step, whether an answer or a state told it."""
    found: list[Step] = []
    end: Step | None = None
    for step in steps:
        if step.what in _ONLY_2:
            continue
        if step.what == "state_update":
            if step.value.get("state") == "idle":
                end = replace(step, what=END, lane="agent", value=_end(step.value))
            continue
        if step.what == PROMPT and isinstance(step.answer, dict):
            result = step.answer.get("result")
            if not isinstance(result, dict) or "messageId" not in result:
                told = result if isinstance(result, dict) else step.answer
                end = Step(END, "agent", True, step.number, step.at + (step.took or 0), _end(told))
            found.append(replace(step, answer=ABSENT, took=None))
        elif step.what in _CHUNKS and isinstance(step.value, dict):
            found.append(replace(step, value=_without_id(step.value)))
        else:
            found.append(step)
    if end is not None:
        found.append(end)
    prompt = next((one for one in found if one.what == PROMPT), part.prompt)
    return Part(prompt, found)


def _without_id(value: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in value.items() if name != "messageId"}


def _end(told: dict[str, Any]) -> dict[str, Any]:
    return {name: told[name] for name in ("stopReason", "error") if told.get(name)}
