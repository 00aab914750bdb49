"""What a player does, for whoever has the pipes."""

from typing import NamedTuple


class Line(NamedTuple):
    """Say this line."""

    raw: bytes


class Remark(NamedTuple):
    """Write this line to stderr: the recorded agent did."""

    text: str


class Problem(NamedTuple):
    """Tell the person: the client said something else than was recorded."""

    words: str


class Leave(NamedTuple):
    """End the process as the recorded one ended."""

    code: int | None
    signal: str | None


Deed = Line | Remark | Problem | Leave
