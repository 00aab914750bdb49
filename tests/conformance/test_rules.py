"""Rules answer for a person, and leave to the person what they don't decide."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_tui.policy.rules import ALLOW_ALL, Rule, RuleAnswer, RuleScope
from acp_tui.protocol.events import Ruled
from acp_tui.state.commands import (
    AddRule,
    AnswerPermission,
    Cancel,
    ConsiderRules,
    ForgetRule,
    NewSession,
)
from acp_tui.state.entries import NoticeEntry, ToolCallEntry
from acp_tui.store.project_rules import ProjectRules
from tests.conformance.conftest import Play
from tests.fake_agent.script import Played, Script
from tests.hosting import Host, eventually

pytestmark = pytest.mark.anyio
Wire = Callable[[], Played]
CANCELLED = {"outcome": {"outcome": "cancelled"}}
EDITS = Rule(RuleAnswer.ALLOW, kinds=("edit",), paths=("**",), where="settings.toml")
NO_SECRETS = Rule(RuleAnswer.REJECT, paths=("/**/.env",), where="settings.toml")
LISTS = Rule(RuleAnswer.ALLOW, commands=("ls *",), where="settings.toml")


def selected(option_id: str) -> dict[str, object]:
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


def edit(path: Path | str, **more: Any) -> dict[str, Any]:
    return {
        "title": "Edit",
        "kind": "edit",
        "rawInput": {"path": str(path), "content": "x"},
        **more,
    }


def asking(*calls: tuple[dict[str, Any], dict[str, Any]]) -> Script:
    """Questions one after the other, and how each has to be answered."""
    script = Script().handshake().prompt()
    for number, (tool_call, answer) in enumerate(calls):
        call = {"toolCallId": f"t{number}", **tool_call}
        script.ask_permission(call, save=f"q{number}").expect_answer(f"q{number}", result=answer)
    return script.end_turn()


def rulings(host: Host) -> list[str]:
    return [
        line
        for one in host.entries
        if isinstance(one, ToolCallEntry)
        for line in one.consent.rulings
    ]


async def test_rules_answer_by_the_options_for_once(play: Play, work: Path) -> None:
    (work / "link").symlink_to("/etc")
    script = asking(
        (edit(work / "a.py"), selected("yes")),
        (edit("b.py"), selected("yes")),
        (edit(work / "link/../.env"), selected("no")),
        (edit(work / "sub/../.env"), selected("no")),
        ({"kind": "execute", "rawInput": {"command": "ls a && ls"}}, selected("yes")),
    )
    async with play(script, rules=(EDITS, NO_SECRETS, LISTS)) as host:
        await host.turn()
        assert rulings(host) == [
            "Allowed by your rule: edit ** (settings.toml)",
            "Allowed by your rule: edit ** (settings.toml)",
            "Rejected by your rule: path /**/.env (settings.toml)",
            "Rejected by your rule: path /**/.env (settings.toml)",
            "Allowed by your rule: command ls * (settings.toml)",
        ]
        assert [one.answer for one in host.events if isinstance(one, Ruled)] == [
            *("allow", "allow", "reject", "reject", "allow")
        ]


async def test_a_link_out_of_the_folder_and_dots_are_no_way_around(
    play: Play, work: Path, tmp_path: Path
) -> None:
    (work / "out").symlink_to(tmp_path)
    script = asking(
        (edit(work / "out/x"), selected("no")),
        (edit(f"{work}/../x"), selected("no")),
        (edit("~/x"), selected("no")),
        (edit(work / "a", rawInput={"path": "a", "target_file": "/etc/x"}), selected("no")),
        (edit("\0"), selected("no")),
    )
    async with play(script, rules=(EDITS,)) as host:
        await host.opened()
        host.prompt()
        for _ in range(5):
            (permission,) = await host.permission()
            host.do(AnswerPermission(permission.number, "no"))
        await host.turn_ended()
        assert not rulings(host)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
async def test_a_link_that_each_process_has_of_its_own_is_no_way_inside(
    play: Play, work: Path
) -> None:
    (work / "link").symlink_to("/proc/self/cwd")
    asked = [
        ({"kind": "execute", "rawInput": {"command": "ls a", "cwd": cwd}}, selected("no"))
        for cwd in ("/proc/self/cwd", "/proc/thread-self/root", str(work / "link"))
    ]
    asked += [(edit("/proc/self/cwd/a"), selected("no"))]
    secret = (edit(f"/proc/self/cwd{work}/../.env"), selected("no"))
    async with play(asking(*asked, secret), rules=(LISTS, EDITS, NO_SECRETS)) as host:
        await host.opened()
        host.prompt()
        for _ in asked:
            (permission,) = await host.permission()
            host.do(AnswerPermission(permission.number, "no"))
        await host.turn_ended()
        assert rulings(host) == ["Rejected by your rule: path /**/.env (settings.toml)"]


async def test_the_title_allows_nothing_that_the_input_contradicts(play: Play) -> None:
    lying = {"title": "ls", "kind": "execute", "rawInput": {"command": "rm x"}}
    rules = (LISTS, Rule(RuleAnswer.ALLOW, titles=("ls",)))
    async with play(asking((lying, selected("no"))), rules=rules) as host:
        await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        host.do(AnswerPermission(permission.number, "no"))
        await host.turn_ended()


async def test_where_nothing_allows_once_a_person_is_asked(play: Play) -> None:
    options = [
        {"optionId": "always", "name": "Always", "kind": "allow_always"},
        {"optionId": "never", "name": "Never", "kind": "reject_always"},
    ]
    script = Script().handshake().prompt()
    script.ask_permission({"kind": "edit"}, options, save="a")
    script.expect_answer("a", result=selected("never"))
    script.ask_permission({"kind": "read"}, options, save="b")
    script.expect_answer("b", result=selected("never"))
    script.ask_permission({"kind": "read"}, options[:1], save="c")
    script.expect_answer("c", result=CANCELLED)
    rules = (ALLOW_ALL, Rule(RuleAnswer.REJECT, kinds=("read",)))
    async with play(script.end_turn(), rules=rules) as host:
        await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        assert not permission.rule
        host.do(AnswerPermission(permission.number, "never"))
        await host.turn_ended()


async def test_a_new_rule_settles_what_waits_and_what_comes_until_it_is_forgotten(
    play: Play, tmp_path: Path
) -> None:
    script = Script().handshake().prompt()
    for name in "abc":
        script.ask_permission(
            {"toolCallId": name, "kind": "execute", "rawInput": {"command": "ls"}}, save=name
        )
    for name in "abc":
        script.expect_answer(name, result=selected("yes"))
    script.ask_permission(
        {"toolCallId": "d", "kind": "execute", "rawInput": {"command": "ls"}}, save="d"
    )
    script.expect_answer("d", result=selected("yes")).expect("session/cancel")
    script.ask_permission({"toolCallId": "e"}).expect_answer("ask", result=CANCELLED)
    script.end_turn("cancelled")
    kept = ProjectRules(tmp_path / "rules")
    async with play(script, project_rules=kept) as host:
        session = await host.opened()
        host.prompt()
        await host.permission(3)
        rule = Rule(RuleAnswer.ALLOW, commands=("ls",), scope=RuleScope.PROJECT, where=session.cwd)
        host.do(AddRule(rule))
        await host.until(lambda: len(rulings(host)) == 4)
        assert kept.load(session.cwd) == (rule,)
        host.do(ForgetRule(rule))
        await host.until(lambda: not host.state.rules)
        assert kept.load(session.cwd) == ()
        host.do(Cancel(session.session_id))
        await host.turn_ended()


async def test_a_rule_whose_star_stands_for_too_much_is_not_made_and_that_is_reported(
    play: Play, tmp_path: Path
) -> None:
    script = asking(({"kind": "execute", "rawInput": {"command": "git log"}}, selected("no")))
    kept = ProjectRules(tmp_path / "rules")
    async with play(script, project_rules=kept) as host:
        session = await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        rule = Rule(
            RuleAnswer.ALLOW, commands=("git *",), scope=RuleScope.PROJECT, where=session.cwd
        )
        host.do(AddRule(rule))
        await host.until(lambda: bool(host.state.notices))
        assert host.state.notices[-1].title == "The rule was not made"
        assert "as in `git status *`" in (host.state.notices[-1].description or "")
        assert (kept.load(session.cwd), list(host.state.rules)) == ((), [])
        host.do(AnswerPermission(permission.number, "no"))
        await host.turn_ended()


async def test_old_rules_of_the_project_of_a_new_session_that_allow_nothing_are_reported(
    play: Play, work: Path, tmp_path: Path
) -> None:
    kept = ProjectRules(tmp_path / "rules")
    other = work / "other"
    other.mkdir()
    kept.add_rule(
        Rule(RuleAnswer.ALLOW, commands=("npm *",), scope=RuleScope.PROJECT, where=str(other))
    )
    script = Script().handshake().expect("session/new", {"cwd": str(other)})
    script.reply("new", {"sessionId": "s2"})
    async with play(script, project_rules=kept) as host:
        await host.opened()
        host.do(NewSession(cwd=str(other)))
        await host.until(lambda: bool(host.state.notices))
        assert "'npm *' allows nothing" in host.state.notices[-1].title


async def test_a_rule_that_a_person_adds_is_about_the_folder_that_was_shown(
    play: Play, work: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (work / "cfg").mkdir()
    rule = Rule(RuleAnswer.ALLOW, kinds=("edit",), paths=("cfg/**",))
    questions = [(edit(work / "cfg/rc"), selected("no"))] * 2
    async with play(asking(*questions)) as host:
        session = await host.opened()
        host.prompt()
        await host.permission()
        host.do(ConsiderRules((rule,)))
        known = host.client._permissions.roots._known
        await eventually(lambda: any(one.endswith("/cfg") for one in known))
        (work / "cfg").rename(work / "away")
        (work / "cfg").symlink_to(outside)
        host.do(AddRule(rule._replace(scope=RuleScope.SESSION, where=session.session_id)))
        await host.until(lambda: bool(host.state.rules))
        for _ in questions:
            (permission,) = await host.permission()
            host.do(AnswerPermission(permission.number, "no"))
        await host.turn_ended()
        assert rulings(host) == []


async def test_rules_kept_for_the_project_of_a_session_count(
    play: Play, work: Path, tmp_path: Path
) -> None:
    kept = ProjectRules(tmp_path / "rules")
    kept.add_rule(Rule(RuleAnswer.ALLOW, kinds=("edit",), scope=RuleScope.PROJECT, where=str(work)))
    kept.add_rule(
        Rule(RuleAnswer.ALLOW, kinds=("read",), scope=RuleScope.PROJECT, where=str(tmp_path))
    )
    script = asking(({"kind": "edit"}, selected("yes")))
    async with play(script, project_rules=kept, rules=kept.load(str(work))) as host:
        await host.turn()
        assert [rule.kinds for rule in host.state.rules] == [("edit",)]


async def test_a_rule_asks_even_where_allow_all_does_not(play: Play) -> None:
    rules = (ALLOW_ALL, Rule(RuleAnswer.ASK, commands=("git push *",), where="mine.toml"))
    script = asking(
        ({"kind": "execute", "rawInput": {"command": "ls $(x)"}}, selected("no")),
        ({"kind": "execute", "rawInput": {"command": "a; git push"}}, selected("yes")),
        ({"kind": "execute", "rawInput": {"command": "ls > x"}}, selected("yes")),
        ({"kind": "edit"}, selected("yes")),
    )
    async with play(script, rules=rules) as host:
        await host.opened()
        host.prompt()
        for answer in ("no", "yes"):
            (permission,) = await host.permission()
            host.do(AnswerPermission(permission.number, answer))
        await host.turn_ended()
        assert rulings(host) == [
            "Asked: the command can't be read with certainty",
            "Asked by your rule: command git push * (mine.toml)",
            "Allowed by your rule: everything (--dangerously-allow-all)",
            "Allowed by your rule: everything (--dangerously-allow-all)",
        ]


async def test_files_follow_rules_inside_the_folder_and_outside(
    play: Play, work: Path, tmp_path: Path
) -> None:
    (work / ".env").write_text("secret")
    (work / "link").symlink_to(".env")
    (work / "a").write_text("a")
    (tmp_path / "free").write_text("free")
    script = Script().handshake().prompt()

    def reads(path: Path, **answer: Any) -> None:
        script.request("fs/read_text_file", {"sessionId": "s1", "path": str(path)}, save="r")
        script.expect_answer("r", **answer)

    reads(work / ".env", error={"code": -32603})
    reads(work / "link", error={"code": -32603})
    reads(work / "a", result={"content": "a"})
    reads(tmp_path / "free", result={"content": "free"})
    reads(work / "asked", error={"code": -32603})
    rules = (
        NO_SECRETS,
        Rule(RuleAnswer.ALLOW, paths=(str(tmp_path / "free"),), where="mine.toml"),
        Rule(RuleAnswer.ASK, paths=("asked",), where="mine.toml"),
    )
    async with play(script.end_turn(), rules=rules) as host:
        await host.opened()
        host.prompt()
        (permission,) = await host.permission()
        assert permission.rule == "your rule: path asked (mine.toml)"
        assert [option.kind for option in permission.options] == ["allow_once", "reject_once"]
        host.do(AnswerPermission(permission.number, "reject_once"))
        await host.turn_ended()
        told = [one.title for one in host.entries if isinstance(one, NoticeEntry)]
        assert told == [
            f"Rejected by a rule: read {work}/.env",
            f"Rejected by a rule: read {work}/.env",
            f"Allowed by a rule: read {tmp_path}/free",
        ]


async def test_terminals_follow_rules_that_reject_or_ask(play: Play, work: Path) -> None:
    script = Script().handshake().prompt()

    def runs(command: str, *args: str, **answer: Any) -> None:
        params = {"sessionId": "s1", "command": command, "args": list(args)}
        script.request("terminal/create", params, save="t").expect_answer("t", **answer)

    runs("touch a && rm a", error={"code": -32603})
    runs("touch", "asked", result={})
    runs("touch", "refused", error={"code": -32603})
    runs("touch", "free", result={})
    rules = (
        Rule(RuleAnswer.REJECT, commands=("rm *",)),
        Rule(RuleAnswer.ASK, commands=("touch asked", "touch refused")),
        Rule(RuleAnswer.ALLOW, commands=("touch free",)),
    )
    async with play(script.end_turn(), rules=rules) as host:
        await host.opened()
        host.prompt()
        for answer in ("allow_once", "reject_once"):
            (permission,) = await host.permission()
            assert permission.access is not None
            assert permission.access.operation == "run"
            host.do(AnswerPermission(permission.number, answer))
        await host.turn_ended()
        await host.until(lambda: (work / "asked").exists() and (work / "free").exists())
    assert not (work / "a").exists()
    assert not (work / "refused").exists()


async def test_a_cancel_answers_what_is_being_evaluated(play: Play) -> None:
    script = Script().handshake().prompt().expect("session/cancel")
    script.ask_permission().expect_answer("ask", result=CANCELLED).end_turn("cancelled")
    async with play(script, rules=(EDITS,)) as host:
        session = await host.opened()
        host.prompt()
        host.do(Cancel(session.session_id))
        await host.turn_ended()
        assert not session.evaluating
