"""Runs the agent on stdin and stdout: `python -S __main__.py STORE [--break ID]`."""

import os
import sys
from pathlib import Path

from agent import Agent
from wire import Wire


def main(store: str, *words: str) -> None:
    """Serve one client until stdin ends."""
    kind = Agent
    if words:
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
