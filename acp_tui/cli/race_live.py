"""A race while it runs: agents side by side in a terminal, elsewhere a line for each thing one does."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TextIO

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from acp_tui.cli.race_report import console
from acp_tui.config.themes import ThemeFile
from acp_tui.formatting import counted, duration, running_duration, short_count
from acp_tui.race.racer import Racer
from acp_tui.race.races import Race
from acp_tui.text import clean_line

LEAST_COLUMNS = 36
"""Columns that an agent needs beside others."""
LEAST_ROWS = 6
"""Rows of an agent: its frame, where it is, what it took, and what it said last."""
DRAWS_PER_SECOND = 5
"""How often a second it is drawn."""
CANCEL = "Ctrl+C cancels all turns; pressed again, it ends them at once"


class LiveView:
    """Shows the race in all of a terminal; elsewhere, one line for each thing that an agent does."""

    def __init__(
        self, to: TextIO, race: Race, clock: Callable[[], float], theme: ThemeFile | None = None
    ) -> None:
        """In the colors of a `theme`, else of the terminal."""
        self._to = to
        self._look = _Look.of(theme)
        self._console = console(to)
        self._race = race
        self._clock = clock
        self._began = clock()
        self._said: dict[str, str] = {}
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
        """Do nothing: the live view reads the agents' state itself."""
        words = _standing(racer)
        if self._live is None and words != self._said.get(racer.label):
            self._said[racer.label] = words
            try:
                print(f"{racer.label}: {clean_line(words)}", file=self._to, flush=True)
            except OSError:  # nobody reads it anymore; the race goes on
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._to.fileno())

    def _all(self) -> RenderableType:
        width, height = self._console.size
        head = list(self._head(width))
        racers = self._race.racers
        beside = min(max(1, width // LEAST_COLUMNS), len(racers))
        below = -(-len(racers) // beside)
        rows = max(LEAST_ROWS, (height - len(head)) // below)
        panels = [self._panel(one, width // beside, rows) for one in racers]
        return Group(*head, Columns(panels, padding=0))

    def _head(self, width: int) -> Iterator[Text]:
        """Yield what all agents were asked, what will judge them, and the key that ends it."""
        facts = [("prompt", self._race.prompt), ("judge", self._race.judge), ("", CANCEL)]
        for name, words in facts:
            if words:
                row = Text(style=self._look.ground)
                row.append(f"{name:<8}" if name else "", style=self._look.muted)
                row.append(clean_line(" ".join(words.split())))
                row.truncate(width, overflow="ellipsis", pad=True)
                yield row

    def _panel(self, racer: Racer, width: int, height: int) -> Panel:
        seconds = racer.seconds
        took = (
            running_duration(self._clock() - self._began) if seconds is None else duration(seconds)
        )
        facts = [took, counted(racer.calls, "tool")]
        facts += [f"{short_count(racer.tokens)} tokens"] if racer.tokens is not None else []
        facts += [racer.cost] if racer.cost else []
        columns = max(1, width - 4)
        said = Text(racer.said.strip()).wrap(self._console, columns)[4 - height :]
        standing = clean_line(_standing(racer))
        rows = [
            Text(standing, style=self._look.of_standing(standing)),
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
            style=self._look.ground,
            border_style=self._look.border,
        )


@dataclass(frozen=True)
class _Look:
    """The styles of the view: of a theme, or what the terminal has of its own."""

    ground: str = ""
    muted: str = "dim"
    border: str = ""
    good: str = "bold"
    bad: str = "bold"
    doubtful: str = "bold"
    other: str = "bold"

    @classmethod
    def of(cls, theme: ThemeFile | None) -> "_Look":
        """Return a theme's colors; none if it uses the terminal's own."""
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

    def of_standing(self, words: str) -> str:
        """Return the style of where an agent is, by the sign that its words begin with."""
        signs = {"✓": self.good, "✗": self.bad, "!": self.doubtful}
        return signs.get(words[:1], self.other)


def _standing(racer: Racer) -> str:
    """Say in a few words where an agent is."""
    if racer.trouble:
        return f"✗ {racer.trouble}"
    if racer.exit_code is None or racer.doing == "being judged":
        return racer.doing
    if racer.exit_code != 0:
        return f"✗ {racer.why}"
    return f"{'!' if racer.only_failed else '✓'} {racer.ended}"
