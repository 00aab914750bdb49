"""Reads a script from a file: what can't be meant is refused, with its line."""

from pathlib import Path

from acp_tui.config.named_files import read_file
from acp_tui.script.expectations import expectations
from acp_tui.script.model import STEP_TIMEOUT, CancelAfter, PromptScript, ScriptAnswer, ScriptStep
from acp_tui.script.nodes import ScriptError, ScriptPart, load

LARGEST_SCRIPT = 1024 * 1024
"""Bytes of a script."""
KINDS = ("allow_once", "allow_always", "reject_once", "reject_always")
_STEP = ("prompt", "name", "files", "answers", "cancel", "timeout", "expect")
_PERMISSION = ("permission", "choose", "words", "times")
_QUESTION = ("question", "fill", "choose", "times")
_ACTIONS = ("accept", "decline", "cancel")


def read_script(path: Path) -> PromptScript:
    """Read a script. Raises ScriptError, or OSError."""
    data = read_file(path)
    if len(data) > LARGEST_SCRIPT:
        raise ScriptError("this is larger than 1 MiB: no script is")
    root = load(data)
    fields = root.fields(("name", "timeout", "steps", "expect"), ["steps"])
    name = fields["name"].filled() if "name" in fields else path.stem
    patience = fields["timeout"].seconds() if "timeout" in fields else STEP_TIMEOUT
    steps = fields["steps"]
    if steps.is_empty or not steps.items():
        steps.fail("there are none: add a line `  - prompt: …`")
    read = tuple(_step(one, patience) for one in steps.items())
    final = expectations(fields["expect"], of_all=True) if "expect" in fields else ()
    return PromptScript(name, read, final)


def _step(part: ScriptPart, patience: float) -> ScriptStep:
    fields = part.fields(_STEP, ["prompt"])
    prompt = fields["prompt"].filled().rstrip("\n")
    files = tuple(map(_mentioned, fields["files"].items())) if "files" in fields else ()
    name = fields["name"].filled() if "name" in fields else _title(prompt)
    cancel = _cancel(fields["cancel"]) if "cancel" in fields else None
    expect = expectations(fields["expect"]) if "expect" in fields else ()
    answers = fields["answers"].items() if "answers" in fields else []
    timeout = fields["timeout"].seconds() if "timeout" in fields else patience
    return ScriptStep(
        part.line,
        name,
        prompt,
        files,
        tuple(map(_answer, answers)),
        cancel,
        timeout,
        expect,
    )


def _mentioned(part: ScriptPart) -> str:
    path = part.filled()
    if '"' in path or "\n" in path:
        part.fail('a path that has neither " nor a line break is wanted')
    return path


def _title(prompt: str) -> str:
    first = prompt.strip().partition("\n")[0]
    return first if len(first) <= 60 else f"{first[:59]}…"


def _answer(part: ScriptPart) -> ScriptAnswer:
    if not part.is_mapping:
        part.fail(
            "an answer is `permission: WORDS` with `choose:`, or `question: WORDS` with `fill:`"
        )
    names = part.fields(None)
    if ("permission" in names) == ("question" in names):
        part.fail('either `permission: WORDS` or `question: WORDS` is wanted; "*" stands for any')
    return _question(part) if "question" in names else _permission(part)


def _permission(part: ScriptPart) -> ScriptAnswer:
    fields = part.fields(_PERMISSION, ["permission", "choose"])
    choose = _option(fields["choose"])
    words = fields["words"].filled() if "words" in fields else ""
    if words and choose not in ("reject", "reject_once", "reject_always"):
        fields["words"].fail("words go with a rejection: `choose: reject`")
    asked = fields["permission"].filled()
    return ScriptAnswer(part.line, asked, True, choose, words, times=_times(fields))


def _option(part: ScriptPart) -> str | int:
    """Return a kind or a name; or a number, if it stands without quotes."""
    value = part.value()
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 1:
            part.fail("options are counted from 1 on")
        return value
    if part.filled() == "allow":
        part.fail(f"say how: one of {', '.join(KINDS)}, a name of an option, or its number")
    return part.filled()


def _question(part: ScriptPart) -> ScriptAnswer:
    fields = part.fields(_QUESTION, ["question"])
    if ("fill" in fields) == ("choose" in fields):
        part.fail("either `fill:` with the values of the form, or `choose: decline` is wanted")
    asked, times = fields["question"].filled(), _times(fields)
    if "choose" in fields:
        action = fields["choose"].choice(_ACTIONS)
        return ScriptAnswer(part.line, asked, False, action=action, times=times)
    values = {name: one.value() for name, one in fields["fill"].fields(None).items()}
    return ScriptAnswer(part.line, asked, False, fill=values, times=times)


def _times(fields: dict[str, ScriptPart]) -> int | None:
    if "times" not in fields:
        return 1
    part = fields["times"]
    if part.value() == "any":
        return None
    value = part.count()
    if not value:
        part.fail("a number from 1 on is wanted, or `any`")
    return value


def _cancel(part: ScriptPart) -> CancelAfter:
    advice = (
        "say when: `cancel: {after_text: WORDS}`, `{after_tool: TITLE}` or `{after_seconds: 2}`"
    )
    fields = part.fields(("after_text", "after_tool", "after_seconds")) if part.is_mapping else {}
    if len(fields) != 1:
        part.fail(advice)
    ((name, value),) = fields.items()
    if name == "after_seconds":
        return CancelAfter(part.line, seconds=value.seconds())
    if name == "after_tool":
        return CancelAfter(part.line, tool=value.filled())
    return CancelAfter(part.line, text=value.filled())
