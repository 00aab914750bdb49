from typing import Any

import pytest

from acp_tui.policy.evaluation import (
    UNREADABLE,
    ResolvedRequest,
    RuleVerdict,
    evaluate_rules,
    near_misses,
    suggest_rules,
)
from acp_tui.policy.rules import ALLOW_ALL, Rule, RuleAnswer, RuleScope, read_rule
from acp_tui.policy.shell import read_shell_line
from acp_tui.policy.shell_words import UNKNOWN, Commands

ALLOW, ASK, REJECT = RuleAnswer.ALLOW, RuleAnswer.ASK, RuleAnswer.REJECT


def wants(kind: str, *paths: str, line: str | None = None, title: str = "") -> ResolvedRequest:
    commands = read_shell_line(line) if line is not None else None
    return ResolvedRequest("s", "/w", kind, title, tuple((path, path) for path in paths), commands)


def said(wanted: ResolvedRequest, *rules: Rule) -> RuleAnswer | None:
    verdict = evaluate_rules(rules, wanted)
    return verdict.answer if verdict is not None else None


def allow(**conditions: Any) -> Rule:
    return Rule(ALLOW, **conditions)


def reject(**conditions: Any) -> Rule:
    return Rule(REJECT, **conditions)


def test_reject_before_ask_before_allow() -> None:
    three = [Rule(answer, kinds=("read",)) for answer in (ALLOW, ASK, REJECT)]
    assert [said(wants("read"), *three[: count + 1]) for count in range(3)] == [ALLOW, ASK, REJECT]
    assert said(wants("edit"), *three) is None


def test_the_verdict_names_its_rules() -> None:
    rules = [allow(commands=("ls *",), where="a.toml"), allow(commands=("pwd",), where="b.toml")]
    verdict = evaluate_rules(rules, wants("execute", line="ls a && pwd; ls"))
    assert verdict is not None
    assert verdict.words == "your rule: command ls * (a.toml); command pwd (b.toml)"


def test_each_part_of_a_line_has_to_be_allowed() -> None:
    git = allow(commands=("git status * -s *",))
    assert said(wants("execute", line="git status -s a"), git) is ALLOW
    assert said(wants("execute", line="git status /w/a"), git) is ALLOW
    assert said(wants("execute", line="git status /link/a"), git) is None
    named = wants("execute", line="git status /link/a")._replace(folder="/link")
    assert said(named, git) is ALLOW
    for line in (
        "git status && rm -rf /",
        "git status; rm x",
        "git status | sh",
        "git status\nrm x",
        "git status $(rm x)",
        "git status `rm x`",
        "git status > ~/.bashrc",
        "GIT_PAGER=x git status",
        "rm x; git status",
    ):
        assert said(wants("execute", line=line), git) is None


@pytest.mark.parametrize(
    "line", ["cd /w && pytest a", "cd '/link'; pytest a", "cd /w && cd /link && pytest"]
)
def test_a_line_may_begin_with_cd_to_the_folder_of_its_session(line: str) -> None:
    here = wants("execute", line=line)._replace(folder="/link")
    assert said(here, allow(commands=("pytest *",))) is ALLOW
    assert said(here, allow(commands=("ls *",))) is None
    assert said(here, allow(commands=("pytest *",)), reject(commands=("cd *",))) is REJECT
    (exact, wider, _) = suggest_rules("execute", "", (), here.commands, here.folders)
    assert not {"cd /w", "cd *"}.intersection(exact.commands + wider.commands)
    (missed, *_) = near_misses([allow(commands=("pytest -x *", "cd /w -x *"))], here)
    assert missed.words[0] == "pytest"


@pytest.mark.parametrize(
    "line",
    [
        *("cd /w/sub && pytest", "cd /w/ && pytest", "cd /w/. && pytest", "cd /w/../x && pytest"),
        *("cd / && pytest", "cd && pytest", "cd '' && pytest", "cd -P /w && pytest"),
        *("cd ~ && pytest", "cd [/]w && pytest", "cd $PWD && pytest", "CDPATH=x cd /w && pytest"),
        *("./cd /w && pytest", "pushd /w && pytest", "cd /w x && pytest", "cd w && pytest"),
        *("cd /w; (pytest)", "cd /w > a && pytest"),
    ],
)
@pytest.mark.parametrize("folder", ["", "/w", "w"])
def test_any_other_cd_needs_a_rule(line: str, folder: str) -> None:
    here = wants("execute", line=line)._replace(folder=folder)
    assert said(here, allow(commands=("pytest *",))) is None


