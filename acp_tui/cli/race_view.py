"""Shows a running race: a panel for each agent or, without a terminal, a line for each new status."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TextIO

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from acp_tui.cli.race_report import DOUBTFUL, make_console
from acp_tui.config.themes import ThemeFile
from acp_tui.formatting import counted, duration, running_duration, short_count
from acp_tui.race.racer import Racer
from acp_tui.race.races import Race
from acp_tui.text import clean_line

LEAST_COLUMNS = 36
"""Width of the narrowest panel, in columns."""
LEAST_ROWS = 6
"""Height of the lowest panel, in rows: its frame, the agent's status, its numbers, and its last
messages.
"""
DRAWS_PER_SECOND = 5
"""Redraws per second."""
CANCEL = "Ctrl+C cancels all turns; pressed again, it ends them at once"


class LiveView:
    """Draws a race on the whole terminal; in a file or a pipe, prints a line for each new status."""

    def __init__(
        self, to: TextIO, race: Race, clock: Callable[[], float], theme: ThemeFile | None = None
    ) -> None:
        """Create the view in the colors of `theme`, or in the terminal's own."""
        self._to = to
        self._styles = _Styles.of(theme)
        self._console = make_console(to)
        self._race = race
        self._clock = clock
        self._began = clock()
        self._printed: dict[str, str] = {}
        self._live: Live | None = None
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._live = Live(
                console=self._console,
                get_renderable=self._all,
                refresh_per_second=DRAWS_PER_SECOND,
                transient=True,
            )

    def __enter__(self) -> "LiveView":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def changed(self, racer: Racer) -> None:
        """Print a changed status, unless the race is drawn on a terminal, which reads it by itself."""
        words = _format_status(racer)
        if self._live is None and words != self._printed.get(racer.label):
            self._printed[racer.label] = words
            try:
                print(f"{racer.label}: {clean_line(words)}", file=self._to, flush=True)
            except OSError:  # the pipe is closed; the race continues
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._to.fileno())

    def _all(self) -> RenderableType:
        width, height = self._console.size
        head = list(self._head(width))
        racers = self._race.racers
        in_row = min(max(1, width // LEAST_COLUMNS), len(racers))
        rows_of_panels = -(-len(racers) // in_row)
        rows = max(LEAST_ROWS, (height - len(head)) // rows_of_panels)
        panels = [self._panel(one, width // in_row, rows) for one in racers]
        return Group(*head, Columns(panels, padding=0))

    def _head(self, width: int) -> Iterator[Text]:
        """Yield the prompt, the judge's command, and the key that cancels the race."""
        facts = [("prompt", self._race.prompt), ("judge", self._race.judge), ("", CANCEL)]
        for name, words in facts:
            if words:
                row = Text(style=self._styles.ground)
                row.append(f"{name:<8}" if name else "", style=self._styles.muted)
                row.append(clean_line(" ".join(words.split())))
                row.truncate(width, overflow="ellipsis", pad=True)
                yield row

    def _panel(self, racer: Racer, width: int, height: int) -> Panel:
        seconds = racer.turn.seconds
        took = (
            running_duration(self._clock() - self._began) if seconds is None else duration(seconds)
        )
        facts = [took, counted(racer.turn.calls, "tool")]
        facts += (
            [f"{short_count(racer.turn.tokens)} tokens"] if racer.turn.tokens is not None else []
        )
        facts += [racer.turn.cost] if racer.turn.cost else []
        columns = max(1, width - 4)
        said = Text(racer.turn.said.strip()).wrap(self._console, columns)[4 - height :]
        status = clean_line(_format_status(racer))
        rows = [
            Text(status, style=self._styles.of_status(status)),
            Text(" · ".join(facts)),
            *said,
        ]
        for row in rows:
            row.truncate(columns, overflow="ellipsis")
        return Panel(
            Text("\n").join(rows),
            title=Text(racer.label, style="bold"),
            width=width,
            height=height,
            style=self._styles.ground,
            border_style=self._styles.border,
        )


@dataclass(frozen=True)
class _Styles:
    """The styles of the view: a theme's, or the terminal's own."""

    ground: str = ""
    muted: str = "dim"
    border: str = ""
    good: str = "bold"
    bad: str = "bold"
    doubtful: str = "bold"
    other: str = "bold"

    @classmethod
    def of(cls, theme: ThemeFile | None) -> "_Styles":
        """Return the styles of a theme, or the terminal's own if the theme uses the terminal's
        colors.
        """
        if theme is None or theme.ansi:
            return cls()
        return cls(
            ground=f"{theme.foreground} on {theme.background}",
            muted=theme.muted,
            border=theme.primary,
            good=f"bold {theme.success}",
            bad=f"bold {theme.error}",
            doubtful=f"bold {theme.warning}",
            other=f"bold {theme.primary}",
        )

    def of_status(self, words: str) -> str:
        """Return the style of an agent's status by the mark that it begins with."""
        signs = {"✓": self.good, "✗": self.bad, DOUBTFUL: self.doubtful}
        return signs.get(words[:1], self.other)


def _format_status(racer: Racer) -> str:
    """Format the status of an agent in a few words."""
    if racer.files.trouble:
        return f"✗ {racer.files.trouble}"
    if racer.turn.exit_code is None or racer.turn.doing == "being judged":
        return racer.turn.doing
    if racer.turn.exit_code != 0:
        return f"✗ {racer.turn.why}"
    return f"{DOUBTFUL if racer.turn.only_failed else '✓'} {racer.turn.ended}"
