"""Adopts what came of a race, when a person says which result and how."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli import turn_options
from acp_tui.cli.output import complain, out
from acp_tui.text import clean_line

if TYPE_CHECKING:
    from acp_tui.race.adopting import Way
    from acp_tui.race.kept import Race, Races
    from acp_tui.race.racer import Racer


def adopt(race: "Race", racer: "Racer", way: "Way", races: "Races") -> None:
    """Adopt a result, and say what was done. Raises GitError or OSError: nothing was."""
    from acp_tui.race import adopting

    out(f"{racer.label}: {adopting.adopt(race, racer, way, races, Path.cwd())}")


def offer(race: "Race", races: "Races") -> None:
    """Ask a person at a terminal which result to adopt; tell others how to."""
    from acp_tui.cli.race_report import ordered
    from acp_tui.race.adopting import WORDS, Way
    from acp_tui.race.git import GitError

    done = [one for one in ordered(race) if one.commit not in ("", race.base)]
    if not done:
        return
    ways = list(Way)
    number = way = None
    if turn_options.person():
        labels = [f"{one.label}, incomplete" if one.left else one.label for one in done]
        number = _answer("adopt", labels)
    if number is not None:
        way = _answer("how", [f"{way}: {WORDS[way]}" for way in ways])
    if number is None or way is None:
        name = f"{race.name}/{done[0].label}"
        out(
            f"nothing was adopted; to do it later: acp-tui race --adopt {name} --as {'|'.join(ways)}"
        )
        if any(one.left for one in race.racers):
            out("what a result lacks stays in the worktree that is named above")
        return
    try:
        adopt(race, done[number], ways[way], races)
    except GitError as error:
        complain(f"nothing was changed: {error}", "race")


def _answer(question: str, choices: Sequence[str]) -> int | None:
    """Let a person choose by a number; None for anything else. What was typed before doesn't count."""
    from acp_tui.headless.keyboard import ask

    for number, choice in enumerate(choices, 1):
        sys.stderr.write(f"  {number}  {clean_line(choice)}\n")
    answer = ask(f"{question}? (a number; Enter for none) ")
    numbers = [str(number) for number in range(1, len(choices) + 1)]
    return numbers.index(answer) if answer in numbers else None
