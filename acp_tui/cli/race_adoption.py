"""Asks which result of a race to adopt, and adopts it."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from acp_tui.cli.options import turn_options
from acp_tui.cli.output import complain, out, out_data
from acp_tui.cli.race_report import changed_racers, print_next_steps
from acp_tui.formatting import counted
from acp_tui.git.errors import GitError
from acp_tui.race.racer import Racer
from acp_tui.race.races import WAY_WORDS, AdoptWay, Race, Races, adopt_result, kept_commit
from acp_tui.race.repository import RaceRepository
from acp_tui.text import clean_line


def adopt_and_report(race: Race, racer: Racer, way: AdoptWay, races: Races) -> None:
    """Adopt a result, and report what was done. Raises GitError or OSError, with nothing changed."""
    out(f"{racer.label}: {adopt_result(race, racer, way, races, Path.cwd())}")


def offer_results(race: Race, races: Races) -> None:
    """Ask which result to adopt. Without a terminal, or if none is adopted, print the commands for it."""
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
        if any(one.files.left for one in race.racers):
            out("what a result lacks stays in the worktree that is named above")
    print_next_steps(race, None if number is None else done[number])


def print_diff(race: Race, racer: Racer) -> None:
    """Print what an agent did as a patch. Raises GitError."""
    patch = RaceRepository.around(Path(race.root)).patch(race.base, kept_commit(race, racer))
    if racer.files.left:
        complain(f"{racer.label}: {racer.files.left}", "race")
    if sys.stdout.isatty():
        out_data(patch.decode(errors="replace"))
    else:
        sys.stdout.buffer.write(patch)


def _format_extent(racer: Racer) -> str:
    """Format the number of files and lines that a result changes."""
    changes = racer.files.changes
    told = "" if changes is None else counted(changes.files, "file")
    told += "" if changes is None else f" +{changes.added} −{changes.removed}"
    return f"{told}, incomplete" if racer.files.left else told


def ask_choice(
    question: str,
    choices: Sequence[tuple[str, str]],
    more: str = "",
    show: Callable[[int], None] = lambda _: None,
    none: str = "for none",
) -> int | None:
    """Ask for a number or a name; return its index, or None for Enter, which `none` describes.

    With `more`, "d NAME" calls `show` first. Text typed before the question doesn't count.
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
