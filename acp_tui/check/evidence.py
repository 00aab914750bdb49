"""The frames that a verdict rests on, as reports show them."""

from collections.abc import Sequence

from acp_tui.check.probe import Probe
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.text import clean_line

_WIDEST = 600
"""Characters of a frame in a report."""


def excerpts(probe: Probe, numbers: Sequence[int]) -> tuple[str, ...]:
    """Format frames of a connection, each on one line."""
    frames = {one.number: one for one in probe.records if isinstance(one, Frame)}
    return tuple(_excerpt(frames[number]) for number in numbers if number in frames)


def _excerpt(frame: Frame) -> str:
    arrow = "<-" if frame.direction is Direction.IN else "->"
    text = clean_line(frame.raw[: 4 * _WIDEST].decode("utf-8", "replace"))
    cut = f"{text[:_WIDEST]}..." if len(text) > _WIDEST else text
    return f"#{frame.number} {arrow} {cut}"
