"""Limits of turns and sessions."""

from typing import NamedTuple


class Budget(NamedTuple):
    """Limits of a turn and a session; None is no limit.

    A turn may take `seconds`, not counting the user's time to answer. A session may use a `cost`,
    in the agent's currency, and `tokens`.
    """

    seconds: float | None = None
    cost: float | None = None
    tokens: int | None = None
