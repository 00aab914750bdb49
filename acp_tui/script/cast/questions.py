"""Answers what the agent asks by keys, once each question has been seen."""

from collections.abc import Iterable, Mapping

from acp_tui.library.questions import Elicitation, permission_request
from acp_tui.protocol.elicitation import Form, Value
from acp_tui.script.answering import Desk
from acp_tui.script.cast.form_keys import declining, filling, is_as_meant, untypable
from acp_tui.script.cast.hands import ENTER, ESCAPE, READS, TAKES, TRIES, Hands
from acp_tui.session import forms
from acp_tui.session.state import Elicitation as Question
from acp_tui.session.state import Permission
from acp_tui.text import clean_line

_DIGITS = 9
"""Options that have a digit."""
_FORM, _LINK = ("Tab next field", "Tab answers"), "Copy it"
"""What can be read once a form has the keys, and where a link can be agreed to."""
_COPY, _DECLINE_LINK = "2", "3"
_KEY = 0.25
"""Seconds between two keys that go through a form."""


def all_problems(form: Form, content: Mapping[str, Value]) -> dict[str, str]:
    """Return what is wrong with the values of a form, also what no keys can fill in."""
    return untypable(form, content) | forms.problems(form, content)


class Questions:
    """Answers with what a desk says, each question once, the oldest first."""

    def __init__(self, hands: Hands, desk: Desk) -> None:
        self._hands = hands
        self._desk = desk
        self._answered: set[int] = set()

    def answer(self) -> int:
        """Answer what waits; return how many prompts were sent by that. Raises StoppedError."""
        sent = 0
        for asked in sorted(self._waiting(), key=lambda one: one.at):
            if asked.number in self._answered:
                continue
            self._answered.add(asked.number)
            if isinstance(asked, Permission):
                sent += self._permission(asked)
            else:
                self._elicitation(asked)
        return sent

    def _waiting(self) -> list[Permission | Question]:
        state = self._hands.following.state
        return [*state.waiting_permissions(), *state.elicitations]

    def _permission(self, permission: Permission) -> int:
        """Answer by a key, or write what rejects it; return how many prompts that is."""
        following = self._hands.following
        request = permission_request(following.state, permission, following.now)
        said = len(self._desk.words)
        option = self._desk.permission(request)
        words = self._desk.words[said:]
        keys = ESCAPE
        if option is not None:
            number = request.options.index(option) + 1
            if number > _DIGITS:
                self._hands.stop(f"{option.name!r} is number {number}: only {_DIGITS} have a key")
            keys = str(number)
            name = clean_line(option.name).split()[0] if option.name.split() else ""
            self._hands.sees(name)
        self._hands.settle()
        self._hands.pause(READS)
        if words:
            self._hands.type(words[0])
            keys = ENTER
        self._press(keys, permission.number, request.subject)
        return len(words)

    def _elicitation(self, question: Question) -> None:
        """Fill in a form, or agree to a link; or say what the script says instead."""
        asked = Elicitation(question.message, question.session_id, question.form, question.url)
        content = self._desk.elicitation(asked)
        form = question.form
        if content == "cancel":
            self._read()
            self._press(ESCAPE, question.number, question.message)
        elif form is None:
            if not self._hands.sees(_LINK):
                self._hands.stop("the UI doesn't show the link")
            self._read()
            keys = _DECLINE_LINK if content == "decline" else _COPY
            self._press(keys, question.number, question.message)
        elif content == "decline":
            self._go_through(declining(form), question)
        else:
            self._go_through(filling(form, content), question)
            given = self._hands.following.given.get(question.number)
            sent = given.content if given is not None else None
            if given is not None and not is_as_meant(form, content, sent or {}):
                self._hands.stop(f"the UI sent other values to {question.message!r}")

    def _go_through(self, keys: Iterable[str], question: Question) -> None:
        """Press keys in a form, the last of them until it is answered."""
        if not self._hands.sees(*_FORM):
            self._hands.stop("the UI doesn't show the form")
        self._read()
        *before, last = keys
        for one in before:
            if one.isprintable():
                self._hands.type(one)
            else:
                self._hands.press(one)
            self._hands.pause(_KEY)
        self._press(last, question.number, question.message)

    def _read(self) -> None:
        self._hands.settle()
        self._hands.pause(READS)

    def _press(self, keys: str, number: int, asked: str) -> None:
        """Press what answers until it has: the first may have come too early."""

        def is_answered() -> bool:
            return all(one.number != number for one in self._waiting())

        for _ in range(TRIES):
            self._hands.press(keys)
            if self._hands.until(is_answered, TAKES):
                return
        self._hands.stop(f"the UI took no answer to {asked!r}")
