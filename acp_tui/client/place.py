"""Where an agent runs, and what the client serves to it there."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from acp_tui.protocol.folders import Folders, Pair

Wrap = Callable[[Sequence[str], str, Mapping[str, str]], list[str]]
"""Makes the command that runs a command at the place: in a local folder, with these variables."""


class ContainerPlace(NamedTuple):
    """Identifies a container: the program that manages it, and its label."""

    program: str
    label: str


class PlaceError(Exception):
    """An agent can't be started at its place; the message says why, and what to do."""


def as_it_is(argv: Sequence[str], _cwd: str, _env: Mapping[str, str]) -> list[str]:
    """Return the unchanged command, for an agent that runs locally."""
    return list(argv)


class Place(NamedTuple):
    """A place for an agent: by default this machine.

    `served` is a sentence about its files and commands. `folder` is the session's folder if the
    files are elsewhere; `folders` are local ones with another name there. If not None, only files
    in `shared` folders are served, and only those in `written` ones may be written. `wrap` raises
    PlaceError.
    """

    name: str = ""
    served: str = ""
    wrap: Wrap = as_it_is
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
    """The container, which outlives the program that starts the agent in it."""

    @property
    def elsewhere(self) -> bool:
        """Return whether the agent's files are on another machine."""
        return self.folder is not None

    def wrap_for_agent(
        self, argv: Sequence[str], cwd: str, env: Mapping[str, str]
    ) -> tuple[list[str], Mapping[str, str]]:
        """Return the wrapped command that the agent has chosen, and its variables.

        The program that makes a sandbox runs outside it, so it gets no variable of the agent's,
        such as LD_PRELOAD.
        """
        command = self.wrap(argv, cwd, env)
        if not self.is_sandbox:
            return command, env
        inside = [word for pair in env.items() for word in ("--setenv", *pair)]
        return [command[0], *inside, *command[1:]], {}

    def names(self) -> Folders:
        """Return the translation of folder names."""
        return Folders(self.folders)


THIS_MACHINE = Place()