def test_a_folder_whose_name_the_shell_would_expand_is_not_entered() -> None:
    here = wants("execute", line="cd /w[1] && pytest")._replace(folder="/w[1]")
    assert said(here, allow(commands=("pytest *",))) is None


def test_a_line_that_only_enters_the_folder_needs_a_rule() -> None:
    assert said(wants("execute", line="cd /w"), allow(commands=("ls *",))) is None
    assert said(wants("execute", line="cd /w")) is None
    assert said(wants("execute", line="cd /w"), allow(commands=("cd /w",))) is ALLOW
    assert said(wants("execute", line="cd [/]w"), allow(commands=("ls *",))) is None


def test_one_rejected_part_rejects_all() -> None:
    rules = (allow(kinds=("execute",)), reject(commands=("rm *",)))
    assert said(wants("execute", line="ls && sudo rm x"), *rules) is REJECT
    assert said(wants("execute", line="ls"), *rules) is ALLOW


def test_a_line_that_cant_be_read_is_asked_about_where_it_may_be_rejected() -> None:
    rules = (allow(kinds=("execute",)), reject(commands=("rm *",)))
    verdict = evaluate_rules(rules, wants("execute", line="$X y"))
    assert verdict == RuleVerdict(ASK, why=UNREADABLE)
    assert verdict.words == UNREADABLE
    assert said(wants("execute", line="$X y"), rules[0]) is ALLOW
    other = reject(kinds=("edit",), commands=("rm *",))
    assert said(wants("execute", line="$X y"), rules[0], other) is ALLOW


def test_a_command_nobody_named_is_never_allowed_by_a_pattern() -> None:
    unknown = ResolvedRequest("s", "/w", "execute", commands=UNKNOWN)
    assert evaluate_rules([allow(commands=("*",))], unknown) is None
    assert evaluate_rules([ALLOW_ALL], unknown) == RuleVerdict(ALLOW, (ALLOW_ALL,))


def test_every_path_has_to_be_allowed_and_none_rejected() -> None:
    src, env = allow(kinds=("edit",), paths=("/w/src/**",)), reject(paths=("/**/.env",))
    assert said(wants("edit", "/w/src/a", "/w/src/b"), src, env) is ALLOW
    assert said(wants("edit", "/w/src/a", "/w/b"), src, env) is None
    assert said(wants("edit", "/w/src/a", "/w/src/.ENV"), src, env) is REJECT
    assert said(wants("edit"), src, env) is None


def test_a_link_is_judged_by_where_it_leads_and_rejected_by_either_name() -> None:
    linked = ResolvedRequest("s", "/w", "edit", paths=(("/w/src/link", "/etc/passwd"),))
    assert evaluate_rules([allow(paths=("/w/**",))], linked) is None
    assert said(linked, reject(paths=("/etc/**",))) is REJECT
    assert said(linked, reject(paths=("/w/src/**",))) is REJECT


def test_a_name_is_rejected_in_whatever_case_and_composition() -> None:
    for name in ("/w/Caf\u00e9/a", "/w/Cafe\u0301/a", "/w/CAF\u00c9/a", "/w/CAFE\u0301/a"):
        for pattern in ("/w/caf\u00e9/**", "/w/cafe\u0301/**"):
            assert said(wants("read", name), reject(paths=(pattern,))) is REJECT
    assert said(wants("read", "/w/cafe/a"), reject(paths=("/w/caf\u00e9/**",))) is None
    assert said(wants("read", "/w/cafe\u0301/a"), allow(paths=("/w/caf\u00e9/**",))) is None


def test_a_command_elsewhere_needs_its_place_allowed_too() -> None:
    make, place = allow(commands=("make",)), allow(paths=("/other/**",))
    assert said(wants("execute", "/w/sub", line="make"), make) is ALLOW
    assert said(wants("execute", "/w2", line="make"), make) is None
    assert said(wants("execute", "/other", line="make"), make) is None
    assert said(wants("execute", "/other", line="make"), make, place) is ALLOW


