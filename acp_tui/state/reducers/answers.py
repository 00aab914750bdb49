"""Where a question is answered, what answered it if not a person, and what was in view."""

from dataclasses import replace

from acp_tui.protocol.events import AnswerGiven
from acp_tui.state.changes import Change
from acp_tui.state.state import State


def apply(state: State, event: AnswerGiven) -> list[Change]:
    """Record where, or by what, a question is being answered, and what was in view; the answer
    follows.
    """
    permission = state.permission(event.request)
    if permission is not None:
        permission.screen, permission.by = event.screen, event.by
        permission.in_view = event.in_view
    for at, question in enumerate(state.elicitations):
        if question.number == event.request:
            state.elicitations[at] = replace(question, screen=event.screen)
    return []
