from typing import Any

import pytest

from acp_tui.policy.rules import (
    ALLOW_ALL,
    Rule,
    RuleAnswer,
    RuleError,
    RuleScope,
    inactive_patterns,
    read_rule,
    refuse_inactive,
    written_rule,
)


def test_a_rule_as_a_person_writes_it() -> None:
    body = {"answer": "allow", "kind": ["read", "search"], "path": "src/**"}
    rule = written_rule(body, RuleScope.FILE, "settings.toml")
    assert rule == Rule(
        RuleAnswer.ALLOW, ("read", "search"), paths=("src/**",), where="settings.toml"
    )
    assert rule.words == "allow kind read or search, path src/**"
    assert rule.origin == "settings.toml"


@pytest.mark.parametrize("scope", [RuleScope.FILE, RuleScope.PROJECT, RuleScope.SESSION])
def test_a_rule_comes_back_from_json(scope: RuleScope) -> None:
    rule = Rule(RuleAnswer.ASK, ("edit",), ("Write *",), ("*.md",), ("git push *",), scope, "here")
    assert read_rule(rule.to_json()) == rule
    assert rule.origin == {"file": "here"}.get(scope, f"this {scope}")


def test_allow_all_comes_back_from_json() -> None:
    assert read_rule(ALLOW_ALL.to_json()) is ALLOW_ALL
    assert ALLOW_ALL.words == "allow all"
    assert ALLOW_ALL.origin == "--dangerously-allow-all"


@pytest.mark.parametrize(
    ("body", "key", "words"),
    [
        ({"answer": "allow"}, None, "needs a condition"),
        ({"kind": "read"}, "answer", "must be allow, ask or reject"),
        ({"answer": "yes", "kind": "read"}, "answer", "must be allow, ask or reject"),
        ({"answer": [], "kind": "read"}, "answer", "must be allow, ask or reject"),
        ({"answer": "ask", "kind": "reed"}, "kind", "'reed' is not a kind of tool call"),
        ({"answer": "ask", "kinds": "read"}, "kinds", "there is no such key"),
        ({"answer": "ask", "title": 3}, "title", "must be a string"),
        ({"answer": "ask", "title": [3]}, "title", "must be a string"),
        ({"answer": "ask", "title": ""}, "title", "must be a string"),
        ({"answer": "ask", "title": []}, "title", "is empty"),
        ({"answer": "ask", "title": "[z-a]"}, "title", "bad character range"),
        ({"answer": "ask", "path": "../x"}, "path", "not allowed"),
        ({"answer": "ask", "command": "a && b"}, "command", "one command"),
        ({"answer": "ask", "kind": "read", "scope": "moon"}, "scope", "moon"),
    ],
)
def test_what_is_wrong_with_a_rule_is_told(
    body: dict[str, Any], key: str | None, words: str
) -> None:
    with pytest.raises(RuleError) as caught:
        read_rule(body)
    assert caught.value.key == key
    assert words in str(caught.value)


def test_a_star_that_stands_for_too_much_is_refused_only_where_it_would_allow() -> None:
    allows = Rule(RuleAnswer.ALLOW, commands=("ls *", "git *"))
    with pytest.raises(RuleError) as caught:
        refuse_inactive(allows)
    assert caught.value.key == "command"
    assert "'git *'" in str(caught.value)
    for answer in (RuleAnswer.ASK, RuleAnswer.REJECT):
        refuse_inactive(allows._replace(answer=answer))
    refuse_inactive(Rule(RuleAnswer.ALLOW, commands=("ls *", "git")))
    refuse_inactive(Rule(RuleAnswer.ALLOW, kinds=("read",)))
    assert read_rule(allows.to_json()) == allows


def test_patterns_that_allow_nothing_are_found_with_their_origin_and_what_to_write() -> None:
    here = Rule(RuleAnswer.ALLOW, commands=("ls *", "git *", "*"), where="a.toml")
    there = Rule(RuleAnswer.ALLOW, commands=("npm *",), scope=RuleScope.PROJECT, where="/p")
    found = list(inactive_patterns([here, here._replace(answer=RuleAnswer.ASK), there]))
    assert [(one.where, one.pattern) for one in found] == [
        ("a.toml", "git *"),
        ("a.toml", "*"),
        ("this project", "npm *"),
    ]
    assert found[0].words == (
        "a.toml: 'git *' allows nothing: a * can't stand for what git is to do: write it, as in"
        " `git status *`"
    )


def test_a_rule_says_what_it_is_about() -> None:
    about = [
        Rule(RuleAnswer.ALLOW, scope=RuleScope.ALL),
        Rule(RuleAnswer.ALLOW, ("edit",), paths=("*.md", "docs/**")),
        Rule(RuleAnswer.ASK, commands=("git push *",)),
    ]
    assert [one.subject for one in about] == [
        "everything",
        "edit *.md or docs/**",
        "command git push *",
    ]
