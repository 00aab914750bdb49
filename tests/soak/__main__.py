"""Runs the whole program for SOAK_SECONDS (1,800) with SOAK_SEED: `python -m tests.soak`.

What must hold: the program lives and answers keys, every request of the agent's is answered once
unless its process died, and nothing is left at the end. What was said and what went over the wire
is kept as long as its agent is open, and nothing else grows: SOAK_ROUNDS times (6) the agent is
closed and another started, and then the program is as large as at the first time.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.e2e.terminal import Terminal, terminal
from tests.soak.census import Census
from tests.soak.person import Person

AGENT = Path(__file__).parent / "agent.py"
SIZE = (120, 30)
BREATH = 40.0
"""MiB that the memory may move by: what is drawn, fragments, the caches of libraries."""
SHARE = 1.5
"""How much more memory may be taken than is known to be kept."""
FEW = 100
"""How many objects of a type may be more than they were: caches that are not full yet."""


class Watch:
    """Asks the program what it holds."""

    def __init__(self, it: Terminal, file: Path) -> None:
        self._it = it
        self._file = file
        self._count = 0

    def look(self, when: str) -> Census:
        self._count += 1
        os.kill(self._it.pid, signal.SIGUSR1)
        self._it.wait_until(lambda: len(self._lines()) >= self._count, "census")
        found = Census(*json.loads(self._lines()[-1]))
        print(
            f"{when}: {found.resident:g} MiB resident, about {found.kept:g} of it kept by design; "
            f"{found.files} open files, {found.alive['tasks']} tasks, "
            f"{sum(found.alive.values())} objects, {len(self._it.processes)} processes",
            flush=True,
        )
        return found

    def _lines(self) -> list[str]:
        return self._file.read_text("utf-8").splitlines() if self._file.exists() else []


def grown(before: Census, after: Census) -> dict[str, tuple[int, int]]:
    """The types of which there are clearly more objects than there were."""
    return {
        name: (before.alive.get(name, 0), count)
        for name, count in sorted(after.alive.items(), key=lambda item: -item[1])
        if count > FEW + 1.25 * before.alive.get(name, 0)
    }


def check_ledger(ledger: Path) -> None:
    """Every request got one answer, unless its agent died."""
    asked: dict[tuple[int, int], int] = {}
    for line in ledger.read_text("utf-8").splitlines():
        note = json.loads(line)
        if "asked" in note:
            asked[note["pid"], note["asked"]] = 0
        else:
            asked[note["pid"], note["answered"]] += 1
    assert all(count <= 1 for count in asked.values()), "a request was answered twice"
    waiting = [one for one, count in asked.items() if not count]
    print(f"{len(asked)} requests; of agents that died or were closed, {len(waiting)} unanswered")


def soak(folder: Path, seconds: float, seed: str, rounds: int) -> None:
    ledger, state, census = folder / "ledger", folder / "state", folder / "census"
    work, settings = folder / "work", folder / "acp-tui" / "settings.toml"
    work.mkdir()
    settings.parent.mkdir()
    ledger.touch()
    argv = json.dumps([sys.executable, str(AGENT), seed, str(ledger)])
    named = [f"[agents.round{number}]\ncommand = {argv}\n" for number in range(rounds + 1)]
    settings.write_text("".join(named))
    env = {
        "XDG_CONFIG_HOME": str(folder),
        "XDG_STATE_HOME": str(state),
        "PYTHONPATH": str(Path.cwd()),
    }
    module = ("tests.soak.census", str(census))
    with terminal("--agent", "round0", size=SIZE, env=env, cwd=work, module=module) as it:
        it.wait_for("Ask the agent")
        person, watch = Person(it, seed), Watch(it, census)
        start = watch.look("start")
        fresh: list[Census] = []
        problems: list[str] = []
        begin = time.monotonic()
        for number in range(1, rounds + 1):
            until = begin + seconds * number / rounds
            news = time.monotonic() + 60
            while time.monotonic() < until:
                person.act()
                if time.monotonic() > news:
                    news += 60
                    print(f"  {person.turns} turns, {it.resident} MiB resident", flush=True)
            full = watch.look(f"round {number}, {person.turns} turns")
            explained = BREATH + SHARE * full.kept
            if fresh and full.resident > fresh[0].resident + explained:
                problems.append(f"{full.resident} MiB in round {number}")
            for exported in work.glob("*.*"):
                exported.unlink()
            person.start(f"round{number}")
            fresh.append(watch.look("  that agent closed, another begun"))
            print(f"  more than after round 1: {grown(fresh[0], fresh[-1])}", flush=True)
        it.leave()
        assert it.wait_for_exit() == 0, it.text
        assert it.processes == []
        assert it.current_attributes() == it.attributes
    check_ledger(ledger)
    print({name: value for name, value in vars(person).items() if isinstance(value, int | float)})
    print(
        f"start: {start.resident} MiB, {start.files} files; end: {fresh[-1].resident} MiB, "
        f"{fresh[-1].files} files"
    )
    if person.turns < 5 * rounds:
        problems.append("hardly a turn was made")
    if fresh[-1].files > fresh[0].files:
        problems.append("files are left open")
    if fresh[-1].resident > fresh[0].resident + BREATH:
        problems.append("memory grows")
    if grown(fresh[0], fresh[-1]):
        problems.append("something is not let go of")
    assert not problems, problems


def main() -> None:
    seconds = float(os.environ.get("SOAK_SECONDS", "1800"))
    rounds = int(os.environ.get("SOAK_ROUNDS", "6"))
    seed = os.environ.get("SOAK_SEED", str(random.randrange(10**6)))
    print(f"soak: {seconds:g} s in {rounds} rounds with SOAK_SEED={seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        soak(Path(folder), seconds, seed, rounds)


if __name__ == "__main__":
    main()
