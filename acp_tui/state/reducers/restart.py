"""Sessions after a restart of the agent: restored or replaced, with hidden replays and notices."""

from copy import copy
from itertools import takewhile

from acp_tui.protocol.content import TextContent
from acp_tui.protocol.updates import AgentThoughtChunk, Chunk, ToolCall, Update, UserMessageChunk
from acp_tui.state.changes import Change
from acp_tui.state.entries import (
    Entry,
    MessageEntry,
    NoticeEntry,
    Role,
    ToolCallEntry,
    TurnEndEntry,
    is_prompt,
)
from acp_tui.state.peer import Peer
from acp_tui.state.reducers import transcript
from acp_tui.state.session import Session
from acp_tui.state.state import State

NOTHING_SHOWN = "The agent showed nothing of this session"
RESUMED_BARE = "The agent has resumed this session without its history"


def begin_hidden_replay(session: Session, number: int) -> None:
    """Hide what the agent replays while it opens a session that is already on screen.

    The transcript is kept: it may have more than the agent remembers. An agent that resumes must
    not replay anything, but some do.
    """
    session.opening.loading = number
    session.opening.replay = Session(session.session_id, session.cwd)


def restore_session(session: Session, at: float, peer: Peer) -> list[Change]:
    """Restore a lost session that the agent has resumed or loaded.

    The hidden replay lasts until the next prompt, as some agents still replay after their response.
    """
    loaded = session.opening.method == "session/load"
    if session.opening.replay is not None:
        session.opening.replay.opened = loaded
        if session.reported.is_at_work or (not loaded and not session.opening.replay.entries):
            session.opening.replay = None  # later updates are new
    if not session.lost:
        return []
    if session.reported.is_at_work:
        _resume_calls(session)
    words = f"It has {'loaded' if loaded else 'resumed'} this session."
    if session.unanswered is not None:
        words += " The prompt whose answer was lost is sent again, with its key: it counts once."
    elif _was_cut(session.entries):
        words += " The turn that was lost is not sent again."
    title = "Connected again" if peer.url else "The agent was restarted"
    words = _why(peer) + words
    notice = NoticeEntry(at, "info", title, words, ours=True, ended=at)
    return transcript.add_entry(session, notice)


def _resume_calls(session: Session) -> None:
    """Let updates continue the tool calls of the lost turn, since the agent continues the turn."""
    newest_first = reversed(list(enumerate(session.entries)))
    for index, entry in takewhile(lambda one: not is_prompt(one[1]), newest_first):
        if isinstance(entry, ToolCallEntry) and entry.status == "cancelled":
            session.indexes.tool_calls.setdefault(entry.tool_call_id, index)


def begin_late_replay(session: Session, update: Update) -> None:
    """Hide a replay that begins after the response to a resume: the session already shows it.

    In version 2 the lost turn may continue instead: then its messages aren't hidden.
    """
    may_repeat = session.opening.method == "session/resume" and session.turn is None
    if may_repeat and not session.reported.is_at_work and _repeats(session, update):
        session.opening.replay = Session(session.session_id, session.cwd)


def _repeats(session: Session, update: Update) -> bool:
    """Return whether an update repeats a message or a tool call of the session.

    A prompt may be replayed in pieces, or after a context that the agent adds before it.
    """
    if isinstance(update, ToolCall):
        calls = (one for one in session.entries if isinstance(one, ToolCallEntry))
        wanted = (update.tool_call_id, update.title)
        return any((one.tool_call_id, one.title) == wanted for one in calls)
    if not isinstance(update, Chunk):
        return False
    text = update.content.text.strip() if isinstance(update.content, TextContent) else ""
    from_user = isinstance(update, UserMessageChunk)
    thinks = isinstance(update, AgentThoughtChunk)
    role = Role.USER if from_user else Role.THOUGHT if thinks else Role.AGENT
    said = [one for one in session.entries if isinstance(one, MessageEntry) and one.role is role]
    if update.message_id is not None and any(one.message_id == update.message_id for one in said):
        return True
    if not from_user:
        # A replay begins with the first message; a later one may just be said again.
        said = said[:1]
    for shown in filter(None, (one.text.strip() for one in said)):
        is_part = from_user and (shown.startswith(text) or text.endswith(f"\n{shown}"))
        if text and (shown == text or is_part):
            return True
    return False


def finish_replay(session: Session, at: float) -> list[Change]:
    """End the hidden replay at the next prompt; report if the agent didn't replay everything."""
    replay, session.opening.replay = session.opening.replay, None
    is_empty, is_bare = session.is_replay_empty, session.is_without_history
    session.opening.method = ""
    if is_empty or is_bare:
        level, title = ("warning", NOTHING_SHOWN) if is_empty else ("info", RESUMED_BARE)
        notice = NoticeEntry(at, level, title, ours=True, ended=at)
        return transcript.add_entry(session, notice)
    if replay is None or not replay.opened:
        return []
    ours, theirs = _prompts(session.entries), _prompts(replay.entries)
    if theirs >= ours:
        return []
    words = f"It replayed {theirs} of {ours} prompts."
    title = "The agent may have forgotten some of what is above"
    return transcript.add_entry(
        session, NoticeEntry(at, "warning", title, words, ours=True, ended=at)
    )


def _why(peer: Peer) -> str:
    """Return the reason for the agent's restart as a sentence, or ""."""
    return f"Its source changed: {peer.restart.reason}. " if peer.restart.reason else ""


def _prompts(entries: list[Entry]) -> int:
    return sum(map(is_prompt, entries))


def _was_cut(entries: list[Entry]) -> bool:
    """Return whether the last turn was lost with the agent."""
    ends = (one for one in reversed(entries) if isinstance(one, TurnEndEntry))
    last = next(ends, None)
    return last is not None and last.lost is not None


def adopt_transcript(state: State, session: Session, at: float) -> list[Change]:
    """Move the oldest lost transcript of the session's folder into a new session.

    The agent has forgotten the old session. If it numbers its sessions, it may reuse the old id:
    then the transcript stays in place.
    """
    loading = {getattr(call.params, "session_id", None) for call in state.calls.values()}
    lost = [
        one
        for one in state.sessions.values()
        if one.lost and one.session_id not in loading and one.cwd == session.cwd
    ]
    if not lost:
        return []
    old = session if session in lost else lost[0]
    old.unanswered = None  # its prompt is for the old session, which the agent no longer has
    # A dying agent may send tool calls after its output was closed; they would stay open here.
    changes = transcript.cancel_tool_calls(old, at)
    if old.entries:
        words = f"{_why(state.peer)}The agent remembers nothing of what is above."
        title = "A new session begins here"
        changes += transcript.add_entry(
            old, NoticeEntry(at, "info", title, words, ours=True, ended=at)
        )
    if old is session:
        return changes
    session = copy(session)  # a new object, so that the UI redraws everything
    session.prepend_entries(old.entries)
    session.writes = [*old.writes, *session.writes]
    session.opening.continues = old.session_id
    _replace_session(state, old, session)
    return []


def _replace_session(state: State, old: Session, new: Session) -> None:
    """Replace the old session with the new one, in the same position."""
    order = [one for one in state.sessions.values() if one.session_id != new.session_id]
    state.sessions = {
        one.session_id: one for one in (new if found is old else found for found in order)
    }
