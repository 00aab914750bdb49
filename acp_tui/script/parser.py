"""Parses a script from a file; errors name the line."""

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
from acp_tui.script.nodes import ScriptError, ScriptPart, load

_ALL = ("text", "tools", "files", "findings")
_OF_STEP = (*_ALL, "stop", "error")
_WORDS = ("contains", "matches", "lacks")
_TOOL = ("kind", "title", "status", "count")
_FILE = ("path", "exists", "sha256", "unchanged", *_WORDS)
_FINDINGS = ("at_most", "rules", "lacks")
_STATUSES = ("pending", "in_progress", "completed", "failed", "cancelled")


def expectations(part: ScriptPart, *, of_all: bool = False) -> tuple[Expectation, ...]:
    """Read what is expected of a step, or `of_all` of them. Raises ScriptError."""
    fields = part.fields(_ALL if of_all else _OF_STEP)
    if "stop" in fields and "error" in fields:
        fields["error"].fail("a turn has a stop reason or an error: keep one of `stop` and `error`")
    found: list[Expectation] = []
    for name, one in fields.items():
        match name:
            case "text":
                found.append(TextExpected(_words(one)))
            case "stop":
                found.append(EndExpected(one.line, stop=one.filled()))
            case "error":
                found.append(EndExpected(one.line, error=one.text()))
            case "tools":
                found += _tools(one)
            case "files":
                found += map(_file, one.items())
            case _:
                found.append(_findings(one))
    return tuple(found)


def _words(part: ScriptPart) -> Words:
    """Read what a text must have; texts alone are what it contains."""
    if not part.is_mapping:
        return Words(part.line, contains=part.texts())
    return _words_of(part, part.fields(_WORDS))


def _words_of(part: ScriptPart, fields: dict[str, ScriptPart]) -> Words:
    return Words(
        part.line,
        fields["contains"].texts() if "contains" in fields else (),
        tuple(map(_pattern, fields["matches"].items())) if "matches" in fields else (),
        fields["lacks"].texts() if "lacks" in fields else (),
    )


def _pattern(part: ScriptPart) -> "re.Pattern[str]":
    try:
        return re.compile(part.filled(), re.MULTILINE)
    except re.error as error:
        part.fail(f"this is no regular expression: {error}; write it in single quotes")


def _tools(part: ScriptPart) -> list[Expectation]:
    if not part.is_mapping and part.items() == [part] and part.text() == "none":
        return [ToolsExpected(part.line, least=0, most=0)]
    return [_tool(one) for one in part.items()]


def _tool(part: ScriptPart) -> ToolsExpected:
    fields = part.fields(_TOOL)
    least, most = _count(fields["count"]) if "count" in fields else (1, None)
    return ToolsExpected(
        part.line,
        fields["kind"].filled() if "kind" in fields else None,
        fields["title"].filled() if "title" in fields else None,
        fields["status"].choice(_STATUSES) if "status" in fields else None,
        least,
        most,
    )


def _count(part: ScriptPart) -> tuple[int, int | None]:
    """Read how many: a number, or `at_least` and `at_most`."""
    if not part.is_mapping:
        exactly = part.count()
        return exactly, exactly
    fields = part.fields(("at_least", "at_most"))
    least = fields["at_least"].count() if "at_least" in fields else 0
    most = fields["at_most"].count() if "at_most" in fields else None
    if most is not None and least > most:
        part.fail(f"nothing is at least {least} and at most {most}: change one of them")
    return least, most


def _file(part: ScriptPart) -> FileExpected:
    fields = part.fields(_FILE, ["path"])
    exists = fields["exists"].truth() if "exists" in fields else True
    about = {name: one for name, one in fields.items() if name not in ("path", "exists")}
    if about and not exists:
        part.fail(
            f"with `exists: false` nothing else can be expected: leave out {', '.join(about)}"
        )
    has_words = any(name in fields for name in _WORDS)
    return FileExpected(
        part.line,
        fields["path"].filled(),
        exists,
        _words_of(part, fields) if has_words else None,
        _sha256(fields["sha256"]) if "sha256" in fields else None,
        _unchanged(fields["unchanged"]) if "unchanged" in fields else False,
    )


def _sha256(part: ScriptPart) -> str:
    text = part.filled().lower()
    if re.fullmatch("[0-9a-f]{64}", text) is None:
        part.fail("64 hexadecimal digits are wanted, as `sha256sum FILE` prints them")
    return text


def _unchanged(part: ScriptPart) -> bool:
    if not part.truth():
        part.fail("only `unchanged: true` can be expected; for a change say what the file has then")
    return True


def _findings(part: ScriptPart) -> FindingsExpected:
    if not part.is_mapping:
        return FindingsExpected(part.line, part.choice(("none", "warning")))
    fields = part.fields(_FINDINGS)
    return FindingsExpected(
        part.line,
        fields["at_most"].choice(("none", "warning")) if "at_most" in fields else None,
        tuple(map(_rule, fields["rules"].items())) if "rules" in fields else (),
        tuple(map(_rule, fields["lacks"].items())) if "lacks" in fields else (),
    )


def _rule(part: ScriptPart) -> str:
    """Read the id of a rule; one with a typo would never be found."""
    from acp_tui.extensions import RULES, extensions

    id, known = part.filled(), _known_rules()
    if id not in known and not list(extensions.of(RULES)):
        near = get_close_matches(id, known, 1)
        meant = f"; is {near[0]!r} meant?" if near else ""
        part.fail(f"there is no rule {id!r}{meant} See docs/findings.md")
    return id


def _known_rules() -> list[str]:
    from acp_tui.debug.lint.linter import CHECKERS
    from acp_tui.protocol import validation

    rules = [*validation.RULES, *(rule for checker in CHECKERS for rule in checker.RULES)]
    return [rule.id for rule in rules]


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
