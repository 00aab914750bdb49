"""Answers an agent's questions by a script, and records what became of the answers."""

from acp_tui.library.questions import Content, Declined, Elicitation, PermissionRequest
from acp_tui.protocol.requests import PermissionOption
from acp_tui.script.model import ScriptAnswer, ScriptStep, is_like
from acp_tui.script.parser import KINDS
from acp_tui.script.verdicts import ScriptFailure
from acp_tui.state.elicitations import default_values, find_problems
from acp_tui.text import clean_line


class ScriptedAnswers:
    """Answers an agent's questions as a step of the script says, and records the results."""

    def __init__(self) -> None:
        self._remaining: list[tuple[ScriptAnswer, int | None]] = []
        self.failures: list[ScriptFailure] = []
        """Answers that could not be given."""
        self.unanswered: list[str] = []
        """Questions that were rejected, as the step has no answer for them."""
        self.asked: list[str] = []
        """Each question with its answer."""
        self.words: list[str] = []
        """Texts of rejections, which are sent as the next prompts."""

    def begin(self, step: ScriptStep | None) -> None:
        """Use the answers of a step; None means no answers."""
        self._remaining = [(one, one.times) for one in step.answers] if step is not None else []
        self.failures, self.unanswered, self.asked, self.words = [], [], [], []

    def unused(self) -> list[ScriptFailure]:
        """Return a failure for each answer whose question was never asked, or not often enough."""
        return [
            ScriptFailure(
                one.line,
                f"this was not asked{'' if left == one.times else ' as often'}: {one.asked}",
            )
            for one, left in self._remaining
            if left
        ]

    def permission(self, request: PermissionRequest) -> PermissionOption | None:
        """Choose an option; a request without an answer in the script is rejected."""
        answer = self._pop_answer(request.subject, is_permission=True)
        if answer is None:
            self._note_unanswered(f"permission: {request.subject}")
            return request.reject
        option = _find_option(answer.choose, request)
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
        self.asked.append(f"{request.subject}: {option.name if option is not None else 'canceled'}")
        return option

    def elicitation(self, question: Elicitation) -> Content | Declined:
        """Answer an elicitation with a form's values, or with another action of the script's."""
        answer = self._pop_answer(question.message, is_permission=False)
        if answer is None:
            self._note_unanswered(f"question: {question.message}")
            return "cancel"
        content = default_values(question.form) if question.form is not None else {}
        if answer.action in ("decline", "cancel"):
            self.asked.append(f"{question.message}: {answer.action}")
            return "decline" if answer.action == "decline" else "cancel"
        if question.form is not None:
            content |= answer.fill or {}
            unknown = [name for name in content if name not in question.form.properties]
            wrong = dict.fromkeys(unknown, "is no field of it")
            wrong |= find_problems(question.form, content)
            if wrong:
                reasons = tuple(f"{name} {why}" for name, why in wrong.items())
                fields = f"its fields: {', '.join(question.form.properties) or 'none'}"
                words = f"the form {question.message!r} can't be sent so: it was canceled"
                self.failures.append(ScriptFailure(answer.line, words, (*reasons, fields)))
                return "cancel"
        elif answer.fill:
            words = f"{question.message!r} is a link, not a form: say `choose: accept` or `decline`"
            self.failures.append(
                ScriptFailure(answer.line, f"{words}; it was canceled", (str(question.url),))
            )
            return "cancel"
        self.asked.append(f"{question.message}: accept")
        return content

    def _pop_answer(self, asked: str, *, is_permission: bool) -> ScriptAnswer | None:
        """Return the first answer that fits this question, and count its use; None if there is
        none.
        """
        for at, (answer, left) in enumerate(self._remaining):
            if left == 0 or answer.is_permission is not is_permission:
                continue
            if is_like(asked, answer.asked) or is_like(clean_line(asked), answer.asked):
                self._remaining[at] = (answer, None if left is None else left - 1)
                return answer
        return None

    def _note_unanswered(self, words: str) -> None:
        self.unanswered.append(words)
        self.asked.append(f"{words}: rejected, because no answer of the script is for it")


def _find_option(choose: str | int, request: PermissionRequest) -> PermissionOption | None:
    if isinstance(choose, int):
        return request.options[choose - 1] if choose <= len(request.options) else None
    if choose == "reject":
        return request.reject
    if choose in KINDS:
        return next((one for one in request.options if one.kind == choose), None)
    named = [one for one in request.options if one.name == choose]
    return named[0] if len(named) == 1 else None
