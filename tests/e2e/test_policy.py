"""Rules from the command line: files and their faults, `run`, `policy list`, `forget`, `test`."""

import json
import os
from pathlib import Path

import pytest

from acp_tui.policy.rules import Rule, RuleAnswer, RuleScope
from acp_tui.store.project_rules import ProjectRules
from tests.examples import parametrize
from tests.fake_agent.script import Played, Script
from tests.hosting import Ran, run_turn
from tests.in_process import run_program

RULES = """\
[[permissions]]
answer = "allow"
kind = ["edit", "read"]
path = "**"

[[permissions]]
answer = "reject"
command = "rm *"

[[permissions]]
answer = "ask"
command = "git push *"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for settings and state of its own."""
    for name in ("config", "state"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path / name))
    return tmp_path


def policy(*arguments: str | Path, cwd: Path | None = None) -> Ran:
    ran = run_program("policy", *map(str, arguments), cwd=cwd)
    out, err = ran.stdout.decode(), ran.stderr.decode()
    assert "Traceback" not in err, err
    return Ran(ran.returncode, out, err)


def rules_in(folder: Path, text: str = RULES) -> Path:
    file = folder / "rules.toml"
    file.write_text(text)
    return file


def settings_folder(home: Path) -> Path:
    folder = home / "config/acp-tui"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def chosen(option_id: str) -> dict[str, object]:
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


def asking(*commands: tuple[str, str]) -> Script:
    script = Script().handshake().prompt()
    for number, (line, answer) in enumerate(commands):
        call = {"toolCallId": f"t{number}", "title": "Run", "kind": "execute"}
        script.ask_permission({**call, "rawInput": {"command": line}}, save=f"q{number}")
        script.expect_answer(f"q{number}", result=chosen(answer))
    return script.end_turn()


def test_a_turn_follows_the_policy_and_says_by_what(home: Path) -> None:
    script = asking(("ls; rm x", "no"), ("ls", "yes"))
    file = rules_in(home)
    recording = home / "log.jsonl"
    ran = run_turn(
        *("--policy", str(file), "--permissions", "allow", "--record", str(recording)),
        argv=script.argv(home),
    )
    Played(home).check()
    assert ran.code == 0
    assert (
        "permission: execute: ls; rm x: rejected by your rule: command rm * (rules.toml)\n"
        in ran.err
    )
    assert "permission: execute: ls: allow once (Allow once)\n" in ran.err
    events = [json.loads(line) for line in recording.read_text().splitlines()]
    (said, left) = [event for event in events if event.get("event") == "Ruled"]
    assert (said["answer"], said["by"]) == ("reject", "your rule: command rm * (rules.toml)")
    assert left["answer"] == "none"
    put = [event for event in events if event.get("event") == "RulesChanged"]
    assert [rule["answer"] for rule in put[0]["rules"]] == ["allow", "reject", "ask"]


def test_settings_hold_rules_too_and_json_tells_of_them(home: Path) -> None:
    (home / "config/acp-tui").mkdir(parents=True)
    (home / "config/acp-tui/settings.toml").write_text(RULES)
    script = asking(("rm x", "no"))
    ran = run_turn("--format", "json", argv=script.argv(home))
    assert ran.code == 0
    (ruling,) = ran.of("ruling")
    assert ruling["by"] == "your rule: command rm * (settings.toml)"
    assert ruling["about"] == "execute: rm x"


def test_what_a_rule_asks_about_needs_a_person(home: Path) -> None:
    script = asking(("git push", "no"))
    file = rules_in(home)
    ran = run_turn("--policy", str(file), "--permissions", "allow", argv=script.argv(home))
    assert ran.code == 5
    assert "(asked by your rule: command git push * (rules.toml))" in ran.err
    assert "nobody could be asked" in ran.err
    assert "--permissions" not in ran.err  # it was given, and doesn't decide this


def test_allowing_all_is_loud_and_rules_are_stronger(home: Path) -> None:
    script = asking(("make", "yes"), ("rm x", "no"))
    file = rules_in(home)
    ran = run_turn("--dangerously-allow-all", "--policy", str(file), argv=script.argv(home))
    Played(home).check()
    assert ran.code == 0
    assert "acp-tui: --dangerously-allow-all: everything is allowed" in ran.err
    assert (
        "permission: execute: make: allowed by your rule: everything (--dangerously-allow-all)"
        in ran.err
    )


