"""What was found in the files that a question is about: what is new in it may have to be read."""

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.protocol.content import Diff
from acp_tui.session.edit_facts import remarks
from acp_tui.session.entries import key_of
from acp_tui.session.state import Permission, State
from acp_tui.session.subject import asked_about


class Found(NamedTuple):
    """What was found in the files that a question is about: words about them, and how much else."""

    words: tuple[object, ...]
    facts: int


def found_in(state: State, permission: Permission) -> Found:
    """What there is besides the question itself; it may come later, and change."""
    session = state.session(permission.session_id)
    call = asked_about(session, permission) if permission.tool_call else None
    known = session.call_of(permission.call)
    edits = known.edits if known is not None else None
    shown = [item for item in call.content if isinstance(item, Diff)] if call else []
    asked = (call.title, call.kind, call.raw_input, call.locations, call.content) if call else ()
    words = (*permission.changed, *remarks(known), *map(key_of, shown), *asked)
    return Found(words, edits.count if edits is not None else 0)
