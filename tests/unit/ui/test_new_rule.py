"""Rules that are made of a question, in words."""

import pytest

from acp_tui.policy.rules import Rule, RuleAnswer
from acp_tui.ui.question.permission.new_rule import describe_new_rule


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Rule(RuleAnswer.ALLOW, ("other",), ("Pour the tea",)), "allow “Pour the tea”"),
        (Rule(RuleAnswer.REJECT, ("edit",), paths=("tea.py",)), "reject editing tea.py"),
        (
            Rule(RuleAnswer.ALLOW, ("read",), paths=("a/**", "b/**")),
            "allow reading any file below a or any file below b",
        ),
        (
            Rule(RuleAnswer.ALLOW, ("edit",), paths=("**",)),
            "allow editing any file in the session's folder",
        ),
        (
            Rule(RuleAnswer.ALLOW, ("think",), paths=("a",)),
            "allow calls of kind “think” for a",
        ),
        (
            Rule(RuleAnswer.ALLOW, ("execute",), commands=("git push",)),
            "allow running “git push”",
        ),
        (
            Rule(RuleAnswer.ALLOW, ("execute",), commands=("pytest -q *",)),
            "allow running “pytest -q” with any words but other options",
        ),
    ],
)
def test_a_rule_in_words(rule: Rule, words: str) -> None:
    assert describe_new_rule(rule) == words