def test_a_title_alone_allows_nothing_that_has_a_command_or_a_path() -> None:
    rule = allow(titles=("git *",))
    assert said(wants("other", title="git status"), rule) is ALLOW
    assert said(wants("execute", title="git status", line="rm x"), rule) is None
    assert said(wants("edit", "/w/a", title="git status"), rule) is None
    both = allow(titles=("git *",), commands=("git status",))
    assert said(wants("execute", title="git x", line="git status"), both) is ALLOW
    assert said(wants("execute", title="x", line="git status"), both) is None
    assert (
        said(wants("execute", title="git status", line="ls"), reject(titles=("git *",))) is REJECT
    )


@pytest.mark.parametrize(
    "rule",
    [
        allow(paths=("/w/**",), commands=("ls",)),
        allow(paths=("/w/**",)),
        allow(titles=("ls",)),
    ],
)
def test_conditions_that_a_part_does_not_have_are_not_met(rule: Rule) -> None:
    assert said(wants("execute", title="ls", line="ls"), rule) is None
    assert said(wants("edit", "/x", title="ls"), rule) is None


@pytest.mark.parametrize("rule", [allow(commands=("ls",)), allow(paths=("/w/**",))])
def test_what_names_nothing_is_allowed_by_kind_or_title_alone(rule: Rule) -> None:
    assert said(wants("think"), rule) is None
    assert said(wants("think"), allow(kinds=("think",))) is ALLOW


def test_what_came_must_be_of_the_kind_that_is_allowed() -> None:
    reads = allow(kinds=("read",))
    assert said(wants("read", "/w/a"), reads) is ALLOW
    assert said(wants("read", "/w/a", line="cat a"), reads) is None
    assert said(wants("read", "/w/a")._replace(writes=True), reads) is None
    assert said(wants("read", "/w/a")._replace(commands=UNKNOWN), reads) is None
    assert said(wants("read", "/w/a")._replace(clear=False), reads) is None
    looks = allow(kinds=("search", "execute", "edit"))
    assert said(wants("search")._replace(clear=False), looks) is None
    assert said(wants("search"), looks) is ALLOW
    assert said(wants("fetch")._replace(clear=False), allow(kinds=("fetch",))) is ALLOW
    by_path = allow(kinds=("read",), paths=("/w/**",))
    assert said(wants("read", "/w/a")._replace(writes=True), by_path) is None
    by_line = allow(kinds=("read",), commands=("cat *",))
    assert said(wants("read", line="cat a"), by_line) is ALLOW
    assert said(wants("execute", line="cat a"), allow(kinds=("execute",))) is ALLOW
    assert said(wants("edit", "/w/a")._replace(writes=True), allow(kinds=("edit",))) is ALLOW
    assert said(wants("edit", "/w/a")._replace(writes=True), allow(paths=("/w/**",))) is ALLOW


def test_a_command_that_brings_a_change_to_a_file_is_allowed_by_no_rule() -> None:
    both = wants("execute", "/w/a", line="ls")._replace(writes=True)
    rules = [allow(commands=("ls",)), allow(paths=("/w/**",)), allow(kinds=("execute", "edit"))]
    assert said(both, *rules) is None
    assert said(both, ALLOW_ALL) is ALLOW


def test_rules_of_other_sessions_and_projects_say_nothing() -> None:
    for scope, here in ((RuleScope.SESSION, "s"), (RuleScope.PROJECT, "/w")):
        rule = allow(kinds=("read",), scope=scope)
        assert said(wants("read"), rule._replace(where=here)) is ALLOW
        assert said(wants("read"), rule._replace(where="other")) is None


def test_allow_all_is_the_weakest() -> None:
    assert said(wants("execute", "/x", line="ls > x"), ALLOW_ALL) is ALLOW
    assert said(wants("execute", line="ls"), ALLOW_ALL, reject(commands=("ls",))) is REJECT
    assert said(wants("edit", "/x"), ALLOW_ALL, Rule(ASK, kinds=("edit",))) is ASK


def test_patterns_are_anchored_and_the_rule_is_named_as_written() -> None:
    rule = allow(paths=("src/**",))

    def anchor(one: Rule) -> Rule:
        return one._replace(paths=tuple(f"/w/{path}" for path in one.paths))

    assert evaluate_rules([rule], wants("edit", "/w/src/a"), anchor) == RuleVerdict(ALLOW, (rule,))


