"""Permission requests of version 2, with a title, a description and a subject."""

from acp_tui.protocol.events import Requested
from acp_tui.protocol.v2.requests import RequestPermissionRequest, ToolCallSubject
from acp_tui.state.changes import Change
from acp_tui.state.reducers import permissions
from acp_tui.state.reducers.v2 import tool_calls
from acp_tui.state.state import Permission, Session, State


def on_requested(state: State, session: Session, event: Requested) -> list[Change]:
    """Add a question; apply its tool call as an update.

    Later updates of the tool call don't change a command that was asked about.
    """
    params = event.params
    assert isinstance(params, RequestPermissionRequest)
    changes: list[Change] = []
    announced = permissions.announced_call(session, params.tool_call_id)
    if isinstance(params.subject, ToolCallSubject):
        changes = tool_calls.ask_about_tool_call(session, event.at, params.subject.tool_call)
    named = params.tool_call_id
    call = session.tool_call(named) if named is not None else None
    if params.is_command and call is not None and call.finished:
        call = None  # the id is reused: the command isn't of the finished call
    is_of_call = announced is not None and call is not None and announced.key == call.key
    told = call.frozen_copy() if call is not None and not params.is_command else None
    question = Permission(
        event.number,
        params.session_id,
        event.at,
        params.options,
        params.asked,
        title=params.title,
        description=params.description or "",
        names_call=call is not None,
        call=None if call is None else call.key,
        known=params.is_command or isinstance(params.subject, ToolCallSubject),
        told=told,
        announced=announced if told is not None and is_of_call else None,
        terminal=params.terminal_id or "",
    )
    return [*changes, *permissions.ask_question(state, question)]
