"""A race as text: live, agents side by side; at its end, a table."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, TextIO

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from acp_tui.formatting import counted, duration, running_duration, short_count
from acp_tui.race.kept import Race
from acp_tui.race.racer import Racer
from acp_tui.text import clean_line

ROWS = 8
"""Rows of what an agent said last."""
LEAST = 36
"""Columns that an agent needs beside others."""
WIDE = 400
"""Columns of a table that no terminal shows."""
RATE = 5
"""How often a second the live view is drawn."""
NOT_TOLD = "–"
"""In place of what an agent doesn't tell."""
UNKNOWN = "?"
"""In place of what came of it, where that isn't known."""
INCOMPLETE = "*"
"""Beside a result that isn't all that the agent left, and before the note that says so."""
BEST = "◀"
"""Beside the least that one took, used or cost, of several whose turns ended well."""


def console(to: TextIO) -> Console:
    """Make a console that shows text as it is; a file is as wide as it needs to be."""
    width = None if to.isatty() else WIDE
    return Console(file=to, width=width, highlight=False, markup=False, emoji=False)


class LiveView:
    """Shows agents side by side in a terminal; elsewhere, one line for each thing that an agent does."""

    def __init__(self, to: TextIO, race: Race, clock: Callable[[], float]) -> None:
        self._to = to
        self._console = console(to)
        self._race = race
        self._clock = clock
        self._began = clock()
        self._said: dict[str, str] = {}
        self._live: Live | None = None
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._live = Live(
                console=self._console,
                get_renderable=self._side_by_side,
                refresh_per_second=RATE,
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
        """Take news of an agent; the live view looks for itself."""
        words = _standing(racer)
        if self._live is None and words != self._said.get(racer.label):
            self._said[racer.label] = words
            try:
                print(f"{racer.label}: {clean_line(words)}", file=self._to, flush=True)
            except OSError:  # nobody reads it anymore; the race goes on
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._to.fileno())

    def _side_by_side(self) -> RenderableType:
        fits = max(1, self._console.width // LEAST)
        racers = self._race.racers
        width = self._console.width // min(fits, len(racers))
        return Group(*self._head(), Columns([self._panel(one, width) for one in racers], padding=0))

    def _head(self) -> Iterator[Text]:
        """What they race for, who judges it, and how it is ended, each in one row."""
        yield self._row(self._race.prompt.strip().partition("\n")[0], "bold")
        if self._race.judge:
            yield self._row(f"judged by: {self._race.judge}")
        yield self._row("Ctrl+C cancels all turns")

    def _row(self, words: str, style: str = "") -> Text:
        row = Text(clean_line(words), style=style)
        row.truncate(self._console.width, overflow="ellipsis")
        return row

    def _panel(self, racer: Racer, width: int) -> Panel:
        seconds = racer.seconds
        took = (
            running_duration(self._clock() - self._began) if seconds is None else duration(seconds)
        )
        facts = [took, counted(racer.calls, "tool")]
        facts += [f"{short_count(racer.tokens)} tokens"] if racer.tokens is not None else []
        facts += [racer.cost] if racer.cost else []
        said = Text(racer.said.strip()).wrap(self._console, max(1, width - 4))[-ROWS:]
        rows = [Text(clean_line(_standing(racer)), style="bold"), Text(" · ".join(facts)), *said]
        for row in rows:
            row.truncate(max(1, width - 4), overflow="ellipsis")
        rows += [Text()] * (ROWS + 2 - len(rows))
        return Panel(Text("\n").join(rows), title=Text(racer.label), width=width)


def _standing(racer: Racer) -> str:
    """Say in a few words where an agent is."""
    if racer.trouble:
        return f"✗ {racer.trouble}"
    if racer.exit_code is None or racer.doing == "being judged":
        return racer.doing
    return "✓ its turn has ended" if racer.exit_code == 0 else f"✗ {racer.why}"


def table(race: Race) -> Table:
    """Return what came of a race, an agent a row: those first whose turn ended and whom the judge passed."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    titles = ["", "agent", "ended", "took", "tools", "tokens", "cost", "files", "lines"]
    for title in [*titles, *(["judge"] if race.judge else [])]:
        right = title in ("took", "tools", "tokens", "cost", "files")
        side: Literal["left", "right"] = "right" if right else "left"
        made.add_column(title, justify=side, no_wrap=True, overflow="ellipsis")
    best = _best(race)
    for number, racer in enumerate(ordered(race), 1):
        cells = [str(number), racer.label, *_cells(racer, best)]
        made.add_row(*map(Text, [*cells, *([_judged(racer)] if race.judge else [])]))
    return made


def ordered(race: Race) -> list[Racer]:
    """Return the agents as the table has them; it is no verdict on their work."""
    return sorted(race.racers, key=lambda one: (not one.is_done, one.seconds or 0.0))


def mark(racer: Racer) -> str:
    """Say in a character what came of an agent's work."""
    return UNKNOWN if racer.is_open else "✓" if racer.is_done else "✗"


def _best(race: Race) -> "dict[str, Racer]":
    """Return who took, used and cost the least, where several turns ended well, and the table shows that
    nobody else had as little.
    """
    done = [one for one in race.racers if one.is_done]
    measures: dict[str, tuple[Callable[[Racer], float | None], Callable[[Racer], str]]] = {
        "took": (lambda one: one.seconds, _took),
        "tokens": (lambda one: one.tokens, _tokens),
        "cost": (lambda one: _amount(one, done[0]), lambda one: one.cost),
    }
    found = {}
    for name, (measure, shown) in measures.items():
        told = [(value, one) for one in done if (value := measure(one)) is not None]
        if len(told) == len(done) > 1:
            least = min(told, key=lambda pair: pair[0])[1]
            if [shown(one) for one in done].count(shown(least)) == 1:
                found[name] = least
    return found


def _took(racer: Racer) -> str:
    return duration(racer.seconds) if racer.seconds is not None else ""


def _tokens(racer: Racer) -> str:
    return short_count(racer.tokens) if racer.tokens is not None else NOT_TOLD


def _amount(racer: Racer, first: Racer) -> float | None:
    """Return a cost as a number, if it is in the currency that the first one has."""
    amount, _, currency = racer.cost.partition(" ")
    return float(amount) if amount and currency == first.cost.partition(" ")[2] else None


def _cells(racer: Racer, best: "dict[str, Racer]") -> Iterator[str]:
    def marked(name: str, told: str) -> str:
        return f"{told} {BEST}" if best.get(name) is racer else told

    if racer.is_open:
        yield UNKNOWN
    else:
        yield "✓ yes" if racer.exit_code == 0 else "✗ no"  # why: a note says it whole
    yield marked("took", _took(racer))
    yield f"{racer.calls} ({racer.failed} failed)" if racer.failed else str(racer.calls)
    yield marked("tokens", _tokens(racer))
    yield marked("cost", racer.cost or NOT_TOLD)
    changes = racer.changes
    yield str(changes.files) if changes is not None else UNKNOWN
    lines = f"+{changes.added} −{changes.removed}" if changes is not None else UNKNOWN
    yield f"{lines} {INCOMPLETE}" if racer.left else lines


def _judged(racer: Racer) -> str:
    judged = racer.judged
    if judged is None:
        return "not asked"
    if judged.code is None:
        return "✗ failed" if judged.why else "stopped"
    words = "✓ passed" if judged.code == 0 else f"✗ exit {judged.code}"
    return f"{words}, {duration(judged.seconds)}"


def next_steps(race: Race) -> Iterator[str]:
    """Say how one sees and takes over what the first agent of the table that changed something did, or how
    one sees why nobody did.
    """
    changed = [one for one in ordered(race) if one.commit not in ("", race.base)]
    if changed:
        name = f"{race.name}/{changed[0].label}"
        yield f"see it:       acp-tui race --diff {name}"
        yield f"take it over: acp-tui race --adopt {name} --as branch|patch|merge"
    elif all(one.commit == race.base and not one.left for one in race.racers):
        first = Path(ordered(race)[0].recording).stem
        yield f"nobody changed a file; to see what was done: acp-tui replay {first}"


def notes(race: Race) -> Iterator[str]:
    """Say what a table has no room for."""
    if _best(race):
        yield f"{BEST} the least of those that ended well"
    for racer in race.racers:
        if racer.is_open:
            yield f"{racer.label}: the race goes on, or was broken off: {racer.worktree} has its files"
        elif racer.exit_code != 0:
            yield f"{racer.label}: {racer.why}"
        if racer.judged is not None and racer.judged.why:
            yield f"{racer.label}: the judge failed: {racer.judged.why}"
        if racer.left:
            yield f"{INCOMPLETE} {racer.label}: {racer.left}"
        if racer.trouble:
            yield f"{racer.label}: {racer.trouble}"
        if racer.ignored:
            ignored = counted(racer.ignored, "file or folder", "files and folders")
            yield f"{racer.label}: {ignored} that git ignores, which are not kept"
        if racer.adopted:
            yield f"{racer.label}: adopted: {racer.adopted}"
