"""Scripts as they are read: what they mean, and what is refused, with its line and what to do."""

import sys
from pathlib import Path

import pytest

from acp_tui.script.model import (
    CancelAfter,
    EndExpected,
    FileExpected,
    FindingsExpected,
    PromptScript,
    ScriptAnswer,
    TextExpected,
    ToolsExpected,
)
from acp_tui.script.nodes import ScriptError
from acp_tui.script.parser import LARGEST_SCRIPT, read_script


def read(folder: Path, text: str | bytes) -> PromptScript:
    file = folder / "tea.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_script(file)


WHOLE = r"""
name: make tea
timeout: 30
steps:
  - prompt: |
      look at the pot
      and tell me
    files: [pot.txt, "cups of tea.txt"]
  - name: pour
    prompt: pour it
    timeout: 2.5
    cancel: {after_tool: "Pour*"}
    answers:
      - permission: "run: pour *"
        choose: allow_once
        times: any
      - permission: "*"
        choose: reject
        words: not that
      - {permission: spill, choose: 2, times: 3}
      - {permission: other, choose: "Yes, do it"}
      - question: "How many*"
        fill: {cups: 2, milk: no, tea: "2", with: [lemon, sugar], strength: 0.5}
      - {question: "Sign in", choose: decline}
    expect:
      text: {contains: [tea, hot], matches: '^\d+ cups$', lacks: coffee}
      stop: cancelled
      tools:
        - {kind: execute, title: "pour *", status: completed, count: 2}
        - {title: never, count: 0}
        - {kind: read, count: {at_least: 1, at_most: 3}}
        - kind: edit
      files:
        - {path: cup.txt, contains: tea, lacks: milk}
        - {path: gone.txt, exists: false}
        - {path: pot.txt, unchanged: true}
      findings: {at_most: warning, lacks: stdout-noise}
  - prompt: fail
    expect: {error: "no tea", tools: none}
expect:
  text: tea
  findings: none
"""


def test_all_that_it_can_say_is_read(tmp_path: Path) -> None:
    script = read(tmp_path, WHOLE)
    first, second, third = script.steps
    assert (script.name, script.asks) == ("make tea", True)
    assert first.prompt == "look at the pot\nand tell me"
    assert (first.name, first.timeout) == ("look at the pot", 30)
    assert first.files == ("pot.txt", "cups of tea.txt")
    assert (second.name, second.line, second.timeout) == ("pour", 9, 2.5)
    assert second.cancel == CancelAfter(12, tool="Pour*")
    fill = {"cups": 2, "milk": False, "tea": "2", "with": ["lemon", "sugar"], "strength": 0.5}
    assert second.answers == (
        ScriptAnswer(14, "run: pour *", True, "allow_once", times=None),
        ScriptAnswer(17, "*", True, "reject", "not that"),
        ScriptAnswer(20, "spill", True, 2, times=3),
        ScriptAnswer(21, "other", True, "Yes, do it"),
        ScriptAnswer(22, "How many*", False, fill=fill),
        ScriptAnswer(24, "Sign in", False, action="decline"),
    )
    text, end, *tools = second.expect
    assert isinstance(text, TextExpected)
    assert (text.words.contains, text.words.lacks) == (("tea", "hot"), ("coffee",))
    assert text.words.matches[0].search("of tea\n12 cups\n")
    assert end == EndExpected(27, stop="cancelled")
    assert tools[:4] == [
        ToolsExpected(29, "execute", "pour *", "completed", 2, 2),
        ToolsExpected(30, None, "never", None, 0, 0),
        ToolsExpected(31, "read", None, None, 1, 3),
        ToolsExpected(32, "edit"),
    ]
    cup, gone, pot, findings = tools[4:]
    assert isinstance(cup, FileExpected)
    assert cup.words is not None
    assert cup.words.contains == ("tea",)
    assert gone == FileExpected(35, "gone.txt", exists=False)
    assert pot == FileExpected(36, "pot.txt", unchanged=True)
    assert findings == FindingsExpected(37, "warning", (), ("stdout-noise",))
    assert third.expect == (EndExpected(39, error="no tea"), ToolsExpected(39, least=0, most=0))
    assert script.expect[1] == FindingsExpected(42, "none")


def test_a_script_of_one_line_is_enough(tmp_path: Path) -> None:
    script = read(tmp_path, "steps: {prompt: hi}")
    assert (script.name, script.asks) == ("tea", False)
    assert [one.prompt for one in script.steps] == ["hi"]


