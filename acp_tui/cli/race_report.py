"""A race as text: a view while it runs, a table at its end, and details."""

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
NOT_REPORTED = "–"
"""Shown for what an agent doesn't report."""
UNKNOWN = "?"
"""Shown for an unknown result."""
INCOMPLETE = "*"
"""Marks an incomplete result, and the note that explains it."""
DOUBTFUL = "!"
"""Marks a turn that ended though all its tool calls failed."""
BEST = "◀"
"""Marks the least time, tokens or cost among several agents whose turns ended well."""
LEAST_COLUMNS = 36
"""Columns of the narrowest panel."""
LEAST_ROWS = 6
"""Rows of the lowest panel: its frame, what the agent does, its numbers, and its last messages."""
DRAWS_PER_SECOND = 5
"""How often the view is drawn in a second."""
CANCEL = "Ctrl+C cancels all turns; pressed again, it ends them at once"


def make_console(to: TextIO) -> Console:
    """Make a console that shows text as it is; a file is as wide as it needs to be."""
    width = None if to.isatty() else WIDE
    return Console(file=to, width=width, highlight=False, markup=False, emoji=False)


def race_table(race: Race) -> Table:
    """Return the results of a race, an agent a row: first those whose turn ended and whom the judge passed."""
    made = Table(box=None, pad_edge=False, collapse_padding=True, header_style="bold")
    titles = ["", "agent", "ended", "took", "tools", "tokens", "cost", "files", "lines"]
    for title in [*titles, *(["judge"] if race.judge else [])]:
        right = title in ("took", "tools", "tokens", "cost", "files")
        side: Literal["left", "right"] = "right" if right else "left"
        if title == "agent":  # where it is narrow, names go on in the next row
            made.add_column(title, overflow="fold")
        else:
            made.add_column(title, justify=side, no_wrap=True, overflow="ellipsis")
    best = _find_best(race)
    for number, racer in enumerate(order_racers(race), 1):
        cells = [str(number), racer.label, *_format_cells(racer, best)]
        made.add_row(*map(Text, [*cells, *([_format_judgment(racer)] if race.judge else [])]))
    return made


def order_racers(race: Race) -> list[Racer]:
    """Return the agents in the order of the table, which doesn't judge their work."""
    return sorted(
        race.racers, key=lambda one: (not one.is_done, one.only_failed, one.seconds or 0.0)
    )


def mark_result(racer: Racer) -> str:
    """Return a one-character mark for an agent's result."""
    if racer.is_open:
        return UNKNOWN
    if not racer.is_done:
        return "✗"
    return DOUBTFUL if racer.only_failed else "✓"


def _find_best(race: Race) -> "dict[str, Racer]":
    """Return the agents with the least time, tokens and cost, where several turns ended well.

    One that ties with another in the table isn't the best.
    """
    done = [one for one in race.racers if one.is_done and not one.only_failed]

    def cost(racer: Racer) -> float | None:
        """Return a cost as a number, if it is in the currency of the first one."""
        amount, _, currency = racer.cost.partition(" ")
        same = currency == done[0].cost.partition(" ")[2]
        return float(amount) if amount and same else None

    measures: dict[str, tuple[Callable[[Racer], float | None], Callable[[Racer], str]]] = {
        "took": (lambda one: one.seconds, _format_time),
        "tokens": (lambda one: one.tokens, _format_tokens),
        "cost": (cost, lambda one: one.cost),
    }
    found = {}
    for name, (measure, shown) in measures.items():
        told = [(value, one) for one in done if (value := measure(one)) is not None]
        if len(told) == len(done) > 1:
            least = min(told, key=lambda pair: pair[0])[1]
            if [shown(one) for one in done].count(shown(least)) == 1:
                found[name] = least
    return found


def _format_time(racer: Racer) -> str:
    return duration(racer.seconds) if racer.seconds is not None else ""


def _format_tokens(racer: Racer) -> str:
    return short_count(racer.tokens) if racer.tokens is not None else NOT_REPORTED


