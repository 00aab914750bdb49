"""Where an agent runs, and what of ours is served to it there."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from acp_tui.protocol.folders import Folders, Pair

Wrap = Callable[[Sequence[str], str, Mapping[str, str]], list[str]]
"""Makes the command that runs a command there: in a folder of ours, with these variables."""


class ContainerPlace(NamedTuple):
    """How a container is found: by the program that asks its server, and by its label."""

    program: str
    label: str


class PlaceError(Exception):
    """An agent can't be started in its place; the text says why, and what to do."""


def as_it_is(argv: Sequence[str], _cwd: str, _env: Mapping[str, str]) -> list[str]:
    """Return the command of an agent that runs beside us."""
    return list(argv)


class Place(NamedTuple):
    """A place for an agent: by default beside us.

    `served` is a sentence about its files and commands. `folder` is the session's where the files
    aren't ours; `folders` are ours that have another name there. Of `shared` folders alone files are
    served, and only to `written` ones is written, if they are not None. `wrap` raises PlaceError.
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
    """Takes a sign-in program there, on the person's terminal, where `wrap` can't."""
    container: ContainerPlace | None = None
    """The container, which outlives the program that starts the agent there."""

    @property
    def elsewhere(self) -> bool:
        """Whether the agent's files are not ours."""
        return self.folder is not None

    def wrap_for_agent(
        self, argv: Sequence[str], cwd: str, env: Mapping[str, str]
    ) -> tuple[list[str], Mapping[str, str]]:
        """Return what runs a command that the agent has chosen, and the variables to run that with.

        What makes a sandbox is outside it, and gets no variable of the agent's, such as LD_PRELOAD.
        """
        command = self.wrap(argv, cwd, env)
        if not self.is_sandbox:
            return command, env
        inside = [word for pair in env.items() for word in ("--setenv", *pair)]
        return [command[0], *inside, *command[1:]], {}

    def names(self) -> Folders:
        """Return what translates the names of folders."""
        return Folders(self.folders)


BESIDE_US = Place()
