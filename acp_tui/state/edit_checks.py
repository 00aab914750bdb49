"""Checks of the files of a question, before it is answered."""

from acp_tui.edits.edit_input import names_files
from acp_tui.protocol.content import Diff
from acp_tui.state.state import Permission, State
from acp_tui.state.subject import asked_about


def is_compared(state: State, permission: Permission) -> bool:
    """Return whether a tool call's edits were compared with the files on disk.

    True if it names no files, or if the agent's files are elsewhere.
    """
    if permission.tool_call is None or state.peer.elsewhere:
        return True
    call = asked_about(state.session(permission.session_id), permission)
    edits = any(isinstance(item, Diff) for item in call.content) or any(names_files(call.raw_input))
    return call.edits is not None or not edits
