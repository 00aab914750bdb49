"""Parses a script file; errors name the line."""

import re
from difflib import get_close_matches
from pathlib import Path

from acp_tui.config.private_files import read_file
from acp_tui.script.model import (
    STEP_TIMEOUT,
    CancelAfter,
    EndExpected,
    Expectation,
    FileExpected,
    FindingsExpected,
    PromptScript,
    ScriptAnswer,
    ScriptStep,
    TextExpected,
    ToolsExpected,
    Words,
)
from acp_tui.script.nodes import ScriptError, ScriptPart, load_yaml

_ALL = ("text", "tools", "files", "findings")
_OF_STEP = (*_ALL, "stop", "error")
LARGEST_SCRIPT = 1024 * 1024
"""Largest script in bytes."""
KINDS = ("allow_once", "allow_always", "reject_once", "reject_always")
_STEP = ("prompt", "name", "files", "answers", "cancel", "timeout", "expect")
_PERMISSION = ("permission", "choose", "words", "times")
_QUESTION = ("question", "fill", "choose", "times")
_ACTIONS = ("accept", "decline", "cancel")
_WORDS = ("contains", "matches", "lacks")
_TOOL = ("kind", "title", "status", "count")
_FILE = ("path", "exists", "sha256", "unchanged", *_WORDS)
_FINDINGS = ("at_most", "rules", "lacks")
_STATUSES = ("pending", "in_progress", "completed", "failed", "cancelled")


def read_script(path: Path) -> PromptScript:
    """Read and parse a script. Raises ScriptError or OSError."""
    data = read_file(path)
    if len(data) > LARGEST_SCRIPT:
        raise ScriptError("this is larger than 1 MiB: no script is")
    root = load_yaml(data)
    fields = root.fields(("name", "timeout", "steps", "expect"), ["steps"])
    name = fields["name"].filled() if "name" in fields else path.stem
    patience = fields["timeout"].seconds() if "timeout" in fields else STEP_TIMEOUT
    steps = fields["steps"]
    if steps.is_empty or not steps.items():
        steps.fail("there are none: add a line `  - prompt: …`")
    read = tuple(_read_step(one, patience) for one in steps.items())
    final = _read_expectations(fields["expect"], of_all=True) if "expect" in fields else ()
    return PromptScript(name, read, final)


def _read_step(part: ScriptPart, patience: float) -> ScriptStep:
    fields = part.fields(_STEP, ["prompt"])
    prompt = fields["prompt"].filled().rstrip("\n")
    files = tuple(map(_read_mention, fields["files"].items())) if "files" in fields else ()
    first_line = prompt.strip().partition("\n")[0]
    title = first_line if len(first_line) <= 60 else f"{first_line[:59]}…"
    name = fields["name"].filled() if "name" in fields else title
    cancel = _read_cancel(fields["cancel"]) if "cancel" in fields else None
    expect = _read_expectations(fields["expect"]) if "expect" in fields else ()
    answers = fields["answers"].items() if "answers" in fields else []
    timeout = fields["timeout"].seconds() if "timeout" in fields else patience
    return ScriptStep(
        part.line,
        name,
        prompt,
        files,
        tuple(map(_read_answer, answers)),
        cancel,
        timeout,
        expect,
    )


def _read_mention(part: ScriptPart) -> str:
    path = part.filled()
    if '"' in path or "\n" in path:
        part.fail('a path that has neither " nor a line break is wanted')
    return path


def _read_answer(part: ScriptPart) -> ScriptAnswer:
    if not part.is_mapping:
        part.fail(
            "an answer is `permission: WORDS` with `choose:`, or `question: WORDS` with `fill:`"
        )
    names = part.fields(None)
    if ("permission" in names) == ("question" in names):
        part.fail('either `permission: WORDS` or `question: WORDS` is wanted; "*" stands for any')
    return _read_question(part) if "question" in names else _read_permission(part)


def _read_permission(part: ScriptPart) -> ScriptAnswer:
    fields = part.fields(_PERMISSION, ["permission", "choose"])
    choose = _read_option(fields["choose"])
    words = fields["words"].filled() if "words" in fields else ""
    if words and choose not in ("reject", "reject_once", "reject_always"):
        fields["words"].fail("words go with a rejection: `choose: reject`")
    asked = fields["permission"].filled()
    return ScriptAnswer(part.line, asked, True, choose, words, times=_read_times(fields))


def _read_option(part: ScriptPart) -> str | int:
    """Parse an option: its kind, its name, or its number if that isn't quoted."""
    value = part.value()
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 1:
            part.fail("options are counted from 1 on")
        return value
    if part.filled() == "allow":
        part.fail(f"say how: one of {', '.join(KINDS)}, a name of an option, or its number")
    return part.filled()


def _read_question(part: ScriptPart) -> ScriptAnswer:
    fields = part.fields(_QUESTION, ["question"])
    if ("fill" in fields) == ("choose" in fields):
        part.fail("either `fill:` with the values of the form, or `choose: decline` is wanted")
    asked, times = fields["question"].filled(), _read_times(fields)
    if "choose" in fields:
        action = fields["choose"].choice(_ACTIONS)
        return ScriptAnswer(part.line, asked, False, action=action, times=times)
    values = {name: one.value() for name, one in fields["fill"].fields(None).items()}
    return ScriptAnswer(part.line, asked, False, fill=values, times=times)


def _read_times(fields: dict[str, ScriptPart]) -> int | None:
    if "times" not in fields:
        return 1
    part = fields["times"]
    if part.value() == "any":
        return None
    value = part.count()
    if not value:
        part.fail("a number from 1 on is wanted, or `any`")
    return value


