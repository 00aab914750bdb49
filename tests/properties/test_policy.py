"""What must hold for all rules and all requests."""

import shlex

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.policy.allow_patterns import allows_command
from acp_tui.policy.evaluation import ResolvedRequest, evaluate_rules
from acp_tui.policy.rules import Rule, RuleAnswer, RuleScope, read_rule
from acp_tui.policy.shell import pattern_of, read_shell_line
from acp_tui.policy.shell_words import Commands

STRICT = [RuleAnswer.REJECT, RuleAnswer.ASK, None, RuleAnswer.ALLOW]
"""From what allows least to what allows most; None is left to the person."""

kinds = st.sampled_from(["read", "edit", "execute"])
words = st.sampled_from(["git", "rm", "ls", "-rf", "status", "a b", "sudo", "*"])
commands = st.lists(words, min_size=1, max_size=4).map(tuple)
patterns = st.builds(
    lambda words, end: pattern_of(words) + end, commands, st.sampled_from(["", " *"])
)
paths = st.sampled_from(["/w/a", "/w/src/b", "/etc/c", "/w/.env", "/w"])
globs = st.sampled_from(["/w/**", "/**/.env", "/etc/*", "/w/src/b"])
titles = st.sampled_from(["git status", "Write a", ""])


def some(strategy: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(strategy, max_size=2).map(tuple)


rules = st.builds(
    Rule,
    st.sampled_from(RuleAnswer),
    some(kinds),
    some(st.sampled_from(["git *", "*"])),
    some(globs),
    some(patterns),
    st.just(RuleScope.FILE),
)
lists = st.lists(rules, max_size=5)
wanted = st.builds(
    ResolvedRequest,
    st.just("s"),
    st.just("/w"),
    kinds,
    titles,
    st.lists(st.tuples(paths, paths), max_size=2).map(tuple),
    st.none()
    | st.builds(
        Commands,
        st.lists(commands, max_size=3).map(tuple),
        clear=st.booleans(),
        hides=st.booleans(),
    ),
)


def answer(given_rules: list[Rule], request: ResolvedRequest) -> RuleAnswer | None:
    verdict = evaluate_rules(given_rules, request)
    return verdict.answer if verdict is not None else None


@given(lists, wanted, st.randoms())
def test_the_order_of_rules_never_matters(
    all_rules: list[Rule], request: ResolvedRequest, draw
) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(all_rules)
    draw.shuffle(shuffled)
    assert answer(shuffled, request) == answer(all_rules, request)


@given(lists, wanted)
def test_the_strongest_answer_counts(all_rules: list[Rule], request: ResolvedRequest) -> None:
    alone = {answer([rule], request) for rule in all_rules}
    said = answer(all_rules, request)
    if RuleAnswer.REJECT in alone:
        assert said is RuleAnswer.REJECT
    elif RuleAnswer.ASK in alone:
        assert said is RuleAnswer.ASK
    else:
        assert said is not RuleAnswer.REJECT


@given(lists, rules, wanted)
def test_one_more_rule_moves_only_its_own_way(
    all_rules: list[Rule], rule: Rule, request: ResolvedRequest
) -> None:
    before, after = (
        STRICT.index(answer(some_rules, request)) for some_rules in (all_rules, [*all_rules, rule])
    )
    if rule.answer is RuleAnswer.ALLOW:
        assert after >= before
    else:
        assert after <= before


@given(lists, wanted, commands)
def test_one_more_command_never_allows_more(
    all_rules: list[Rule], request: ResolvedRequest, command: tuple[str, ...]
) -> None:
    if request.commands is not None:
        more = request.commands._replace(parts=(*request.commands.parts, command))
        if answer(all_rules, request._replace(commands=more)) is RuleAnswer.ALLOW:
            assert not request.commands.parts or answer(all_rules, request) is RuleAnswer.ALLOW


@given(lists, wanted)
def test_what_cant_be_read_is_never_allowed_by_a_pattern(
    all_rules: list[Rule], request: ResolvedRequest
) -> None:
    unread = request._replace(commands=Commands((("git", "status"),), clear=False))
    by_pattern = [rule for rule in all_rules if rule.commands]
    assert answer(by_pattern, unread) is not RuleAnswer.ALLOW


@given(rules.filter(lambda rule: bool(rule.conditions)))
def test_a_rule_comes_back_from_json(rule: Rule) -> None:
    assert read_rule(rule.to_json()) == rule


shell_text = st.text(st.sampled_from("ab -;&|<>()$`'\"\\\n\t#*{}~=!/0129"), max_size=40)


@given(shell_text)
def test_any_line_is_read(line: str) -> None:
    commands = read_shell_line(line)
    assert all(part for part in commands.parts)
    assert commands.parts or not commands.clear


@given(st.lists(st.lists(st.text(max_size=6), min_size=1, max_size=4), min_size=1, max_size=4))
def test_what_is_quoted_stays_one_word(parts: list[list[str]]) -> None:
    line = " && ".join(map(shlex.join, parts))
    commands = read_shell_line(line)
    if commands.clear and not any(len(part) == 3 for part in parts):
        assert commands.parts == tuple(map(tuple, parts))


@given(commands, commands)
def test_a_pattern_made_for_a_command_means_no_other(
    one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    assert allows_command(pattern_of(one), other) == (one == other)
