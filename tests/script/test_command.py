"""`acp-tui script`: what is sent, what is answered, what holds, and what all that is told as."""

import os
import re
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from acp_tui.script.parser import read_script
from tests.fake_agent.script import Played, Script
from tests.installed import ROOT
from tests.script.playing import DEMO, SAMPLE, play, script

WRITE = {"title": "Write cup.txt", "kind": "edit"}
FORM = {
    "sessionId": "s1",
    "message": "How many cups?",
    "mode": "form",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "cups": {"type": "integer", "minimum": 1},
            "milk": {"type": "boolean", "default": True},
        },
        "required": ["cups"],
    },
}
LINK = {"sessionId": "s1", "message": "Sign in", "mode": "url", "url": "https://a.example"}


@pytest.fixture(autouse=True)
def folder_of_the_agent(tmp_path: Path) -> Path:
    """Where its script lies, and what it saw."""
    (tmp_path / "agent").mkdir()
    return tmp_path / "agent"


def chosen(option: str) -> dict[str, object]:
    return {"outcome": {"outcome": "selected", "optionId": option}}


def asking(*answers: str) -> Script:
    agent = Script().handshake().prompt()
    for number, answer in enumerate(answers, 1):
        name = f"ask{number}"
        agent.ask_permission({"toolCallId": f"t{number}", **WRITE}, save=name)
        agent.expect_answer(name, result=chosen(answer))
    return agent.end_turn()


def test_the_demo_is_played_to_its_end_and_each_step_is_told(tmp_path: Path) -> None:
    shutil.copytree(SAMPLE, tmp_path / "work", ignore=shutil.ignore_patterns("__pycache__"))
    text = """
name: tea
steps:
  - prompt: permission fast
    answers: [{permission: "Pour the tea*", choose: allow_once}]
    expect:
      text: {contains: "Yes, pour it", lacks: Not allowed}
      tools: [{title: "Pour the tea", status: completed, count: 1}]
  - name: fix it
    prompt: tour fast
    answers: [{permission: "*", choose: allow_once, times: any}]
    expect:
      tools: [{kind: edit, status: completed}]
      files: [{path: tea.py, matches: 'minutes'}, {path: test_tea.py, unchanged: true}]
  - {prompt: slow, cancel: {after_text: tick}}
  - {prompt: fail, expect: {error: "kettle is empty", tools: none}}
expect: {findings: none}
"""
    ran = play(tmp_path, text, "--junit", "out.xml", cwd=tmp_path / "work")
    assert (ran.code, ran.err) == (0, "")
    *steps, last = ran.out.splitlines()
    marks = [line.rpartition(" (")[0] or line for line in steps]
    assert marks == ["✓ 1 permission fast", "✓ 2 fix it", "✓ 3 slow", "✓ 4 fail", "✓ at the end"]
    assert last == "4 of 4 steps hold"
    suite = ET.parse(tmp_path / "out.xml").getroot()
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("tea", "5", "0")


def test_what_does_not_hold_is_told_with_its_line_and_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "cup.txt").write_text("empty\n")
    agent = Script().handshake().prompt().chunk("no coffee here")
    agent.tool_call("t1", "Look", kind="read", status="completed")
    agent.write_file(tmp_path / "cup.txt", "tea\n").garbage("noise").end_turn("max_tokens")
    text = """
steps:
  - prompt: pour
    answers: [{permission: spill, choose: reject}]
    expect:
      text: {contains: tea, matches: ^tea, lacks: coffee}
      tools: [{kind: edit}]
      files:
        - {path: cup.txt, unchanged: true}
        - {path: pot.txt}
        - {path: cup.txt, exists: false}
      findings: none
"""
    ran = play(tmp_path, text, "--junit", "out.xml", argv=agent.argv(tmp_path / "agent"))
    assert ran.code == 7
    for words in (
        "✗ 1 pour",
        "tea.yaml:4: this was not asked: spill",
        "tea.yaml:3: the turn doesn't end with end_turn\n      | max_tokens",
        "tea.yaml:6: the text doesn't contain 'tea'\n      | no coffee here",
        "tea.yaml:6: nothing in the text matches /^tea/",
        "tea.yaml:6: the text contains 'coffee'",
        "tea.yaml:7: 0 tool calls with kind 'edit', not at least 1\n      | t1: 'Look' [read, com",
        "tea.yaml:9: cup.txt is not what it was before\n      | it is now:\n      | tea",
        "tea.yaml:10: there is no pot.txt",
        "tea.yaml:11: cup.txt exists\n      | tea",
        "tea.yaml:12: 1 finding worse than 'none' allows\n      | ",
        "0 of 1 step holds",
    ):
        assert words in ran.out
    case = ET.parse(tmp_path / "out.xml").getroot().find("testcase/failure")
    assert case is not None
    assert "tea.yaml:6: the text contains 'coffee'" in (case.text or "")
    assert "recorded: " in ran.err


