"""Two frames of one log, compared."""

from acp_tui.debug.compare.comparison import Comparison, DifferenceKind, StepDifference
from acp_tui.debug.compare.counterparts import Counterparts
from acp_tui.debug.compare.steps import NOISE, RecordingStep
from acp_tui.debug.compare.values import changes
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import Direction, Frame

LONGEST = 1024 * 1024
"""Bytes of a frame that is compared."""


def compare_frames(before: Frame, after: Frame) -> Comparison:
    """Compare what two frames say; their ids only match them with others."""
    one, other = _step(before), _step(after)
    found = changes(one.value, other.value, Counterparts())
    if not found:
        return Comparison(same=1)
    return Comparison([StepDifference(DifferenceKind.CHANGED, 0, one, other, found)])


def _step(frame: Frame) -> RecordingStep:
    value = jsonrpc.decode(frame.raw)
    by_agent = frame.direction is Direction.IN
    if not isinstance(value, dict):
        text = frame.raw.decode("utf-8", "replace")
        return RecordingStep(NOISE, "", by_agent, frame.number, frame.at, text)
    what = value.get("method")
    said = {key: one for key, one in value.items() if key not in ("jsonrpc", "id")}
    name = what if isinstance(what, str) else "answer"
    return RecordingStep(name, "", by_agent, frame.number, frame.at, said)
