"""Runs the whole program for SOAK_SECONDS (1,800) with SOAK_SEED: `python -m tests.soak`.

What must hold: the program lives and answers keys, every request of the agent's is answered once
unless its process died, memory and open files stay flat, and nothing is left at the end.
"""

import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.e2e.terminal import CTRL_Q, ESCAPE, Terminal, terminal

AGENT = Path(__file__).parent / "agent.py"
ANSWERED_WITHIN = 20.0
"""Seconds in which a key must show."""
GROWTH = 1.0
"""How much memory may grow, in MiB a turn of up to 3,000 updates, all of which stay readable."""


def open_files(it: Terminal) -> int:
    return len(list(Path(f"/proc/{it.process.pid}/fd").iterdir()))


def measure(it: Terminal, when: str) -> tuple[int, int]:
    found = it.resident, open_files(it)
    print(f"{when}: {found[0]} MiB resident, {found[1]} open files, {len(it.processes)} processes")
    sys.stdout.flush()
    return found


def see(it: Terminal, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        it._draw(0.02)
    assert it.process.poll() is None, f"it ended:\n{it.text}"


class Person:
    """Does one thing after the other, as the screen asks for it."""

    def __init__(self, it: Terminal, seed: str) -> None:
        self.it = it
        self.draw = random.Random(seed)
        self.turns = self.restarts = self.cancels = self.answers = 0
        self.slowest = 0.0

    def act(self) -> None:
        it, text = self.it, self.it.text
        if "asks for permission" in text:
            see(it, 0.7)
            it.send(self.draw.choice("12"))
            self.answers += 1
        elif "r restart" in text or "Ctrl+R restart" in text:
            it.send("\x12")
            self.restarts += 1
            see(it, 0.5)
        elif "Esc cancel" in text:
            if self.draw.random() < 0.1:
                it.send(ESCAPE)
                self.cancels += 1
            elif self.draw.random() < 0.1:
                it.resize(self.draw.randint(1, 160), self.draw.randint(1, 50))
                see(it, 0.1)
                it.resize(100, 30)
        elif "Enter send" in text:
            self.prompt()
        see(it, 0.2)

    def prompt(self) -> None:
        begin = time.monotonic()
        word = f"go{self.turns}"  # no r, no q: they are keys where an agent has died
        self.it.send(word)
        others = ("asks for permission", "r restart", "A new session begins")
        before = self.it.text.count(others[2])

        def taken() -> bool:
            text = self.it.text
            return any(one in text for one in others[:2]) or text.count(others[2]) > before

        self.it.wait_until(lambda: word in self.it.text or taken(), word)
        if word not in self.it.text:
            return  # a question, or an agent that died, took the keys
        self.slowest = max(self.slowest, time.monotonic() - begin)
        assert self.slowest < ANSWERED_WITHIN, f"a key took {self.slowest:.1f} s"
        self.it.send("\r")
        self.turns += 1


def check_ledger(ledger: Path, alive: int) -> int:
    """Every request got one answer, unless its agent died; gives how many there were."""
    asked: dict[tuple[int, int], int] = {}
    for line in ledger.read_text("utf-8").splitlines():
        note = json.loads(line)
        if "asked" in note:
            asked[note["pid"], note["asked"]] = 0
        else:
            asked[note["pid"], note["answered"]] += 1
    assert all(count <= 1 for count in asked.values()), "a request was answered twice"
    last = max((pid for pid, _ in asked), default=alive)
    waiting = [one for one, count in asked.items() if not count and one[0] != last]
    print(f"{len(asked)} requests; of agents that died, {len(waiting)} without an answer")
    return len(asked)


def main() -> None:
    seconds = float(os.environ.get("SOAK_SECONDS", "1800"))
    seed = os.environ.get("SOAK_SEED", str(random.randrange(10**6)))
    print(f"soak: {seconds:g} s with SOAK_SEED={seed}")
    with tempfile.TemporaryDirectory() as folder:
        ledger, state = Path(folder, "ledger"), Path(folder, "state")
        ledger.touch()
        argv = [sys.executable, str(AGENT), seed, str(ledger)]
        options = ["--cwd", folder, "--", *argv]
        with terminal(*options, size=(100, 30), env={"XDG_STATE_HOME": str(state)}) as it:
            it.wait_for("Ask the agent")
            person = Person(it, seed)
            until = time.monotonic() + seconds
            while person.turns < 5 and time.monotonic() < until:
                person.act()
            memory, files = measure(it, "start")
            began, news = person.turns, time.monotonic() + 30
            while time.monotonic() < until:
                person.act()
                if time.monotonic() > news:
                    news += 30
                    measure(it, f"after {person.turns} turns")
            memory_after, files_after = measure(it, "end")
            it.send(CTRL_Q)
            assert it.wait_for_exit() == 0, it.text
            assert it.processes == []
            assert it.current_attributes() == it.attributes
        check_ledger(ledger, 0)
    told = {name: value for name, value in vars(person).items() if isinstance(value, int | float)}
    print(f"{told}")
    assert person.turns > 5, "no turn was made"
    assert files_after <= files + 5, "files are left open"
    assert memory_after - memory < 20 + GROWTH * (person.turns - began), "memory grows"


if __name__ == "__main__":
    main()
