"""Reads casts as players do."""

import json
from collections.abc import Iterator
from typing import Any

import pyte


class Cast:
    """A cast as a player reads it."""

    def __init__(self, text: str) -> None:
        self.header: dict[str, Any]
        self.header, *self.events = [json.loads(line) for line in text.splitlines()]

    @property
    def labels(self) -> list[str]:
        """The names of its markers."""
        return [data for _, kind, data in self.events if kind == "m"]

    def screens(self) -> Iterator[str]:
        """What can be read after each output."""
        return (shown for kind, shown in self.moments() if kind == "o")

    def moments(self) -> Iterator[tuple[str, str]]:
        """The kind of each event, and what can be read after it."""
        screen = pyte.Screen(self.header["width"], self.header["height"])
        stream = pyte.Stream(screen)
        for _, kind, data in self.events:
            if kind == "o":
                stream.feed(data)
            yield kind, "\n".join(row.rstrip() for row in screen.display)
