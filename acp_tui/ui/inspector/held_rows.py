"""Held frames, breakpoints and faults as rows."""

from textual.content import Content

from acp_tui.debug.columns import ARROWS
from acp_tui.formatting import counted, running_duration
from acp_tui.protocol.frames import Direction
from acp_tui.state.interception import HeldFrame, HeldFrames, Switch
from acp_tui.text import clean_line
from acp_tui.ui.toolkit.shortened import crop_text

MOST_HELD_ROWS = 3
"""Held frames that stand in the inspector."""
_TO = {Direction.IN: "from the agent", Direction.OUT: "to the agent"}


def held_row(held: HeldFrame, now: float) -> Content:
    """Describe a held frame by its name, its direction and how long it has been held."""
    name = clean_line(held.name) or "not a message"
    what = f"answer to {name}" if held.is_answer else name
    due = "" if held.due is None else f", passed on in {running_duration(held.due - now)}"
    return Content.assemble(
        (f"● #{held.number} {ARROWS[held.direction]} ", "bold $warning"),
        (crop_text(what, 44), "$foreground"),
        (f"  {_TO[held.direction]}, for {running_duration(now - held.at)}{due}", "$text-muted"),
    )


def switch_row(text: str, switch: Switch, done: str) -> Content:
    """Return the row of a breakpoint or a fault: whether it is on, and how often it matched."""
    count = f"  {counted(switch.count, 'frame')} {done}" if switch.count else ""
    return Content.assemble(
        ("◉ " if switch.on else "○ ", "$success" if switch.on else "$text-muted"),
        (clean_line(text), "$foreground" if switch.on else "$text-muted"),
        (count, "$text-muted"),
    )


def queue_rows(holding: HeldFrames, now: float) -> Content:
    """List the oldest of what is held, for a place of a few rows; nothing if nothing is."""
    held = list(holding.frames.values())
    rows = [held_row(one, now) for one in held[:MOST_HELD_ROWS]]
    if rows:
        more = f"  and {len(held) - MOST_HELD_ROWS:,} more" if len(held) > MOST_HELD_ROWS else ""
        rows[-1] += Content.assemble((f"{more}  ", "$text-muted"), ("H", "bold $primary"))
        rows[-1] += Content.styled(" acts on them", "$text-muted")
    return Content("\n").join(rows)
