"""Which version of the protocol a log speaks: told by the form of initialize, or guessed without it."""

from typing import NamedTuple

from acp_tui.debug.exchanges import Reading
from acp_tui.protocol.dialects import shape_of


class Spoken(NamedTuple):
    """A version of the protocol; `guessed` if no initialize told it."""

    version: int
    guessed: bool

    @property
    def is_usual(self) -> bool:
        """Whether there is no need to say so."""
        return self.version == 1 and not self.guessed

    @property
    def short(self) -> str:
        """It where there is little room."""
        return f"version {self.version}{' (guess)' if self.guessed else ''}"

    @property
    def words(self) -> str:
        """It as one reads it."""
        name = f"version {self.version}"
        return f"{name} (a guess: there is no initialize)" if self.guessed else name


def told(reading: Reading) -> int:
    """Return the version of an initialize or its result: that of its form, whatever it claims. The
    number counts for what is later than version 2.
    """
    holder = reading.params or reading.result
    version = holder.get("protocolVersion")
    shape = shape_of(holder)
    return version if shape > 1 and isinstance(version, int) and version > shape else shape
