"""Writes a recording as a test of the agent, for the fixture `acp_agent`."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from acp_tui.library.recordings import RecordedSession, Recording, replay
from acp_tui.library.turn import Turn
from acp_tui.protocol.jsonrpc import Response
from acp_tui.testing.literals import literal, source
from acp_tui.wire.compare.counterparts import without_volatile
from acp_tui.wire.play.acts import acts
from acp_tui.wire.play.recorded_answers import PERMISSION, params_of
from acp_tui.wire.recording import Record, RecordingError

_SHORT = 80
"""Characters of a text that a test compares; for a longer one it only asks whether there is any."""
_BY_KIND = """
def by_kind(request):
    kind = request.tool_call.kind if request.tool_call else None
    wanted = ANSWERS.get(kind, "reject_once")
    return next((one for one in request.options if one.kind == wanted), request.reject)
"""


def pytest_source(recording: Recording, name: str) -> str:
    """Write a test that says to the agent what was said, and expects what came.

    Raises RecordingError if there is no turn that has ended.
    """
    sessions = [one for one in replay(recording).sessions if one.turns]
    if not sessions:
        raise RecordingError("there is no turn that has ended: nothing can be tested")
    answers = _answers(recording.records)
    lines = [
        f'"""What an agent did in {_comment(name)}.',
        "",
        'Run it: pytest --acp-agent "my-agent --acp" FILE',
        '"""',
        "",
    ]
    if len(set(answers.values())) > 1:
        lines += [f"ANSWERS = {source(answers)}", *_BY_KIND.splitlines()]
    lines += ["", f"def test_{_identifier(name)}(acp_agent):"]
    lines += [f"    {line}" for line in _body(sessions, answers)]
    return "\n".join([*lines, ""])


def _body(sessions: Sequence[RecordedSession], answers: dict[str, str]) -> Iterator[str]:
    kinds = set(answers.values())
    if len(kinds) > 1:
        yield "acp_agent.permissions = by_kind"
    elif any(kind.startswith("allow") for kind in kinds):
        yield 'acp_agent.permissions = "allow"'
    for number, session in enumerate(sessions):
        if number:
            yield ""
            yield "acp_agent.new_session()"
        for at, turn in enumerate(session.turns):
            if at:
                yield ""
            yield from _turn(session, turn)


def _turn(session: RecordedSession, turn: Turn) -> Iterator[str]:
    yield f"turn = acp_agent.prompt({_prompt(turn.prompt, session.cwd)})"
    if turn.error is not None:
        yield f"assert turn.error is not None and turn.error.code == {literal(turn.error.code)}"
    else:
        yield f"assert turn.stop_reason == {literal(turn.stop_reason)}"
    if turn.text:
        same = len(turn.text) <= _SHORT and without_volatile(turn.text) == turn.text
        yield f"assert turn.text == {literal(turn.text)}" if same else "assert turn.text"
    if turn.tool_calls:
        yield "assert [(call.kind, call.status) for call in turn.tool_calls] == ["
        yield from (f"    ({literal(one.kind)}, {literal(one.status)})," for one in turn.tool_calls)
        yield "]"
    else:
        yield "assert not turn.tool_calls"
    yield "assert not turn.findings"


def _answers(records: Sequence[Record]) -> dict[str, str]:
    """The kind of the option that was chosen for each kind of tool."""
    found = {}
    for one in acts(records).exchanges:
        if one.request.method != PERMISSION or not isinstance(one.answer, Response):
            continue
        result: Any = one.answer.result
        outcome = result.get("outcome") if isinstance(result, dict) else None
        chosen = outcome.get("optionId") if isinstance(outcome, dict) else None
        options = params_of(one.request).get("options")
        kinds = [
            str(option.get("kind"))
            for option in (options if isinstance(options, list) else ())
            if isinstance(option, dict) and option.get("optionId") == chosen
        ]
        found[str(one.call.get("kind", ""))] = kinds[0] if kinds else "reject_once"
    return found


def _prompt(text: str, cwd: str) -> str:
    """The prompt; the folder of the session is that of the test."""
    whole = rf"(?<![\w-]){re.escape(cwd)}(?![\w-])"
    pieces = re.split(whole, text) if len(cwd) > 1 else [text]
    if len(pieces) == 1:
        return literal(text)
    return f'f"{"{acp_agent.folder}".join(map(_in_f_string, pieces))}"'


def _in_f_string(text: str) -> str:
    """A text as it is written between the double quotes of an f-string."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    # With both quotes in it a text is written in single ones: the end that brings them is cut off.
    return repr(f"{doubled}'\"")[1:-4].replace('"', '\\"')


def _comment(name: str) -> str:
    return re.sub(r"[^\w .-]", "_", name)


def _identifier(name: str) -> str:
    found = re.sub(r"\W+", "_", name.rpartition(".")[0] or name).strip("_").lower()
    return found if found and f"test_{found}".isidentifier() else "recording"
