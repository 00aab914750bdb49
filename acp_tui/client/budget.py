"""What turns may take, and what sessions may use."""

from typing import NamedTuple


class Budget(NamedTuple):
    """What a turn may take in `seconds`, without what the person takes to answer, and what a session
    may use: its `cost`, in the agent's own currency, and its `tokens`. None is no limit.
    """

    seconds: float | None = None
    cost: float | None = None
    tokens: int | None = None
