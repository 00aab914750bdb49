"""Finds the beginning and end of each turn in a log."""

from bisect import bisect_right
from typing import Any

from acp_tui.debug.exchanges import Status
from acp_tui.debug.log import Log
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.json_parts import object_at
from acp_tui.protocol.jsonrpc import Notification


def find_prompt(log: Log, index: int) -> int | None:
    """Return the prompt of the turn that runs at a record, or of the last one before it.

    If the record's session has no prompt, as a subagent's, the turns of its parents count.
    """
    session = log[index].session
    prompt, parents = log.prompt_before(index, session), _parents(log)
    while prompt is None and session in parents:
        session = parents.pop(session)  # popped, as two may claim each other
        prompt = log.prompt_before(index, session)
    return prompt


def _parents(log: Log) -> dict[str, str]:
    """Map each subagent's session to the parent that announced it first."""
    parents: dict[str, str] = {}
    at = log.next_of_kind("subagent_update", 0)
    while at is not None:
        parents.setdefault(str(_update_of(log[at].record).get("sessionId")), log[at].session)
        at = log.next_of_kind("subagent_update", at + 1)
    return parents


def next_prompt(log: Log, prompt: int) -> int | None:
    """Return the next prompt in the session of a prompt."""
    session = log[prompt].session
    later = log.prompts[bisect_right(log.prompts, prompt) :]
    return next((one for one in later if log[one].session == session), None)


def find_turn_end(log: Log, prompt: int) -> int | None:
    """Return the record that ends the turn of a prompt; None if nothing has reported the end.

    In version 1 that is the response. In version 2 the response only accepts the prompt, and the
    update that the session is idle ends the turn.
    """
    row = log[prompt]
    response = row.partner
    is_accepted = response is not None and log[response].status is Status.OK
    if not is_accepted or log.spoken is None or log.spoken.version == 1:
        return response
    following = next_prompt(log, prompt)
    state = log.next_of_kind("state_update", prompt + 1)
    while state is not None and (following is None or state < following):
        is_idle = _update_of(log[state].record).get("state") == "idle"
        if log[state].session == row.session and is_idle:
            return max(state, response or 0)
        state = log.next_of_kind("state_update", state + 1)
    return None


def _update_of(record: Record) -> dict[str, Any]:
    message = jsonrpc.parse(record.raw) if isinstance(record, Frame) else None
    params = message.params if isinstance(message, Notification) else None
    return object_at(params, "update")