def _read_cancel(part: ScriptPart) -> CancelAfter:
    fields = part.fields(("after_text", "after_tool", "after_seconds")) if part.is_mapping else {}
    if len(fields) != 1:
        part.fail(
            "say when: `cancel: {after_text: WORDS}`, `{after_tool: TITLE}` or `{after_seconds: 2}`"
        )
    ((name, value),) = fields.items()
    if name == "after_seconds":
        return CancelAfter(part.line, seconds=value.seconds())
    if name == "after_tool":
        return CancelAfter(part.line, tool=value.filled())
    return CancelAfter(part.line, text=value.filled())


def _read_expectations(part: ScriptPart, *, of_all: bool = False) -> tuple[Expectation, ...]:
    """Parse the expectations of a step or, with `of_all`, of the whole script. Raises ScriptError."""
    fields = part.fields(_ALL if of_all else _OF_STEP)
    if "stop" in fields and "error" in fields:
        fields["error"].fail("a turn has a stop reason or an error: keep one of `stop` and `error`")
    found: list[Expectation] = []
    for name, one in fields.items():
        match name:
            case "text":
                found.append(TextExpected(_read_words(one)))
            case "stop":
                found.append(EndExpected(one.line, stop=one.filled()))
            case "error":
                found.append(EndExpected(one.line, error=one.text()))
            case "tools":
                found += _read_tools(one)
            case "files":
                found += map(_read_file, one.items())
            case _:
                found.append(_read_findings(one))
    return tuple(found)


def _read_words(part: ScriptPart) -> Words:
    """Parse the requirements for a text; a text without a key must be contained."""
    if not part.is_mapping:
        return Words(part.line, contains=part.texts())
    return _read_word_fields(part, part.fields(_WORDS))


def _read_word_fields(part: ScriptPart, fields: dict[str, ScriptPart]) -> Words:
    return Words(
        part.line,
        fields["contains"].texts() if "contains" in fields else (),
        tuple(map(_read_pattern, fields["matches"].items())) if "matches" in fields else (),
        fields["lacks"].texts() if "lacks" in fields else (),
    )


def _read_pattern(part: ScriptPart) -> "re.Pattern[str]":
    try:
        return re.compile(part.filled(), re.MULTILINE)
    except re.error as error:
        part.fail(f"this is no regular expression: {error}; write it in single quotes")


def _read_tools(part: ScriptPart) -> list[Expectation]:
    if not part.is_mapping and part.items() == [part] and part.text() == "none":
        return [ToolsExpected(part.line, least=0, most=0)]
    return [_read_tool(one) for one in part.items()]


def _read_tool(part: ScriptPart) -> ToolsExpected:
    fields = part.fields(_TOOL)
    least, most = _read_count(fields["count"]) if "count" in fields else (1, None)
    return ToolsExpected(
        part.line,
        fields["kind"].filled() if "kind" in fields else None,
        fields["title"].filled() if "title" in fields else None,
        fields["status"].choice(_STATUSES) if "status" in fields else None,
        least,
        most,
    )


def _read_count(part: ScriptPart) -> tuple[int, int | None]:
    """Parse an expected count: a number, or `at_least` and `at_most`."""
    if not part.is_mapping:
        exactly = part.count()
        return exactly, exactly
    fields = part.fields(("at_least", "at_most"))
    least = fields["at_least"].count() if "at_least" in fields else 0
    most = fields["at_most"].count() if "at_most" in fields else None
    if most is not None and least > most:
        part.fail(f"nothing is at least {least} and at most {most}: change one of them")
    return least, most


def _read_file(part: ScriptPart) -> FileExpected:
    fields = part.fields(_FILE, ["path"])
    exists = fields["exists"].truth() if "exists" in fields else True
    about = {name: one for name, one in fields.items() if name not in ("path", "exists")}
    if about and not exists:
        part.fail(
            f"with `exists: false` nothing else can be expected: leave out {', '.join(about)}"
        )
    if "unchanged" in fields and not fields["unchanged"].truth():
        fields["unchanged"].fail(
            "only `unchanged: true` can be expected; for a change say what the file has then"
        )
    has_words = any(name in fields for name in _WORDS)
    return FileExpected(
        part.line,
        fields["path"].filled(),
        exists,
        _read_word_fields(part, fields) if has_words else None,
        _read_sha256(fields["sha256"]) if "sha256" in fields else None,
        "unchanged" in fields,
    )


def _read_sha256(part: ScriptPart) -> str:
    text = part.filled().lower()
    if re.fullmatch("[0-9a-f]{64}", text) is None:
        part.fail("64 hexadecimal digits are wanted, as `sha256sum FILE` prints them")
    return text


def _read_findings(part: ScriptPart) -> FindingsExpected:
    if not part.is_mapping:
        return FindingsExpected(part.line, part.choice(("none", "warning")))
    fields = part.fields(_FINDINGS)
    return FindingsExpected(
        part.line,
        fields["at_most"].choice(("none", "warning")) if "at_most" in fields else None,
        tuple(map(_read_rule, fields["rules"].items())) if "rules" in fields else (),
        tuple(map(_read_rule, fields["lacks"].items())) if "lacks" in fields else (),
    )


def _read_rule(part: ScriptPart) -> str:
    """Parse the id of a rule. An unknown id is an error: with a typo, the expectation would never
    fail.
    """
    from acp_tui.extensions import RULES, extensions
    from acp_tui.protocol.findings import protocol_rules

    id, known = part.filled(), [rule.id for rule in protocol_rules()]
    if id not in known and not list(extensions.of(RULES)):
        near = get_close_matches(id, known, 1)
        meant = f"; is {near[0]!r} meant?" if near else ""
        part.fail(f"there is no rule {id!r}{meant} See docs/findings.md")
    return id
