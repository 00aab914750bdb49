"""Where a question is answered, when several screens show it, or by what, if by no person."""

from dataclasses import replace

from acp_tui.protocol.events import AnswerGiven
from acp_tui.session.changes import Change
from acp_tui.session.state import State


def apply(state: State, event: AnswerGiven) -> list[Change]:
    """Note where, or by what, a question is being answered; the answer itself follows."""
    permission = state.permission(event.request)
    if permission is not None:
        permission.screen, permission.by = event.screen, event.by
    for at, question in enumerate(state.elicitations):
        if question.number == event.request:
            state.elicitations[at] = replace(question, screen=event.screen)
    return []