def _format_cells(racer: Racer, best: "dict[str, Racer]") -> Iterator[str]:
    def marked(name: str, told: str) -> str:
        return f"{told} {BEST}" if best.get(name) is racer else told

    if racer.is_open:
        yield UNKNOWN
    elif racer.exit_code != 0:
        yield "✗ no"  # why: a note says it whole
    else:
        yield f"{DOUBTFUL if racer.only_failed else '✓'} yes"
    yield marked("took", _format_time(racer))
    yield f"{racer.calls} ({racer.failed} failed)" if racer.failed else str(racer.calls)
    yield marked("tokens", _format_tokens(racer))
    yield marked("cost", racer.cost or NOT_REPORTED)
    changes = racer.changes
    yield str(changes.files) if changes is not None else UNKNOWN
    lines = f"+{changes.added} −{changes.removed}" if changes is not None else UNKNOWN
    yield f"{lines} {INCOMPLETE}" if racer.left else lines


def _format_judgment(racer: Racer) -> str:
    judged = racer.judged
    if judged is None:
        return "not asked"
    if judged.code is None:
        return "✗ failed" if judged.why else "stopped"
    words = "✓" if judged.code == 0 else f"✗ exit {judged.code},"
    return f"{words} {duration(judged.seconds)}"


def changed_racers(race: Race) -> list[Racer]:
    """Return the agents that changed something, in the order of the table."""
    return [one for one in order_racers(race) if one.commit not in ("", race.base)]


def next_steps(race: Race, chosen: Racer | None = None) -> Iterator[str]:
    """Yield the commands that show and adopt a result: that of the `chosen` agent, or of the first in the table
    that changed something. If none did, yield the command that replays the first agent's turn.
    """
    if any(_is_left(one) for one in race.racers):
        yield f"if it was interrupted, this saves the results: acp-tui race --finish {race.name}"
    first = chosen or next(iter(changed_racers(race)), None)
    if first is not None:
        name = f"{race.name}/{first.label}"
        yield f"see it:       acp-tui race --diff {name}"
        yield f"take it over: acp-tui race --adopt {name} --as branch|patch|merge"
    elif all(one.commit == race.base and not one.left for one in race.racers):
        recording = Path(order_racers(race)[0].recording).stem
        yield f"nobody changed a file; to see what was done: acp-tui replay {recording}"


def list_notes(race: Race) -> Iterator[str]:
    """Yield notes that don't fit into the table."""
    if _find_best(race):
        yield f"{BEST} the least of those that ended well"
    for racer in race.racers:
        yield from _describe_end(racer)
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


def _describe_end(racer: Racer) -> Iterator[str]:
    """Yield how a turn ended, unless it ended well."""
    if _is_left(racer):
        yield f"{racer.label}: the race is running, or was interrupted: {racer.worktree} has its files"
    if racer.is_open:
        return
    if racer.exit_code != 0:
        yield f"{racer.label}: {racer.why}"
    elif racer.only_failed:
        yield f"{DOUBTFUL} {racer.label}: {racer.ended}"


def adopt_and_report(race: "Race", racer: "Racer", way: "AdoptWay", races: "Races") -> None:
    """Adopt a result, and report what was done. Raises GitError or OSError, with nothing changed."""
    from acp_tui.race.races import adopt_result

    out(f"{racer.label}: {adopt_result(race, racer, way, races, Path.cwd())}")


def print_next_steps(race: "Race", chosen: "Racer | None" = None) -> None:
    """Print the commands to continue with."""
    for line in next_steps(race, chosen):
        out(line)


