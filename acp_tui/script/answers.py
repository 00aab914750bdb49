"""Answers the agent's requests as the script says; a request without an answer there is rejected."""

from collections.abc import Callable, Mapping

from acp_tui.library.questions import Content, Declined, Elicitation, PermissionRequest
from acp_tui.protocol.elicitation import Form, Value
from acp_tui.protocol.requests import PermissionOption
from acp_tui.script.model import ScriptAnswer, ScriptStep, is_like
from acp_tui.script.verdicts import ScriptFailure
from acp_tui.state.elicitations import initial_values, problems
from acp_tui.text import clean_line

_KINDS = ("allow_once", "allow_always", "reject_once", "reject_always")


class Desk:
    """Has the answers of one step at a time, and keeps what became of them.

    `problems` says what is wrong with the values of a form.
    """

    def __init__(
        self, problems: Callable[[Form, Mapping[str, Value]], dict[str, str]] = problems
    ) -> None:
        self._problems = problems
        self._left: list[tuple[ScriptAnswer, int | None]] = []
        self.failures: list[ScriptFailure] = []
        """Answers that could not be given."""
        self.unanswered: list[str] = []
        """What was rejected because no answer is for it."""
        self.told: list[str] = []
        """Each question, and what was answered."""
        self.words: list[str] = []
        """What was said with rejections: the next prompts."""

    def begin(self, step: ScriptStep | None) -> None:
        """Replace the answers by those of a step."""
        self._left = [(one, one.times) for one in step.answers] if step is not None else []
        self.failures, self.unanswered, self.told, self.words = [], [], [], []

    def unused(self) -> list[ScriptFailure]:
        """Return a failure for each answer to what was never asked, or not as often."""
        return [
            ScriptFailure(
                one.line,
                f"this was not asked{'' if left == one.times else ' as often'}: {one.asked}",
            )
            for one, left in self._left
            if left
        ]

    def permission(self, request: PermissionRequest) -> PermissionOption | None:
        """Choose an option; nothing is allowed without an answer for exactly that."""
        answer = self._find(request.subject, is_permission=True)
        if answer is None:
            self._unanswered(f"permission: {request.subject}")
            return request.reject
        option = _option(answer.choose, request)
        if option is None and answer.choose != "reject":
            offered = tuple(
                f"{number}) {one.kind}: {one.name}" for number, one in enumerate(request.options, 1)
            )
            words = (
                f"the question {request.subject!r} has no option {answer.choose!r}: it was rejected"
            )
            self.failures.append(
                ScriptFailure(answer.line, words, offered or ("it has no option at all",))
            )
            return request.reject
        if answer.words:
            self.words.append(answer.words)
        self.told.append(f"{request.subject}: {option.name if option is not None else 'canceled'}")
        return option

    def elicitation(self, question: Elicitation) -> Content | Declined:
        """Fill in a form, or return the script's other answer."""
        answer = self._find(question.message, is_permission=False)
        if answer is None:
            self._unanswered(f"question: {question.message}")
            return "cancel"
        content = initial_values(question.form) if question.form is not None else {}
        if answer.action in ("decline", "cancel"):
            self.told.append(f"{question.message}: {answer.action}")
            return "decline" if answer.action == "decline" else "cancel"
        if question.form is not None:
            content |= answer.fill or {}
            unknown = [name for name in content if name not in question.form.properties]
            wrong = dict.fromkeys(unknown, "is no field of it") | self._problems(
                question.form, content
            )
            if wrong:
                told = tuple(f"{name} {why}" for name, why in wrong.items())
                fields = f"its fields: {', '.join(question.form.properties) or 'none'}"
                words = f"the form {question.message!r} can't be sent so: it was canceled"
                self.failures.append(ScriptFailure(answer.line, words, (*told, fields)))
                return "cancel"
        elif answer.fill:
            words = f"{question.message!r} is a link, not a form: say `choose: accept` or `decline`"
            self.failures.append(
                ScriptFailure(answer.line, f"{words}; it was canceled", (str(question.url),))
            )
            return "cancel"
        self.told.append(f"{question.message}: accept")
        return content

    def _find(self, asked: str, *, is_permission: bool) -> ScriptAnswer | None:
        """Take the first answer that is for this question, and isn't used up."""
        for at, (answer, left) in enumerate(self._left):
            if left == 0 or answer.is_permission is not is_permission:
                continue
            if is_like(asked, answer.asked) or is_like(clean_line(asked), answer.asked):
                self._left[at] = (answer, None if left is None else left - 1)
                return answer
        return None

    def _unanswered(self, words: str) -> None:
        self.unanswered.append(words)
        self.told.append(f"{words}: rejected, because no answer of the script is for it")


def _option(choose: str | int, request: PermissionRequest) -> PermissionOption | None:
    if isinstance(choose, int):
        return request.options[choose - 1] if choose <= len(request.options) else None
    if choose == "reject":
        return request.reject
    if choose in _KINDS:
        return next((one for one in request.options if one.kind == choose), None)
    named = [one for one in request.options if one.name == choose]
    return named[0] if len(named) == 1 else None
