"""Prints a race's results as a table, notes and next commands, and asks which result to adopt."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from acp_tui.cli.options import turn_options
from acp_tui.cli.output import out, out_data, print_error
from acp_tui.formatting import counted, duration, short_count
from acp_tui.git.objects import GitError
from acp_tui.race.racer import Racer
from acp_tui.race.races import WAY_WORDS, AdoptWay, Race, Races, adopt_result, stored_commit
from acp_tui.race.repository import RaceRepository
from acp_tui.text import clean_line

WIDE = 400
"""Width of a table that isn't printed to a terminal, in columns."""
NOT_REPORTED = "–"
"""Shown for numbers that an agent doesn't report."""
UNKNOWN = "?"
"""Shown for an unknown result."""
INCOMPLETE = "*"
"""Marks an incomplete result, and the note that explains it."""
DOUBTFUL = "!"
"""Marks a turn that ended normally although all its tool calls failed."""
BEST = "◀"
"""Marks the least time, tokens or cost among several agents whose turns ended normally."""


def make_console(to: TextIO) -> Console:
    """Return a console that prints text literally; output to a file isn't wrapped."""
    width = None if to.isatty() else WIDE
    return Console(file=to, width=width, highlight=False, markup=False, emoji=False)


def race_table(race: Race) -> Table:
    """Return the results of a race as a table, an agent in each row, in the order of
    `order_racers`.
    """
    made = Table(box=None, pad_edge=False, collapse_padding=True, header_style="bold")
    titles = ["", "agent", "ended", "took", "tools", "tokens", "cost", "files", "lines"]
    for title in [*titles, *(["judge"] if race.judge else [])]:
        right = title in ("took", "tools", "tokens", "cost", "files")
        side: Literal["left", "right"] = "right" if right else "left"
        if title == "agent":  # in a narrow terminal, long names wrap
            made.add_column(title, overflow="fold")
        else:
            made.add_column(title, justify=side, no_wrap=True, overflow="ellipsis")
    best = _find_best(race)
    for number, racer in enumerate(order_racers(race), 1):
        cells = [str(number), racer.label, *_format_cells(racer, best)]
        made.add_row(*map(Text, [*cells, *([_format_judgment(racer)] if race.judge else [])]))
    return made


def order_racers(race: Race) -> list[Racer]:
    """Return the agents in the order of the table: first those whose turn ended normally and whom
    the judge passed, fastest first. The order says nothing else about their work.
    """
    return sorted(
        race.racers,
        key=lambda one: (not one.is_done, one.turn.only_failed, one.turn.seconds or 0.0),
    )


def mark_result(racer: Racer) -> str:
    """Return a one-character mark for an agent's result."""
    if racer.turn.is_open:
        return UNKNOWN
    if not racer.is_done:
        return "✗"
    return DOUBTFUL if racer.turn.only_failed else "✓"


def _find_best(race: Race) -> dict[str, Racer]:
    """Return the agents with the least time, tokens and cost, if several turns ended normally.

    An agent that ties with another in the table isn't the best.
    """
    done = [one for one in race.racers if one.is_done and not one.turn.only_failed]

    def cost(racer: Racer) -> float | None:
        """Return a cost as a number, if its currency is the same as the first agent's."""
        amount, _, currency = racer.turn.cost.partition(" ")
        same = currency == done[0].turn.cost.partition(" ")[2]
        return float(amount) if amount and same else None

    measures: dict[str, tuple[Callable[[Racer], float | None], Callable[[Racer], str]]] = {
        "took": (lambda one: one.turn.seconds, _format_time),
        "tokens": (lambda one: one.turn.tokens, _format_tokens),
        "cost": (cost, lambda one: one.turn.cost),
    }
    found = {}
    for name, (measure, shown) in measures.items():
        values = [(value, one) for one in done if (value := measure(one)) is not None]
        if len(values) == len(done) > 1:
            least = min(values, key=lambda pair: pair[0])[1]
            if [shown(one) for one in done].count(shown(least)) == 1:
                found[name] = least
    return found


def _format_time(racer: Racer) -> str:
    return duration(racer.turn.seconds) if racer.turn.seconds is not None else ""


def _format_tokens(racer: Racer) -> str:
    return short_count(racer.turn.tokens) if racer.turn.tokens is not None else NOT_REPORTED


def _format_cells(racer: Racer, best: dict[str, Racer]) -> Iterator[str]:
    def marked(name: str, value: str) -> str:
        return f"{value} {BEST}" if best.get(name) is racer else value

    if racer.turn.is_open:
        yield UNKNOWN
    elif racer.turn.exit_code != 0:
        yield "✗ no"  # a note gives the reason in full
    else:
        yield f"{DOUBTFUL if racer.turn.only_failed else '✓'} yes"
    yield marked("took", _format_time(racer))
    yield (
        f"{racer.turn.calls} ({racer.turn.failed} failed)"
        if racer.turn.failed
        else str(racer.turn.calls)
    )
    yield marked("tokens", _format_tokens(racer))
    yield marked("cost", racer.turn.cost or NOT_REPORTED)
    changes = racer.files.changes
    yield str(changes.files) if changes is not None else UNKNOWN
    lines = f"+{changes.added} −{changes.removed}" if changes is not None else UNKNOWN
    yield f"{lines} {INCOMPLETE}" if racer.files.left else lines