def test_where_there_is_more_than_is_understood_no_command_and_no_path_allows() -> None:
    run = wants("execute", line="git status")._replace(clear=False)
    edit = wants("edit", "/w/src/a.py")._replace(clear=False)
    by_command, by_path = allow(commands=("git status *",)), allow(paths=("/w/src/**",))
    assert [said(run, by_command), said(edit, by_path)] == [None, None]
    assert [said(run, allow(kinds=("execute",))), said(edit, ALLOW_ALL)] == [ALLOW, ALLOW]
    assert said(run, reject(commands=("git *",))) is RuleAnswer.REJECT


def test_the_patterns_that_nearly_allow_are_found_with_what_they_lack() -> None:
    tests, lists = allow(commands=("pytest *", "pytest -x *")), allow(commands=("ls *",))
    rules = [tests, lists, reject(commands=("pytest * -q",)), allow(kinds=("read",))]
    found = list(near_misses(rules, wants("execute", line="pytest -q a && ls")))
    assert [(one.pattern, one.rule, one.words) for one in found] == [
        (pattern, tests, ("pytest", "-q", "a")) for pattern in ("pytest *", "pytest -x *")
    ]
    assert "-q is an option" in found[0].why
    assert not list(near_misses(rules, wants("execute", line="pytest a")))
    assert not list(near_misses(rules, wants("read", "/w/a")))
    elsewhere = tests._replace(scope=RuleScope.SESSION, where="other")
    assert not list(near_misses([elsewhere], wants("execute", line="pytest -q")))


def words(rules: list[Rule]) -> list[str]:
    assert all(read_rule(rule.to_json()) == rule for rule in rules)
    return [rule.words for rule in rules]


def of_line(line: str) -> list[str]:
    return words(suggest_rules("execute", "x", (), read_shell_line(line)))


def of_paths(*paths: str) -> list[str]:
    return words(suggest_rules("edit", "x", paths, None))


def test_commands_from_this_one_to_all_that_begin_so() -> None:
    assert of_line("git status -s 'a b' && ls '*.py'") == [
        "allow kind execute, command git status -s 'a b' or ls '[*].py'",
        "allow kind execute, command git status -s * or ls *",
        "reject kind execute, command git status -s 'a b' or ls '[*].py'",
    ]


def test_no_rule_is_about_exactly_what_the_shell_has_yet_to_expand() -> None:
    assert of_line("git status && ls ./*.py") == [
        "reject kind execute, command git status or ls './[*].py'",
    ]
    assert of_line("ls *.py") == ["reject kind execute, command ls '[*].py'"]


def test_a_place_in_the_folder_may_be_named_by_its_whole_path() -> None:
    (_, wider, _) = suggest_rules("execute", "x", (), read_shell_line("cat /w/a"), ("/w",))
    assert wider.commands == ("cat *",)
    assert len(of_line("cat /w/a")) == 2


@pytest.mark.parametrize("line", ["sudo ls", "bash x.sh", "A=b ls", "python3.11 x.py"])
def test_of_a_program_that_runs_others_only_this_very_command(line: str) -> None:
    assert len(of_line(line)) == 2


@pytest.mark.parametrize("line", ["ls > x", "echo $X", ";".join("ab" * 9)])
def test_what_cant_be_read_makes_no_rule(line: str) -> None:
    assert of_line(line) == []
    assert suggest_rules("execute", "x", (), Commands((), clear=False)) == []


def test_paths_from_this_one_to_the_whole_folder() -> None:
    assert of_paths("src/a[1].py", "src/b.py") == [
        "allow kind edit, path src/a[[]1].py or src/b.py",
        "allow kind edit, path src/**",
        "allow kind edit, path **",
        "reject kind edit, path src/a[[]1].py or src/b.py",
    ]
    assert of_paths("a.py")[1] == "allow kind edit, path **"
    assert of_paths("/etc/hosts")[1] == "allow kind edit, path /etc/**"
    assert len(of_paths("/etc/hosts")) == 3
    assert of_paths(*map(str, range(9))) == []


def test_where_there_is_nothing_else_the_title_counts() -> None:
    assert words(suggest_rules("fetch", "Fetch *", (), None)) == [
        "allow kind fetch, title Fetch [*]",
        "reject kind fetch, title Fetch [*]",
    ]
    assert suggest_rules("other", "", (), None) == []
