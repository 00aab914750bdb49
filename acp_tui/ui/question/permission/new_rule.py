"""The choices that make a rule from a question: what it decides, and for how long."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from textual.content import Content

from acp_tui.policy.rules import YOUR_RULE, Rule, RuleAnswer, RuleScope
from acp_tui.state.open_questions import Permission
from acp_tui.state.session import Session
from acp_tui.text import clean_line, clean_text, judged_text
from acp_tui.ui.toolkit.choice_rows import AnswerChoice

HEAD = "From now on, without asking:"
COUNTS = "by a rule that counts before any that allows"
_DOING = {
    "read": "reading",
    "edit": "editing",
    "delete": "deleting",
    "move": "moving",
    "search": "searching",
    "fetch": "fetching",
}
"""What tool calls of a kind do with files."""


class NewRule:
    """The two steps of making a rule, each with a heading and choices: first the rule, then its
    scope.
    """

    def __init__(self, rules: Sequence[Rule], permission: Permission, session: Session) -> None:
        self._rules = rules
        self._asked_by = permission.rule
        self._session = session
        self.rule: Rule | None = None
        """The chosen rule; its scope is chosen next."""

    @property
    def heading(self) -> Content:
        """The text above the choices. The second step shows the whole rule before it is saved."""
        if self.rule is not None:
            what = Content.assemble((f"{HEAD} ", "bold"), clean_line(describe_new_rule(self.rule)))
            more = judged_text(self.rule.words)
        else:
            what = Content.styled(HEAD, "bold")
            asked_by = judged_text(self._asked_by.removeprefix(YOUR_RULE))
            more = f"Asked {COUNTS}: {asked_by}" if asked_by else ""
        return Content.assemble(what, (f"\n{clean_text(more)}" if more else "", "$text-muted"))

    @property
    def choices(self) -> list[AnswerChoice]:
        """The choices of the current step."""
        if self.rule is None:
            return [_choice(rule, describe_new_rule(rule)) for rule in self._rules]
        project = clean_line(self._session.cwd)
        places = (
            ("In this session", "until it or the agent's process ends"),
            ("In this project", f"every session in {project}, until you revoke it"),
        )
        return [_choice(self.rule, *place) for place in places]

    def allows(self, index: int) -> bool:
        """Return whether a choice of the first step would allow the request, which then has to have
        been in view.
        """
        return self.rule is None and self._rules[index].answer is RuleAnswer.ALLOW

    def choose(self, index: int) -> Rule | None:
        """Apply a choice; return the rule after the last step, else None."""
        if self.rule is None:
            self.rule = self._rules[index]
            return None
        if index == 0:
            return self.rule._replace(scope=RuleScope.SESSION, where=self._session.session_id)
        return self.rule._replace(scope=RuleScope.PROJECT, where=self._session.cwd)


def _choice(rule: Rule, label: str, detail: str = "") -> AnswerChoice:
    allows = rule.answer is RuleAnswer.ALLOW
    sign, style = ("✓", "$success") if allows else ("✗", "$error")
    return AnswerChoice(label, sign, style, detail)


def describe_new_rule(rule: Rule) -> str:
    """Describe what a rule made from a question decides."""
    if rule.commands:
        what = f"running {_join_with_or(map(_describe_command, rule.commands))}"
    elif rule.paths:
        (kind,) = rule.kinds
        doing = _DOING.get(kind, f"calls of kind “{kind}” for")
        what = f"{doing} {_join_with_or(map(_describe_place, rule.paths))}"
    else:
        what = _join_with_or(f"“{title}”" for title in rule.titles)
    return judged_text(f"{rule.answer} {what}")


def _describe_place(pattern: str) -> str:
    if pattern == "**":
        return "any file in the session's folder"
    return f"any file below {pattern[:-3]}" if pattern.endswith("/**") else pattern


def _describe_command(pattern: str) -> str:
    return (
        f"“{pattern[:-2]}” with any words but other options"
        if pattern.endswith(" *")
        else f"“{pattern}”"
    )


def _join_with_or(parts: Iterable[str]) -> str:
    return " or ".join(parts)


def rules_of(permission: Permission, session: Session) -> list[Rule]:
    """Return the rules that may be made from a question; none if it asks for more than a rule can
    name.

    Only rules that reject are offered if another rule asks, which takes precedence, or if the
    request isn't of the kind that it names.
    """
    from acp_tui.policy.evaluation import suggest_rules
    from acp_tui.state.request_facts import permission_facts

    asked = permission_facts(session, permission)
    if not asked.clear and (asked.paths or asked.commands is not None):
        return []
    paths = tuple(dict.fromkeys(_path_in_rule(path, session.cwd) for path in asked.paths))
    rules = suggest_rules(asked.kind, asked.title, paths, asked.commands, (session.cwd,))
    only_reject = permission.rule or not asked.is_of_kind
    return [rule for rule in rules if not only_reject or rule.answer is RuleAnswer.REJECT]


def _path_in_rule(path: str, folder: str) -> str:
    """Return a path as a rule names it: relative to the session's folder, if it is inside."""
    whole = Path(folder, Path(path).expanduser())
    try:
        return whole.relative_to(folder).as_posix()
    except ValueError:
        return whole.as_posix()
