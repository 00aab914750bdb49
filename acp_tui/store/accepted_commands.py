"""Stores the commands that the user agreed to, for starting agents and resuming sessions. Any other
command must be accepted again.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from acp_tui.config.private_files import read_json, write_whole
from acp_tui.store.same_folder import folder_id

KEPT_COMMANDS = 500
"""Number of accepted commands that are kept: the latest ones."""
LARGEST_COMMANDS_FILE = 256 * 1024
"""Largest file in bytes: a larger one isn't ours."""


class AcceptedCommands:
    """The commands with which sessions may be resumed; a missing or broken file accepts nothing."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def accepts(self, folder: str, command: Sequence[str]) -> bool:
        """Return whether the user accepted exactly this command in this folder."""
        try:
            return _hash(folder, command) in self._read_hashes()
        except OSError:
            return False

    def accept(self, folder: str, command: Sequence[str]) -> None:
        """Remember that this command may be started in this folder. Raises OSError."""
        new = _hash(folder, command)
        kept = [*(one for one in self._read_hashes() if one != new), new][-KEPT_COMMANDS:]
        write_whole(self._file, json.dumps(kept, indent=1) + "\n")

    def _read_hashes(self) -> list[str]:
        known = read_json(self._file, LARGEST_COMMANDS_FILE)
        return [one for one in known if isinstance(one, str)] if isinstance(known, list) else []


def _hash(folder: str, command: Sequence[str]) -> str:
    """Hash a command with its folder's path and inode: another folder may get this path later.
    Raises OSError.
    """
    from hashlib import sha256  # rarely needed at start

    body = json.dumps([os.path.realpath(folder), folder_id(Path(folder).stat()), *command])
    return sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


class AcceptedAgents:
    """The commands with which agents may be started, by the agent's name; a missing or broken file
    accepts nothing.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def accepts(self, name: str, command: Sequence[str], env: Mapping[str, str]) -> bool:
        """Return whether the user agreed to start this agent with exactly this command."""
        return self._read_commands().get(name) == _entry(command, env)

    def accept(self, name: str, command: Sequence[str], env: Mapping[str, str]) -> None:
        """Remember that this agent may be started with this command. Raises OSError."""
        self._write_commands({**self._read_commands(), name: _entry(command, env)})

    def forget(self, name: str) -> bool:
        """Delete an agent's accepted command; return whether there was one. Raises OSError."""
        known = self._read_commands()
        if name not in known:
            return False
        del known[name]
        self._write_commands(known)
        return True

    def _write_commands(self, known: Mapping[str, object]) -> None:
        write_whole(self._file, json.dumps(known, indent=2) + "\n")

    def _read_commands(self) -> dict[str, object]:
        known = read_json(self._file)
        return known if isinstance(known, dict) else {}


def _entry(command: Sequence[str], env: Mapping[str, str]) -> dict[str, object]:
    return {"command": list(command), "env": dict(env)}
