"""Runs git for races: without the user's hooks, and only in the given repository."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_QUIET = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "commit.gpgSign=false",
    "gc.auto=0",
    "submodule.recurse=false",
    "core.filesRefLockTimeout=10000",  # another race may be claiming its name
)


class WorktreeGitError(Exception):
    """Git is missing, or refuses; the message says why."""


class WorktreeGit:
    """Runs git commands in one folder, with these variables; other GIT_ variables are removed."""

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        self._folder = folder
        self._variables = variables

    def with_variables(self, variables: Mapping[str, str]) -> "WorktreeGit":
        """Return git with more variables."""
        return WorktreeGit(self._folder, {**self._variables, **variables})

    def run(self, *arguments: str, data: bytes = b"") -> bytes:
        """Return a command's output. Raises WorktreeGitError."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        options = [word for one in _QUIET for word in ("-c", one)]
        try:
            ran = subprocess.run(
                ["git", *options, *arguments],
                cwd=self._folder,
                env={**clean, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", **self._variables},
                input=data,
                capture_output=True,
                check=False,
            )
        except (FileNotFoundError, NotADirectoryError) as error:
            missing = "the folder is gone" if not self._folder.is_dir() else "git is not installed"
            raise WorktreeGitError(missing) from error
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise WorktreeGitError(f"git can't be started: {why}") from error
        if ran.returncode:
            said = ran.stderr.decode(errors="replace").strip()
            raise WorktreeGitError(said.removeprefix("fatal: ") or f"git {arguments[0]} failed")
        return ran.stdout

    def line(self, *arguments: str) -> str:
        """Return a command's one line of output. Raises WorktreeGitError."""
        return self.run(*arguments).decode().rstrip("\n")
