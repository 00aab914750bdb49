"""The place where an agent runs, and which files and terminals the client serves there."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from acp_tui.protocol.folders import Folders, Pair

Wrap = Callable[[Sequence[str], str, Mapping[str, str]], list[str]]
"""Wraps a command so that it runs at the place; the arguments are argv, a local folder and the
variables.
"""


class ContainerPlace(NamedTuple):
    """A container: the program that manages it, and its label."""

    program: str
    label: str


class PlaceError(Exception):
    """An agent can't be started at its place; the message says why and what to do."""


def unchanged_command(argv: Sequence[str], _cwd: str, _env: Mapping[str, str]) -> list[str]:
    """Return the command unchanged, for an agent that runs on this machine."""
    return list(argv)


class Place(NamedTuple):
    """A place where an agent can run, by default this machine.

    `served` is a sentence about its files and commands. `folder` is the session's folder if the
    files are elsewhere; `folders` are local folders with other names there. If `shared` is not
    None, only files in those folders are served, and only those in `written` folders may be
    written. `wrap` raises PlaceError.
    """

    name: str = ""
    served: str = ""
    wrap: Wrap = unchanged_command
    folder: str | None = None
    folders: tuple[Pair, ...] = ()
    shared: tuple[str, ...] | None = None
    written: tuple[str, ...] | None = None
    serves_files: bool = True
    serves_terminals: bool = True
    is_sandbox: bool = False
    sign_in: Wrap | None = None
    """Wraps a sign-in program on the user's terminal, if `wrap` can't."""
    container: ContainerPlace | None = None
    """The container, which may outlive the program that starts the agent in it."""

    @property
    def elsewhere(self) -> bool:
        """Whether the agent's files are on another machine."""
        return self.folder is not None

    def wrap_for_agent(
        self, argv: Sequence[str], cwd: str, env: Mapping[str, str]
    ) -> tuple[list[str], Mapping[str, str]]:
        """Wrap a command that the agent has chosen, and return it with its variables.

        The program that creates a sandbox runs outside it, so it gets none of the agent's
        variables, such as LD_PRELOAD.
        """
        command = self.wrap(argv, cwd, env)
        if not self.is_sandbox:
            return command, env
        inside = [word for pair in env.items() for word in ("--setenv", *pair)]
        return [command[0], *inside, *command[1:]], {}

    def names(self) -> Folders:
        """Return the translation between folder names here and at the place."""
        return Folders(self.folders)


THIS_MACHINE = Place()
