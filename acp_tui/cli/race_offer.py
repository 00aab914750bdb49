"""Adopts what came of a race, when a person says which result and how."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli import turn_options
from acp_tui.cli.output import complain, out, out_data
from acp_tui.formatting import counted
from acp_tui.text import clean_line

if TYPE_CHECKING:
    from acp_tui.race.adopting import AdoptWay
    from acp_tui.race.kept import Race, Races
    from acp_tui.race.racer import Racer


def adopt(race: "Race", racer: "Racer", way: "AdoptWay", races: "Races") -> None:
    """Adopt a result, and say what was done. Raises GitError or OSError: nothing was."""
    from acp_tui.race import adopting

    out(f"{racer.label}: {adopting.adopt(race, racer, way, races, Path.cwd())}")


def say_next(race: "Race", chosen: "Racer | None" = None) -> None:
    """Say the commands for what can be done next."""
    from acp_tui.cli.race_report import next_steps

    for line in next_steps(race, chosen):
        out(line)


def offer(race: "Race", races: "Races") -> None:
    """Ask a person at a terminal which result to adopt; tell others, and who adopts none, how to."""
    from acp_tui.cli.race_report import changed
    from acp_tui.git.errors import GitError
    from acp_tui.race.adopting import AdoptWay

    done = changed(race)
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
    from acp_tui.race.adopting import kept_commit
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
    return _answer("adopt", choices, more, lambda at: print_diff(race, done[at]))


def _ask_how() -> int | None:
    from acp_tui.race.adopting import WORDS, AdoptWay

    return _answer("how", [(way.value, WORDS[way]) for way in AdoptWay])


def _extent(racer: "Racer") -> str:
    """Say how much a result changes."""
    changes = racer.changes
    told = "" if changes is None else counted(changes.files, "file")
    told += "" if changes is None else f" +{changes.added} −{changes.removed}"
    return f"{told}, incomplete" if racer.left else told


def _answer(
    question: str,
    choices: Sequence[tuple[str, str]],
    more: str = "",
    show: Callable[[int], None] = lambda _: None,
) -> int | None:
    """Let a person choose by a number or a name, and see one before with d; None for nothing. What was
    typed before doesn't count.
    """
    from acp_tui.headless.keyboard import ask

    names = [name for name, _ in choices]
    for number, (name, words) in enumerate(choices, 1):
        sys.stderr.write(f"  {number}  {clean_line(name)}: {clean_line(words)}\n")
    while answer := (ask(f"{question}? (a number or a name{more}; Enter for none) ") or "").strip():
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
    """Return which one a number from 1 or a name means."""
    numbers = [str(number) for number in range(1, len(names) + 1)]
    return next((known.index(written) for known in (names, numbers) if written in known), None)
