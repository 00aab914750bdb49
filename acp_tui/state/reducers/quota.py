"""What agents report of the quota of a plan: its windows, and the tokens of each model."""

from typing import Any

from acp_tui.protocol.quota import MOST_WINDOWS, read_model_tokens, read_windows
from acp_tui.state.state import Session, State


def update_windows(state: State, meta: dict[str, Any]) -> None:
    """Apply the windows in the `_meta` of an update; a report without a usage keeps the one before it."""
    for window in read_windows(meta):
        known = state.quota.get(window.id)
        if known is not None or len(state.quota) < MOST_WINDOWS:
            state.quota[window.id] = window.completed_by(known)


def add_model_tokens(session: Session, meta: dict[str, Any]) -> None:
    """Add the tokens that each model used in a turn."""
    for model, tokens in read_model_tokens(meta).items():
        if model in session.model_tokens or len(session.model_tokens) < MOST_WINDOWS:
            session.model_tokens[model] = session.model_tokens.get(model, 0) + tokens
