"""What a player does, for whoever has the pipes."""

from typing import NamedTuple


class SendLine(NamedTuple):
    """Say this line."""

    raw: bytes


class WriteStderr(NamedTuple):
    """Write this line to stderr: the recorded agent did."""

    text: str


class ReportProblem(NamedTuple):
    """Tell the person: the client said something else than was recorded."""

    words: str


class EndProcess(NamedTuple):
    """End the process as the recorded one ended."""

    code: int | None
    signal: str | None


Deed = SendLine | WriteStderr | ReportProblem | EndProcess