def test_one_call_too_many_is_counted_as_one(tmp_path: Path) -> None:
    agent = Script().handshake().prompt().tool_call("t1", "Look", kind="read", status="completed")
    text = "steps: [{prompt: look, expect: {tools: none}}]"
    ran = play(tmp_path, text, argv=agent.end_turn().argv(tmp_path / "agent"))
    assert ran.code == 7
    assert "tea.yaml:1: 1 tool call, not 0\n" in ran.out


def test_questions_get_the_answers_that_are_for_them_in_their_order(tmp_path: Path) -> None:
    text = """
steps:
  - prompt: pour
    answers:
      - {permission: "Write*", choose: allow_once, times: 2}
      - {permission: "edit: Write cup.txt", choose: 4}
      - {permission: "*", choose: Always allow}
"""
    agent = asking("yes", "yes", "never", "always").argv(tmp_path / "agent")
    ran = play(tmp_path, text.replace('"Write*"', '"*Write*"'), "--format", "json", argv=agent)
    Played(tmp_path / "agent").check()
    assert (ran.code, ran.told["steps"][0]["outcome"]) == (0, "held")
    assert len(ran.told["steps"][0]["asked"]) == 4


def test_what_no_answer_is_for_is_rejected_and_told(tmp_path: Path) -> None:
    text = "steps: [{prompt: pour, answers: [{permission: 'read*', choose: allow_once}]}]"
    ran = play(tmp_path, text, argv=asking("no").argv(tmp_path / "agent"))
    Played(tmp_path / "agent").check()
    assert ran.code == 5
    assert "rejected, for want of an answer: permission: edit: Write cup.txt" in ran.out


def test_an_option_that_is_not_offered_allows_nothing(tmp_path: Path) -> None:
    text = "steps: [{prompt: pour, answers: [{permission: '*', choose: 'Allow'}]}]"
    ran = play(tmp_path, text, argv=asking("no").argv(tmp_path / "agent"))
    Played(tmp_path / "agent").check()
    assert ran.code == 7
    assert "has no option 'Allow': it was rejected\n      | 1) allow_once: Allow once" in ran.out


def test_a_rejection_may_say_what_to_do_instead(tmp_path: Path) -> None:
    agent = Script().handshake().prompt().ask_permission(WRITE)
    agent.expect_answer("ask", result=chosen("no")).end_turn()
    words = [{"type": "text", "text": "use a mug"}]
    agent.expect("session/prompt", {"prompt": words}).chunk("a mug").end_turn()
    text = """
steps:
  - prompt: pour
    answers: [{permission: "*", choose: reject, words: use a mug}]
    expect: {text: a mug}
"""
    ran = play(tmp_path, text, argv=agent.argv(tmp_path / "agent"))
    Played(tmp_path / "agent").check()
    assert ran.code == 0, ran.out


@pytest.mark.parametrize(
    ("answer", "asked", "sent", "code"),
    [
        (
            "fill: {cups: 2}",
            FORM,
            {"action": "accept", "content": {"cups": 2, "milk": True}},
            0,
        ),
        ("fill: {cups: 0}", FORM, {"action": "cancel"}, 7),
        ("fill: {cups: 1, mugs: 2}", FORM, {"action": "cancel"}, 7),
        ("choose: accept", FORM, {"action": "cancel"}, 7),
        ("choose: decline", FORM, {"action": "decline"}, 0),
        ("choose: accept", LINK, {"action": "accept"}, 0),
        ("fill: {cups: 1}", LINK, {"action": "cancel"}, 7),
    ],
)
def test_forms_and_links_are_answered(
    tmp_path: Path, answer: str, asked: dict[str, object], sent: dict[str, object], code: int
) -> None:
    agent = Script().handshake().prompt()
    agent.request("elicitation/create", {"elicitationId": "e1", **asked}, save="ask")
    agent.expect_answer("ask", result=sent).end_turn()
    text = f"steps: [{{prompt: pour, answers: [{{question: '*', {answer}}}]}}]"
    ran = play(tmp_path, text, argv=agent.argv(tmp_path / "agent"))
    Played(tmp_path / "agent").check()
    assert ran.code == code, ran.out


def test_only_a_script_that_answers_questions_lets_the_agent_ask(tmp_path: Path) -> None:
    for answers, claims in (("[]", False), ("[{question: '*', choose: cancel, times: any}]", True)):
        folder = tmp_path / str(claims)
        folder.mkdir()
        agent = Script().handshake().prompt().end_turn().argv(folder)
        assert play(tmp_path, f"steps: [{{prompt: a, answers: {answers}}}]", argv=agent).code == 0
        [call] = Played(folder).calls("initialize")
        assert ("elicitation" in call["params"]["clientCapabilities"]) == claims


