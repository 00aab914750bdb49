"""Scripts for the fake agent with what only tests of a client need; see `acp_tui.testing`."""

from pathlib import Path
from typing import Self

from acp_tui.testing import script
from acp_tui.testing.script import OPTIONS

__all__ = ["OPTIONS", "Played", "Script"]


class Script(script.Script):
    """A list of steps that grows by method calls."""

    player = Path(__file__).with_name("__main__.py")

    def pour(self, noise: str, *, where: str) -> Self:
        """Write to "stdout" or "stderr" over and over, until the client says something."""
        return self.do("pour", text=noise, where=where)

    def close_stdout(self) -> Self:
        """Close stdout and live on."""
        return self.do("close_stdout")

    def stop_reading(self) -> Self:
        """Read at most 64 KiB more from stdin, so that the pipe fills."""
        return self.do("stop_reading")

    def ignore_eof(self) -> Self:
        """Live on when stdin ends, for two minutes at most."""
        return self.do("ignore_eof")

    def ignore_sigterm(self) -> Self:
        """Live on after SIGTERM."""
        return self.do("ignore_sigterm")

    def spawn_grandchild(
        self,
        *,
        own_session: bool = False,
        ignores_sigterm: bool = False,
        holds_stdout: bool = False,
    ) -> Self:
        """Start a process that sleeps for two minutes; its pid is in `Played.grandchildren`."""
        return self.do(
            "spawn_grandchild",
            own_session=own_session,
            ignores_sigterm=ignores_sigterm,
            holds_stdout=holds_stdout,
        )

    def spawn(self, argv: list[str]) -> Self:
        """Start a program, and wait for nothing of it."""
        return self.do("spawn", argv=argv)


class Played(script.Played):
    """What one start of the fake agent saw, and the processes that it started."""

    @property
    def grandchildren(self) -> list[int]:
        """Their pids."""
        found: list[int] = self.report["grandchildren"]
        return found