def offer_results(race: "Race", races: "Races") -> None:
    """Ask a person at a terminal which result to adopt; otherwise, and if none is adopted, print how to."""
    from acp_tui.git.errors import GitError
    from acp_tui.race.races import WAY_WORDS, AdoptWay

    done = changed_racers(race)
    number = way = None
    if done and turn_options.has_person():
        number = ask_choice(
            "adopt",
            [(one.label, _format_extent(one)) for one in done],
            "; d NAME shows its diff",
            lambda at: print_diff(race, done[at]),
        )
        if number is not None:
            way = ask_choice("how", [(one.value, WAY_WORDS[one]) for one in AdoptWay])
    if number is not None and way is not None:
        try:
            adopt_and_report(race, done[number], list(AdoptWay)[way], races)
        except GitError as error:
            complain(f"nothing was changed: {error}", "race")
        return
    if done:
        out("nothing was adopted")
        if any(one.left for one in race.racers):
            out("what a result lacks stays in the worktree that is named above")
    print_next_steps(race, None if number is None else done[number])


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


def _format_extent(racer: "Racer") -> str:
    """Format the number of files and lines that a result changes."""
    changes = racer.changes
    told = "" if changes is None else counted(changes.files, "file")
    told += "" if changes is None else f" +{changes.added} −{changes.removed}"
    return f"{told}, incomplete" if racer.left else told


def ask_choice(
    question: str,
    choices: Sequence[tuple[str, str]],
    more: str = "",
    show: Callable[[int], None] = lambda _: None,
    none: str = "for none",
) -> int | None:
    """Ask a person for a number or a name; return its index, or None for none of them (Enter, which `none`
    explains).

    With `more`, "d NAME" calls `show` first. Text that was typed before the question doesn't count.
    """
    from acp_tui.headless.keyboard import ask_line

    names = [name for name, _ in choices]
    for number, (name, words) in enumerate(choices, 1):
        sys.stderr.write(f"  {number}  {clean_line(name)}: {clean_line(words)}\n")
    while answer := (
        ask_line(f"{question}? (a number or a name{more}; Enter {none}) ") or ""
    ).strip():
        chosen = _find_index(answer, names)
        if chosen is not None:
            return chosen
        shown = _find_index(answer[1:].strip(), names) if answer[:1] == "d" and more else None
        if shown is None:
            complain(f"{answer!r} is none of these: {', '.join(names)}", "race")
        else:
            show(shown)
            sys.stdout.flush()
    return None


def _find_index(written: str, names: Sequence[str]) -> int | None:
    """Return the index of the racer that a number (from 1) or a name selects; None if there is none."""
    numbers = [str(number) for number in range(1, len(names) + 1)]
    return next((known.index(written) for known in (names, numbers) if written in known), None)


class LiveView:
    """Shows the race in all of a terminal; elsewhere, one line for each thing that an agent does."""

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
        """Print a changed status where nothing is drawn: a drawn view reads the agents' state itself."""
        words = _format_status(racer)
        if self._live is None and words != self._said.get(racer.label):
            self._said[racer.label] = words
            try:
                print(f"{racer.label}: {clean_line(words)}", file=self._to, flush=True)
            except OSError:  # the reader is gone; the race continues
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
        seconds = racer.seconds
        took = (
            running_duration(self._clock() - self._began) if seconds is None else duration(seconds)
        )
        facts = [took, counted(racer.calls, "tool")]
        facts += [f"{short_count(racer.tokens)} tokens"] if racer.tokens is not None else []
        facts += [racer.cost] if racer.cost else []
        columns = max(1, width - 4)
        said = Text(racer.said.strip()).wrap(self._console, columns)[4 - height :]
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
        """Return the styles of a theme; those of the terminal for a theme that uses its colors."""
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
        """Return the style of an agent's status, by the sign that it begins with."""
        signs = {"✓": self.good, "✗": self.bad, "!": self.doubtful}
        return signs.get(words[:1], self.other)


def _format_status(racer: Racer) -> str:
    """Format the status of an agent in a few words."""
    if racer.trouble:
        return f"✗ {racer.trouble}"
    if racer.exit_code is None or racer.doing == "being judged":
        return racer.doing
    if racer.exit_code != 0:
        return f"✗ {racer.why}"
    return f"{'!' if racer.only_failed else '✓'} {racer.ended}"
