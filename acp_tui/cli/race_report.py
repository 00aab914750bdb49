"""A race as text: a line for each event while it runs, a table at its end, and details."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from acp_tui.cli.options import turn_options
from acp_tui.cli.output import complain, out, out_data
from acp_tui.config.themes import ThemeFile
from acp_tui.formatting import counted, duration, running_duration, short_count
from acp_tui.race.racer import Racer
from acp_tui.race.races import Race, Races
from acp_tui.text import clean_line

if TYPE_CHECKING:
    from acp_tui.race.races import AdoptWay

WIDE = 400
"""Columns of a table that no terminal shows."""
NOT_TOLD = "–"
"""In place of what an agent doesn't tell."""
UNKNOWN = "?"
"""In place of what came of it, where that isn't known."""
INCOMPLETE = "*"
"""Beside a result that isn't all that the agent left, and before the note that says so."""
DOUBTFUL = "!"
"""Beside a turn that ended though all its tool calls failed."""
BEST = "◀"
"""Beside the least that one took, used or cost, of several whose turns ended well."""


def console(to: TextIO) -> Console:
    """Make a console that shows text as it is; a file is as wide as it needs to be."""
    width = None if to.isatty() else WIDE
    return Console(file=to, width=width, highlight=False, markup=False, emoji=False)


def table(race: Race) -> Table:
    """Return what came of a race, an agent a row: those first whose turn ended and whom the judge passed."""
    made = Table(box=None, pad_edge=False, collapse_padding=True, header_style="bold")
    titles = ["", "agent", "ended", "took", "tools", "tokens", "cost", "files", "lines"]
    for title in [*titles, *(["judge"] if race.judge else [])]:
        right = title in ("took", "tools", "tokens", "cost", "files")
        side: Literal["left", "right"] = "right" if right else "left"
        if title == "agent":  # where it is narrow, names go on in the next row
            made.add_column(title, overflow="fold")
        else:
            made.add_column(title, justify=side, no_wrap=True, overflow="ellipsis")
    best = _best(race)
    for number, racer in enumerate(ordered(race), 1):
        cells = [str(number), racer.label, *_cells(racer, best)]
        made.add_row(*map(Text, [*cells, *([_judged(racer)] if race.judge else [])]))
    return made


def ordered(race: Race) -> list[Racer]:
    """Return the agents as the table has them; it is no verdict on their work."""
    return sorted(
        race.racers, key=lambda one: (not one.is_done, one.only_failed, one.seconds or 0.0)
    )


def mark(racer: Racer) -> str:
    """Return a one-character mark for an agent's result."""
    if racer.is_open:
        return UNKNOWN
    if not racer.is_done:
        return "✗"
    return DOUBTFUL if racer.only_failed else "✓"


def _best(race: Race) -> "dict[str, Racer]":
    """Return who took, used and cost the least, where several turns ended well, and the table shows that
    nobody else had as little.
    """
    done = [one for one in race.racers if one.is_done and not one.only_failed]
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
    elif racer.exit_code != 0:
        yield "✗ no"  # why: a note says it whole
    else:
        yield f"{DOUBTFUL if racer.only_failed else '✓'} yes"
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
    words = "✓" if judged.code == 0 else f"✗ exit {judged.code},"
    return f"{words} {duration(judged.seconds)}"


def changed_racers(race: Race) -> list[Racer]:
    """Return the agents that changed something, as the table has them."""
    return [one for one in ordered(race) if one.commit not in ("", race.base)]


def next_steps(race: Race, chosen: Racer | None = None) -> Iterator[str]:
    """Return the commands that show and take over the result of an agent: the given one, or the
    first in the table that changed something; or show why there is none.
    """
    if any(_is_left(one) for one in race.racers):
        yield f"if it was broken off, this keeps what was done: acp-tui race --finish {race.name}"
    first = chosen or next(iter(changed_racers(race)), None)
    if first is not None:
        name = f"{race.name}/{first.label}"
        yield f"see it:       acp-tui race --diff {name}"
        yield f"take it over: acp-tui race --adopt {name} --as branch|patch|merge"
    elif all(one.commit == race.base and not one.left for one in race.racers):
        recording = Path(ordered(race)[0].recording).stem
        yield f"nobody changed a file; to see what was done: acp-tui replay {recording}"


def notes(race: Race) -> Iterator[str]:
    """Yield notes that don't fit into the table."""
    if _best(race):
        yield f"{BEST} the least of those that ended well"
    for racer in race.racers:
        yield from _end(racer)
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