def test_rules_of_the_project_count(home: Path) -> None:
    project = os.path.realpath(home)
    kept = ProjectRules(home / "state/acp-tui/rules")
    rule = Rule(RuleAnswer.ALLOW, commands=("make *",), scope=RuleScope.PROJECT, where=project)
    kept.add_rule(rule)
    kept.add_rule(rule._replace(commands=("ls",)))
    assert all(file.stat().st_mode & 0o77 == 0 for file in home.glob("state/acp-tui/rules/*"))
    ran = run_turn(
        "--cwd", str(home), argv=asking(("make x", "yes"), ("make x > y", "no")).argv(home)
    )
    assert ran.code == 5
    assert "by your rule: command make * (this project)" in ran.err
    assert "  2  allow command ls\n" in policy("list", "--cwd", home).out
    assert policy("forget", "--cwd", home, "3").code == 1
    assert policy("forget", "--cwd", home, "2").out == "forgotten: allow command ls\n"
    assert kept.load(project) == (rule,)
    assert f"{project}:\n  1  allow command make *\n" in policy("list", "--all").out
    assert policy("forget", "--cwd", home, "all").code == 0
    assert "no rules" in policy("list", cwd=home).out
    assert not list(home.glob("state/acp-tui/rules/*"))


@parametrize(
    3,
    ("text", "words"),
    [
        ("[[permissions]]\nanswer = ", "not valid TOML: Invalid value (at end of document)"),
        ("[[permissions]]\n\nanswer = 'yes'\nkind = 'read'", ":3: answer: must be allow, ask"),
        ("[[permissions]]\nkind='read'", ":1: answer: must be allow, ask or reject"),
        (
            "[[permissions]]\nanswer='ask'\nkind='read'\n[[permissions]]\nanswer='ask'\nkind='x'",
            ":6: kind: 'x' is not a kind of tool call",
        ),
        ("[[permissions]]\nanswer='ask'\n", ":1: needs a condition"),
        ("[[permissions]]\nanswer='ask'\ncommand='a|b'", ":3: command: 'a|b': give one command"),
        ("\n[[permision]]\nanswer='ask'", ":2: permision: rules belong in [[permissions]]"),
        ("permissions = 3", ":1: permissions: rules belong in [[permissions]]"),
        ("\npermissions = [{answer='no'}]", ":2: answer: must be"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_line(home: Path, text: str, words: str) -> None:
    file = rules_in(home, text)
    for ran in (
        policy("list", "--policy", file),
        run_turn("--policy", str(file), argv=["true"]),
    ):
        assert ran.code == 2
        assert str(file) in ran.err
        assert words in ran.err


def test_a_missing_file_and_broken_rules_are_told(home: Path) -> None:
    ran = policy("list", "--policy", home / "none.toml")
    assert (ran.code, "none.toml: can't be read: No such file" in ran.err) == (2, True)
    kept = ProjectRules(home / "state/acp-tui/rules")
    kept.add_rule(
        Rule(RuleAnswer.ASK, kinds=("read",), scope=RuleScope.PROJECT, where=os.path.realpath(home))
    )
    (file,) = home.glob("state/acp-tui/rules/*")
    for body in ("{", "[]", '{"project": "x", "rules": 3}', '{"project": "x", "rules": [{}]}'):
        file.write_text(body)
        ran = run_turn("--cwd", str(home), argv=["true"])
        assert ran.code == 2
        assert "not a file of rules" in ran.err


def test_a_recording_is_tried_again(home: Path) -> None:
    script = asking(("rm x", "yes"), ("ls > y", "yes"), ("git push", "yes"))
    recording = home / "log.jsonl"
    run_turn("--permissions", "allow", "--record", str(recording), argv=script.argv(home))
    file = rules_in(home)
    ran = policy("test", "--policy", file, recording)
    assert ran.code == 0
    assert ran.out.count("\n    was:    Allow once\n") == 3
    assert (
        "execute: Run — rm x\n    policy: reject (your rule: command rm * (rules.toml))" in ran.out
    )
    assert "execute: Run — ls > y\n" in ran.out
    assert ran.out.endswith("3 requests: 1 reject, 2 ask, 0 allow; 0 allowed that nobody allowed\n")


def test_a_rule_that_nearly_matches_is_named_with_what_it_lacks(home: Path) -> None:
    script = asking(("pytest -q a && ls b", "yes"), ("pytest a", "yes"))
    recording = home / "log.jsonl"
    run_turn("--permissions", "allow", "--record", str(recording), argv=script.argv(home))
    text = "[[permissions]]\nanswer = 'allow'\ncommand = ['pytest *', 'ls *']"
    ran = policy("test", "--policy", rules_in(home, text), recording)
    assert ran.out.count("doesn't match") == 1
    assert (
        "    pytest * (rules.toml) doesn't match: -q is an option that the rule doesn't spell out;"
        " pytest -q * does\n" in ran.out
    )


def test_a_kept_rule_whose_star_stands_for_too_much_allows_nothing_and_is_listed(
    home: Path,
) -> None:
    project = os.path.realpath(home)
    kept = ProjectRules(home / "state/acp-tui/rules")
    kept.add_rule(
        Rule(RuleAnswer.ALLOW, commands=("npm *",), scope=RuleScope.PROJECT, where=project)
    )
    ran = run_turn("--cwd", str(home), argv=asking(("npm test", "no")).argv(home))
    assert ran.code == 5
    assert ran.err.count("this project: 'npm *' allows nothing: a * can't stand for") == 1
    listed = policy("list", cwd=home).out
    assert "  1  allow command npm *\n       'npm *' allows nothing: a * can't stand" in listed


OLD_RULES = """\
[[permissions]]
answer = "allow"
command = ["git *", "ls"]

[[permissions]]
answer = "reject"
command = "python *"
"""


@pytest.mark.parametrize("in_settings", [True, False])
def test_an_old_rule_whose_star_stands_for_too_much_is_reported_and_the_others_count(
    home: Path, in_settings: bool
) -> None:
    file = rules_in(home, OLD_RULES)
    given = ["--policy", str(file)]
    if in_settings:
        file = file.rename(settings_folder(home) / "settings.toml")
        given = []
    script = asking(("ls", "yes"), ("python x.py", "no"), ("git log", "no"))
    ran = run_turn(*given, argv=script.argv(home))
    assert ran.code == 5
    why = (
        f"{file}:3: 'git *' allows nothing: a * can't stand for what git is to do: write it, as"
        " in `git status *`"
    )
    assert ran.err.count(why) == 1
    assert f"execute: ls: allowed by your rule: command git * or ls ({file.name})" in ran.err
    assert f"execute: python x.py: rejected by your rule: command python * ({file.name})" in ran.err
    assert "execute: git log: reject once (Reject)" in ran.err
    listed = policy("list", *given, cwd=home)
    assert listed.code == 0
    assert (
        f"     allow command git * or ls  ({file.name})\n"
        "       'git *' allows nothing: a * can't stand for what git is to do" in listed.out
    )
    assert "python *' allows nothing" not in ran.err + listed.out


def test_trying_old_rules_names_those_that_allow_nothing_and_what_to_write(home: Path) -> None:
    script = asking(("git log -n 3", "yes"), ("git diff", "yes"), ("ls", "yes"), ("cat a", "yes"))
    recording = home / "log.jsonl"
    run_turn("--permissions", "allow", "--record", str(recording), argv=script.argv(home))
    text = OLD_RULES + "[[permissions]]\nanswer = 'allow'\ncommand = 'node *'\n"
    file = rules_in(home, text)
    ran = policy("test", "--policy", file, recording)
    assert (ran.code, ran.err) == (0, "")
    assert "    git * (rules.toml) doesn't match: a * can't stand for what git is to do" in ran.out
    assert ran.out.count("doesn't match") == 2
    assert ran.out.endswith(
        f"{file}:3: 'git *' allows nothing: a * can't stand for what git is to do: write it, as in"
        " `git status *`\n"
        "    in this recording these would match: git log -n *, git diff *\n"
        f"{file}:10: 'node *' allows nothing: write what node runs, too, as in `node FILE *`\n"
        "4 requests: 0 reject, 3 ask, 1 allow; 0 allowed that nobody allowed\n"
    )


def test_a_policy_that_allows_what_nobody_allowed_is_pointed_out(home: Path) -> None:
    outside = home / "x"
    script = Script().handshake().prompt()
    script.request("fs/write_text_file", {"sessionId": "s1", "path": str(outside), "content": ""})
    script.expect_answer("write_text_file", error={"code": -32603})
    place = {"path": str(home / "work/src/a.py")}
    script.ask_permission({"kind": "edit", "title": "Change", "locations": [place]})
    script.expect_answer("ask", result=chosen("no")).end_turn()
    recording = home / "log.jsonl"
    (home / "work").mkdir()
    run_turn("--cwd", str(home / "work"), "--record", str(recording), argv=script.argv(home))
    text = f"[[permissions]]\nanswer = 'allow'\npath = '{home}/**'\n"
    text += "[[permissions]]\nanswer = 'ask'\npath = 'src/**'\n"
    ran = policy("test", "--policy", rules_in(home, text), recording)
    assert ran.code == 1
    assert (
        f"  write {outside}\n    policy: allow (your rule: path {home}/** (rules.toml))" in ran.out
    )
    by = "your rule: path src/** (rules.toml)"
    assert f"  edit: Change — src/a.py\n    policy: ask ({by})\n    was:    Reject\n" in ran.out
    assert "1 allowed that nobody allowed" in ran.out
    assert policy("test", home / "none.jsonl").code == 2
