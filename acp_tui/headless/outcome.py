"""How a turn without a UI ends, as an exit code."""

from enum import IntEnum

from acp_tui.state.entries import TurnEndEntry


class ExitCode(IntEnum):
    """What `acp-tui run` exits with."""

    END_TURN = 0
    ERROR = 1
    USAGE = 2
    TIMEOUT = 3
    REFUSED = 4
    NOBODY_TO_ASK = 5
    FINDINGS = 6
    INTERRUPTED = 130


REFUSALS = {
    "refusal": "the agent refused; the prompt was dropped from the conversation",
    "max_tokens": "the agent reached its limit of tokens",
    "max_turn_requests": "the agent reached its limit of model requests in one turn",
}


class Ended(Exception):  # noqa: N818 - it is no error
    """The run is over, with this code and for this reason."""

    def __init__(self, code: ExitCode, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.why = why


def outcome(end: TurnEndEntry) -> tuple[ExitCode, str]:
    """Return the exit code for the end of a turn, and why ("" if all is well)."""
    if end.over_limit is not None:
        return ExitCode.TIMEOUT, f"canceled: {end.over_limit}"
    if end.lost is not None:
        return ExitCode.ERROR, f"the turn was lost: {end.lost}"
    if end.error is not None and end.unsent:
        return ExitCode.ERROR, f"the turn was lost: {end.error.message}"
    if end.error is not None:
        return ExitCode.ERROR, f"the agent answered with an error: {end.error.words}"
    if end.canceled:
        return ExitCode.ERROR, "the turn was canceled"
    if end.stop_reason == "end_turn":
        silent = "the agent ended the turn without saying anything"
        return ExitCode.END_TURN, silent if end.silent else ""
    if end.stop_reason in REFUSALS:
        return ExitCode.REFUSED, REFUSALS[end.stop_reason]
    if end.stop_reason == "cancelled":
        return ExitCode.ERROR, "the agent canceled the turn"
    return ExitCode.ERROR, f"the turn ended for an unknown reason: {end.stop_reason}"
