"""Makes a rule of a question: what is decided from now on, and for how long."""

from collections.abc import Callable, Sequence
from pathlib import Path

from textual.app import ComposeResult
from textual.widgets import Static

from acp_tui.policy.rules import Answer, Rule, Scope
from acp_tui.session.state import Permission, Session
from acp_tui.text import clean, clean_line, judged
from acp_tui.ui import bindings
from acp_tui.ui.choice_rows import NONE, Choice
from acp_tui.ui.choices import Choices
from acp_tui.ui.guard import TypedAhead
from acp_tui.ui.question_box import QuestionBox
from acp_tui.ui.textual_fixes.screens import OverlayScreen

WHAT = "What is decided without asking from now on?"
WHERE = "For how long?"
KEY = "a"
"""What leads here."""


class RememberDialog(OverlayScreen[Rule | None]):
    """Two questions, each with its guard; gives the rule. `about` says what to judge them by."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.CONFIRM  # type: ignore[assignment]

    def __init__(
        self,
        rules: Sequence[Rule],
        about: str,
        session: Session,
        clock: Callable[[], float],
        begin_text: Callable[[str], None],
    ) -> None:
        """`begin_text` goes on in the prompt with what was no answer here."""
        super().__init__()
        self._begin_text = begin_text
        self._rules = rules
        self._about_rules = about
        self._session = session
        self._rule: Rule | None = None
        self._box = QuestionBox()
        self._about = Static(markup=False, id="about")
        self._choices = Choices(clock)

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._about
            yield self._choices

    def on_mount(self) -> None:
        self._box.offer([("escape", "cancel")])
        self._ask(WHAT, [_choice(rule) for rule in self._rules], self._about_rules, mark=NONE)
        self._choices.focus()

    def on_screen_resume(self) -> None:
        """What was above is gone."""
        self._choices.guard()

    def on_typed_ahead(self, event: TypedAhead) -> None:
        """A letter: so the key that led here was the first one of a text."""
        character = event.key.character or ""
        if self._rule is None and event.key.is_printable and not character.isdigit():
            event.stop()
            self.dismiss(None)
            self._begin_text(f"{KEY}{character}")

    def _ask(self, question: str, choices: Sequence[Choice], about: str, mark: int = 0) -> None:
        self._box.ask(question)
        self._about.update(clean(judged(about)))
        self._about.display = bool(about)
        self._choices.show(choices, mark=mark)

    def on_choices_chosen(self, event: Choices.Chosen) -> None:
        """First what, then where."""
        event.stop()
        if self._rule is None:
            self._rule = self._rules[event.index]
            project = clean_line(self._session.cwd)
            places = [
                Choice("This session", detail="until it or the agent's process ends"),
                Choice("This project", detail=f"every session in {project}, until you revoke it"),
            ]
            self._ask(WHERE, places, self._rule.words)
        elif event.index == 0:
            where = self._session.session_id
            self.dismiss(self._rule._replace(scope=Scope.SESSION, where=where))
        else:
            self.dismiss(self._rule._replace(scope=Scope.PROJECT, where=self._session.cwd))

    def action_close(self) -> None:
        """No rule."""
        self.dismiss(None)


def _choice(rule: Rule) -> Choice:
    allows = rule.answer is Answer.ALLOW
    return Choice(judged(rule.words), "✓" if allows else "✗", "$success" if allows else "$error")


def rules_of(permission: Permission, session: Session) -> list[Rule]:
    """The rules that may be made of a question: none where there is more to it than they could
    name. A rule that allows would change nothing where another asks, which counts first, or where
    what came is not of the kind that it is called.
    """
    from acp_tui.policy.suggestions import suggestions
    from acp_tui.session.request_facts import permission_facts

    asked = permission_facts(session, permission)
    if not asked.clear and (asked.paths or asked.commands is not None):
        return []
    paths = tuple(dict.fromkeys(_below(path, session.cwd) for path in asked.paths))
    rules = suggestions(asked.kind, asked.title, paths, asked.commands)
    only_reject = permission.rule or not asked.is_of_kind
    return [rule for rule in rules if not only_reject or rule.answer is Answer.REJECT]


def _below(path: str, folder: str) -> str:
    """A path as a rule names it: from the session's folder, where it is inside."""
    whole = Path(folder, Path(path).expanduser())
    try:
        return whole.relative_to(folder).as_posix()
    except ValueError:
        return whole.as_posix()