STEP = "steps:\n- prompt: hi\n  "


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "the script is empty"),
        ("# nothing", 1, "the script is empty"),
        ("hello", 1, "NAME: VALUE lines are wanted (name, timeout, steps, expect), not 'hello'"),
        ("name: x", 1, "'steps' is missing"),
        ("steps: []", 1, "there are none"),
        ("steps:\n", 1, "there are none"),
        ("steps:\n- prompt: hi\n- name: x", 3, "steps[2]: 'prompt' is missing"),
        ("steps:\n- prompt: ''", 2, "this is empty"),
        ("steps:\n- prompt: [a]", 2, "a text is wanted, not a list"),
        ("steps:\n- promt: hi", 2, "there is no 'promt'; is 'prompt' meant?"),
        ("steps:\n- prompt: a\n  prompt: b", 3, "'prompt' stands there twice"),
        ("steps:\n- prompt: a\n x: y", 3, "this is not YAML"),
        ("steps:\n- prompt: say: it", 2, "put a text with : # or a leading sign into quotes"),
        ("steps:\n- prompt: \x1b", 2, "a control character"),
        (b"steps:\n- prompt: \xff", 2, "not UTF-8"),
        ("steps: &a\n- *a", 1, "NAME: VALUE lines are wanted"),
        ("[" * 1000, 1, "nested too deep"),
        (f"name: {'x' * LARGEST_SCRIPT}", 1, "larger than 1 MiB"),
        (STEP + "timeout: soon", 3, "seconds are wanted"),
        (STEP + "timeout: 0", 3, "seconds are wanted"),
        (STEP + "timeout: true", 3, "seconds are wanted"),
        (STEP + "files: 'a\"b'", 3, 'has neither "'),
        (STEP + "cancel: soon", 3, "say when"),
        (STEP + "cancel: {after_text: a, after_tool: b}", 3, "say when"),
        (STEP + "answers: [yes]", 3, "an answer is `permission: WORDS`"),
        (STEP + "answers: [{choose: 1}]", 3, "either `permission: WORDS` or `question: WORDS`"),
        (STEP + "answers: [{permission: a}]", 3, "'choose' is missing"),
        (STEP + "answers: [{permission: a, choose: allow}]", 3, "say how: one of allow_once"),
        (STEP + "answers: [{permission: a, choose: 0}]", 3, "counted from 1 on"),
        (STEP + "answers: [{permission: a, choose: 1, words: no}]", 3, "words go with a rejection"),
        (STEP + "answers: [{permission: a, choose: 1, times: 0}]", 3, "or `any`"),
        (STEP + "answers: [{question: a}]", 3, "either `fill:`"),
        (STEP + "answers: [{question: a, choose: maybe}]", 3, "one of accept, decline, cancel"),
        (STEP + "answers: [{question: a, fill: 3}]", 3, "NAME: VALUE lines are wanted, not '3'"),
        (STEP + "expect: {text: {contain: a}}", 3, "is 'contains' meant?"),
        (STEP + "expect: {text: {matches: '('}}", 3, "no regular expression"),
        (STEP + "expect: {stop: end_turn, error: x}", 3, "keep one"),
        (STEP + "expect: {tools: [{count: -1}]}", 3, "a whole number is wanted"),
        (STEP + "expect: {tools: [{count: {at_least: 2, at_most: 1}}]}", 3, "at least 2 and at mo"),
        (STEP + "expect: {tools: [{status: done}]}", 3, "one of pending, in_progress, completed"),
        (STEP + "expect: {files: [{path: a, exists: no, contains: b}]}", 3, "leave out contains"),
        (STEP + "expect: {files: [{path: a, exists: maybe}]}", 3, "true or false is wanted"),
        (STEP + "expect: {files: [{path: a, unchanged: false}]}", 3, "only `unchanged: true`"),
        (STEP + "expect: {files: [{path: a, sha256: abc}]}", 3, "64 hexadecimal digits"),
        (STEP + "expect: {findings: error}", 3, "one of none, warning"),
        (STEP + "expect: {findings: {rules: stdout-nose}}", 3, "is 'stdout-noise' meant?"),
        ("steps: {prompt: hi}\nexpect: {stop: end_turn}", 2, "there is no 'stop'"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line_and_what_to_do(
    tmp_path: Path, text: str | bytes, line: int, words: str
) -> None:
    with pytest.raises(ScriptError) as caught:
        read(tmp_path, text)
    assert words in str(caught.value)
    assert caught.value.line == line


def test_without_the_reader_of_yaml_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ScriptError, match="pip install pyyaml"):
        read(tmp_path, "steps: {prompt: hi}")
