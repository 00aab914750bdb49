"""What `acp-tui doctor` says of one thing."""

from enum import StrEnum
from typing import NamedTuple


class FactMark(StrEnum):
    """How a fact is to be taken."""

    FACT = "fact"
    """Neither good nor bad."""
    FINE = "ok"
    MISSING = "not there"
    WRONG = "wrong"


class Fact(NamedTuple):
    """One thing that was looked at, and what to do if it is wrong."""

    topic: str
    name: str
    mark: FactMark
    words: str


def judged(topic: str, name: str, words: str, is_wrong: bool, advice: str) -> Fact:
    """Say what was found, and where that is a problem, what to do."""
    if is_wrong:
        return Fact(topic, name, FactMark.WRONG, f"{words}: {advice}")
    return Fact(topic, name, FactMark.FINE, words)
