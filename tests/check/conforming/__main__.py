"""Runs the agent on stdin and stdout: `python -S __main__.py STORE [--protocol 2] [--break ID]`."""

import os
import sys
from pathlib import Path

from agent import Agent
from wire import Wire


def main(store: str, *words: str) -> None:
    """Serve one client until stdin ends."""
    kind = Agent
    if words[:1] == ("--protocol",):
        from second import Agent2

        kind, words = Agent2, words[2:]
        if words:
            from mutants_2 import MUTANTS_2

            kind = MUTANTS_2[words[1]]
    elif words:
        from mutants import MUTANTS, OTHERS

        kind = {**MUTANTS, **OTHERS}[words[1]]
    agent = kind(Wire(), Path(store))
    agent.begin()
    for line in sys.stdin.buffer:
        agent.receive(line)
    agent.end()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