def _is_left(racer: Racer) -> bool:
    """Return whether the worktree exists, or should: the race was not finished."""
    return racer.is_unkept or (
        not racer.left and not racer.trouble and Path(racer.worktree).is_dir()
    )


def _end(racer: Racer) -> Iterator[str]:
    """Say how a turn ended, unless it is all well."""
    if _is_left(racer):
        yield f"{racer.label}: the race goes on, or was broken off: {racer.worktree} has its files"
    if racer.is_open:
        return
    if racer.exit_code != 0:
        yield f"{racer.label}: {racer.why}"
    elif racer.only_failed:
        yield f"{DOUBTFUL} {racer.label}: {racer.ended}"


def adopt(race: "Race", racer: "Racer", way: "AdoptWay", races: "Races") -> None:
    """Adopt a result, and report what was done. Raises GitError or OSError, with nothing changed."""
    from acp_tui.race.races import adopt_result

    out(f"{racer.label}: {adopt_result(race, racer, way, races, Path.cwd())}")


def say_next(race: "Race", chosen: "Racer | None" = None) -> None:
    """Print the commands to continue with."""

    for line in next_steps(race, chosen):
        out(line)


def offer(race: "Race", races: "Races") -> None:
    """Ask a person at a terminal which result to adopt; otherwise, and if none is adopted, print how to."""
    from acp_tui.git.errors import GitError
    from acp_tui.race.races import AdoptWay

    done = changed_racers(race)
    number = way = None
    if done and turn_options.person():
        number = _ask_for_result(race, done)
        way = _ask_how() if number is not None else None
    if number is not None and way is not None:
        try:
            adopt(race, done[number], list(AdoptWay)[way], races)
        except GitError as error:
            complain(f"nothing was changed: {error}", "race")
        return
    if done:
        out("nothing was adopted")
        if any(one.left for one in race.racers):
            out("what a result lacks stays in the worktree that is named above")
    say_next(race, None if number is None else done[number])


def print_diff(race: "Race", racer: "Racer") -> None:
    """Print what an agent did as a patch. Raises GitError."""
    from acp_tui.race.races import kept_commit
    from acp_tui.race.repository import RaceRepository

    patch = RaceRepository.around(Path(race.root)).patch(race.base, kept_commit(race, racer))
    if racer.left:
        complain(f"{racer.label}: {racer.left}", "race")
    if sys.stdout.isatty():
        out_data(patch.decode(errors="replace"))
    else:
        sys.stdout.buffer.write(patch)


def _ask_for_result(race: "Race", done: "Sequence[Racer]") -> int | None:
    """Let a person choose a result, whose diff is shown when they want to see it."""
    choices = [(one.label, _extent(one)) for one in done]
    more = "; d NAME shows its diff"
    return ask_choice("adopt", choices, more, lambda at: print_diff(race, done[at]))


def _ask_how() -> int | None:
    from acp_tui.race.races import WAY_WORDS, AdoptWay

    return ask_choice("how", [(way.value, WAY_WORDS[way]) for way in AdoptWay])


def _extent(racer: "Racer") -> str:
    """Say how much a result changes."""
    changes = racer.changes
    told = "" if changes is None else counted(changes.files, "file")
    told += "" if changes is None else f" +{changes.added} −{changes.removed}"
    return f"{told}, incomplete" if racer.left else told


def ask_choice(
    question: str,
    choices: Sequence[tuple[str, str]],
    more: str = "",
    show: Callable[[int], None] = lambda _: None,
) -> int | None:
    """Ask a person for a number or a name, and show one before with d; return None for none of them. What
    was typed before doesn't count.
    """
    from acp_tui.headless.keyboard import ask_line

    names = [name for name, _ in choices]
    for number, (name, words) in enumerate(choices, 1):
        sys.stderr.write(f"  {number}  {clean_line(name)}: {clean_line(words)}\n")
    while answer := (
        ask_line(f"{question}? (a number or a name{more}; Enter for none) ") or ""
    ).strip():
        chosen = _index(answer, names)
        if chosen is not None:
            return chosen
        shown = _index(answer[1:].strip(), names) if answer[:1] == "d" and more else None
        if shown is None:
            complain(f"{answer!r} is none of these: {', '.join(names)}", "race")
        else:
            show(shown)
            sys.stdout.flush()
    return None


def _index(written: str, names: Sequence[str]) -> int | None:
    """Return the index of the racer that a number (from 1) or a name selects; None if there is none."""
    numbers = [str(number) for number in range(1, len(names) + 1)]
    return next((known.index(written) for known in (names, numbers) if written in known), None)


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