def _format_judgment(racer: Racer) -> str:
    judged = racer.judged
    if judged is None:
        return "not asked"
    if judged.code is None:
        return "✗ failed" if judged.why else "stopped"
    words = "✓" if judged.code == 0 else f"✗ exit {judged.code},"
    return f"{words} {duration(judged.seconds)}"


def changed_racers(race: Race) -> list[Racer]:
    """Return the agents that changed files, in the order of the table."""
    return [one for one in order_racers(race) if one.files.commit not in ("", race.base)]


def next_steps(race: Race, chosen: Racer | None = None) -> Iterator[str]:
    """Yield the commands that show and adopt a result: that of the `chosen` agent, or of the first
    in the table that changed files. If none did, yield the command that replays the first agent's
    turn.
    """
    if any(_is_left(one) for one in race.racers):
        yield f"if it was interrupted, this saves the results: acp-tui race --finish {race.name}"
    first = chosen or next(iter(changed_racers(race)), None)
    if first is not None:
        name = f"{race.name}/{first.label}"
        yield f"see it:       acp-tui race --diff {name}"
        yield f"take it over: acp-tui race --adopt {name} --as branch|patch|merge"
    elif all(one.files.commit == race.base and not one.files.left for one in race.racers):
        recording = Path(order_racers(race)[0].recording).stem
        yield f"nobody changed a file; to see what was done: acp-tui replay {recording}"


def list_notes(race: Race) -> Iterator[str]:
    """Yield the notes below the table."""
    if _find_best(race):
        yield f"{BEST} the least among those that ended well"
    for racer in race.racers:
        yield from _describe_end(racer)
        if racer.judged is not None and racer.judged.why:
            yield f"{racer.label}: the judge failed: {racer.judged.why}"
        if racer.files.left:
            yield f"{INCOMPLETE} {racer.label}: {racer.files.left}"
        if racer.files.trouble:
            yield f"{racer.label}: {racer.files.trouble}"
        if racer.files.ignored:
            ignored = counted(racer.files.ignored, "file or folder", "files and folders")
            yield f"{racer.label}: {ignored} that git ignores, which are not kept"
        if racer.files.adopted:
            yield f"{racer.label}: adopted: {racer.files.adopted}"


def _is_left(racer: Racer) -> bool:
    """Return whether an agent's worktree was left behind: the race is running, or was interrupted."""
    return racer.is_unstored or (
        not racer.files.left and not racer.files.trouble and Path(racer.worktree).is_dir()
    )


def _describe_end(racer: Racer) -> Iterator[str]:
    """Yield how a turn ended, unless it ended normally."""
    if _is_left(racer):
        yield f"{racer.label}: the race is running, or was interrupted: {racer.worktree} has its files"
    if racer.turn.is_open:
        return
    if racer.turn.exit_code != 0:
        yield f"{racer.label}: {racer.turn.why}"
    elif racer.turn.only_failed:
        yield f"{DOUBTFUL} {racer.label}: {racer.turn.ended}"


def print_next_steps(race: Race, chosen: Racer | None = None) -> None:
    """Print the commands to continue with."""
    for line in next_steps(race, chosen):
        out(line)


def adopt_and_report(race: Race, racer: Racer, way: AdoptWay, races: Races) -> None:
    """Adopt a result, and print what was done. Raises GitError or OSError; then nothing was
    changed.
    """
    out(f"{racer.label}: {adopt_result(race, racer, way, races, Path.cwd())}")


def offer_results(race: Race, races: Races) -> None:
    """Ask which result to adopt. If there is no terminal, or none is adopted, print the commands
    that adopt one.
    """
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
            print_error(f"nothing was changed: {error}", "race")
        return
    if done:
        out("nothing was adopted")
        if any(one.files.left for one in race.racers):
            out("what a result lacks stays in the worktree that is named above")
    print_next_steps(race, None if number is None else done[number])


def print_diff(race: Race, racer: Racer) -> None:
    """Print an agent's changes as a patch. Raises GitError."""
    patch = RaceRepository.around(Path(race.root)).patch(race.base, stored_commit(race, racer))
    if racer.files.left:
        print_error(f"{racer.label}: {racer.files.left}", "race")
    if sys.stdout.isatty():
        out_data(patch.decode(errors="replace"))
    else:
        sys.stdout.buffer.write(patch)


def _format_extent(racer: Racer) -> str:
    """Format the number of files and lines that a result changes."""
    changes = racer.files.changes
    extent = "" if changes is None else counted(changes.files, "file")
    extent += "" if changes is None else f" +{changes.added} −{changes.removed}"
    return f"{extent}, incomplete" if racer.files.left else extent


def ask_choice(
    question: str,
    choices: Sequence[tuple[str, str]],
    more: str = "",
    show: Callable[[int], None] = lambda _: None,
    none: str = "for none",
) -> int | None:
    """Ask for a number or a name, and return its index; None for Enter, which `none` describes.

    With `more`, "d NAME" calls `show`, and the question is asked again. Text typed before the
    question is discarded.
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
            print_error(f"{answer!r} is none of these: {', '.join(names)}", "race")
        else:
            show(shown)
            sys.stdout.flush()
    return None


def _find_index(written: str, names: Sequence[str]) -> int | None:
    """Return the index of the choice that a number (from 1) or a name selects, or None."""
    numbers = [str(number) for number in range(1, len(names) + 1)]
    return next((known.index(written) for known in (names, numbers) if written in known), None)