def test_a_step_that_takes_too_long_is_canceled_and_the_rest_is_skipped(tmp_path: Path) -> None:
    text = "steps: [{prompt: hang, timeout: 0.3}, {prompt: never}]"
    ran = play(tmp_path, text, "--format", "json")
    assert ran.code == 3
    first, second = ran.told["steps"]
    assert "not done within 0.3 s" in first["trouble"]
    assert second["outcome"] == "skipped"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("steps: [{prompt: crash}, {prompt: never}]", "exit"),
        ("steps: [{prompt: fail}, {prompt: never}]", "the agent answered with an error"),
        ("steps: [{prompt: hi, files: no.txt}, {prompt: never}]", "there is no no.txt"),
    ],
)
def test_what_cannot_be_played_on_ends_it(tmp_path: Path, text: str, words: str) -> None:
    ran = play(tmp_path, text, "--junit", "out.xml")
    assert ran.code == 1
    assert words in ran.out
    assert "- 2 never: skipped" in ran.out
    suite = ET.parse(tmp_path / "out.xml").getroot()
    assert (suite.get("errors"), suite.get("skipped")) == ("1", "1")


def test_an_agent_that_does_not_start_is_an_error(tmp_path: Path) -> None:
    ran = play(tmp_path, "steps: {prompt: hi}", "--junit", "out.xml", argv=["./no-such-agent"])
    assert ran.code == 1
    assert "no such file" in ran.err
    assert ET.parse(tmp_path / "out.xml").getroot().get("errors") == "1"


def test_a_turn_that_ends_before_it_could_be_canceled_is_no_success(tmp_path: Path) -> None:
    text = "steps: [{prompt: hi, cancel: {after_text: never said}}]"
    ran = play(tmp_path, text)
    assert ran.code == 7
    assert "the turn ended before" in ran.out


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("steps: [{promt: hi}]", (), "tea.yaml:1: steps[1]: there is no 'promt'"),
        ("steps: {prompt: hi}", ("--continue",), "--resume ID"),
        ("steps: {prompt: hi}", ("--junit", "tea.yaml"), "exists, and is not such a report"),
    ],
)
def test_what_makes_no_sense_starts_no_agent(
    tmp_path: Path, text: str, options: tuple[str, ...], words: str
) -> None:
    begun = tmp_path / "begun"
    ran = play(tmp_path, text, *options, argv=["touch", str(begun)])
    assert ran.code == 2
    assert words in ran.err
    assert not begun.exists()
    assert (tmp_path / "tea.yaml").read_text() == text


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    ran = script("none.yaml", "--", *DEMO, cwd=tmp_path)
    assert ran.code == 2
    assert "none.yaml: No such file" in ran.err
    (tmp_path / "folder").mkdir()
    ran = script("folder", "--", *DEMO, cwd=tmp_path)
    assert (ran.code, ran.err) == (2, "acp-tui script: folder: Is a directory\n")


def test_the_example_for_a_missing_agent_can_be_typed(tmp_path: Path) -> None:
    (tmp_path / "tea.yaml").write_text("steps: [{prompt: hi}]")
    ran = script("tea.yaml", cwd=tmp_path)
    assert ran.code == 2
    assert "as in: acp-tui script FILE.yaml -- my-agent --acp;" in ran.err


def test_secrets_are_masked_in_all_that_is_told(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "Q7" * 40
    agent = Script().handshake().prompt().chunk(f"the key is {secret}").end_turn()
    text = "steps: [{prompt: hi, expect: {text: none of that}}]"
    for form in ("text", "json"):
        argv = agent.argv(tmp_path / "agent")
        ran = play(tmp_path, text, "--format", form, "--junit", "out.xml", argv=argv)
        assert ran.code == 7
        told = ran.out + ran.err + (tmp_path / "out.xml").read_text()
        assert "the key is" in told
        assert secret not in told


def test_interrupted_it_tells_what_was_not_played(tmp_path: Path) -> None:
    (tmp_path / "tea.yaml").write_text("steps: [{prompt: hi}, {prompt: hang}, {prompt: never}]")
    words = [sys.executable, "-m", "acp_tui", "script", "tea.yaml", "--no-record", "--", *DEMO]
    with subprocess.Popen(
        words, cwd=tmp_path, env=os.environ, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("✓ 1 hi")
        process.send_signal(signal.SIGTERM)  # pytest's workers let their children ignore SIGINT
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "- 3 never: skipped" in out


def test_the_script_of_the_page_holds(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "testing.md").read_text("utf-8")
    text = page.partition("```yaml\n")[2].partition("```")[0]
    ran = play(tmp_path, text)
    assert ran.code == 0, ran.out


def test_the_answers_of_the_page_are_answers(
    tmp_path: Path,
) -> None:
    page = (ROOT / "docs" / "testing.md").read_text("utf-8")
    answers = re.findall(r"^\| `(\{.*?\})` \|", page, re.MULTILINE)
    assert len(answers) == 5
    (tmp_path / "tea.yaml").write_text(f"steps: [{{prompt: a, answers: [{', '.join(answers)}]}}]")
    assert len(read_script(tmp_path / "tea.yaml").steps[0].answers) == 5
