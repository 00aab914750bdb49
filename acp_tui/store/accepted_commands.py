"""The commands that a person accepted: of agents, and of sessions that are resumed. Another one asks again."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from acp_tui.config.private_files import write_whole
from acp_tui.store.same_folder import folder_id

KEPT_COMMANDS = 500
"""How many are kept: those that were accepted last."""
LARGEST_COMMANDS_FILE = 256 * 1024
"""Bytes of the file: one that is larger is none of ours."""


class AcceptedCommands:
    """A file that is missing or broken accepts nothing."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def accepts(self, folder: str, command: Sequence[str]) -> bool:
        """Return whether a person accepted exactly this command in this folder."""
        try:
            return _hash(folder, command) in self._known()
        except OSError:
            return False

    def accept(self, folder: str, command: Sequence[str]) -> None:
        """Remember that this command may be started in this folder. Raises OSError."""
        new = _hash(folder, command)
        kept = [*(one for one in self._known() if one != new), new][-KEPT_COMMANDS:]
        write_whole(self._file, json.dumps(kept, indent=1) + "\n")

    def _known(self) -> list[str]:
        try:
            if self._file.stat().st_size > LARGEST_COMMANDS_FILE:
                return []
            known = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return []
        return [one for one in known if isinstance(one, str)] if isinstance(known, list) else []


def _hash(folder: str, command: Sequence[str]) -> str:
    """Return what stands for a command in a folder, and in no other that has its name later. Raises OSError."""
    from hashlib import sha256  # most starts ask nothing

    body = json.dumps([os.path.realpath(folder), folder_id(Path(folder).stat()), *command])
    return sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


class AcceptedAgents:
    """A file of agents' names with their commands; one that is missing or broken accepts nothing."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def accepts(self, name: str, command: Sequence[str], env: Mapping[str, str]) -> bool:
        """Return whether a person lets this agent be started by exactly this command."""
        return self._known().get(name) == _entry(command, env)

    def accept(self, name: str, command: Sequence[str], env: Mapping[str, str]) -> None:
        """Remember that this agent may be started by this command. Raises OSError."""
        self._write({**self._known(), name: _entry(command, env)})

    def forget(self, name: str) -> bool:
        """Ask again before this agent is started; return whether it was accepted. Raises OSError."""
        known = self._known()
        if name not in known:
            return False
        del known[name]
        self._write(known)
        return True

    def _write(self, known: Mapping[str, object]) -> None:
        write_whole(self._file, json.dumps(known, indent=2) + "\n")

    def _known(self) -> dict[str, object]:
        try:
            known = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return known if isinstance(known, dict) else {}


def _entry(command: Sequence[str], env: Mapping[str, str]) -> dict[str, object]:
    return {"command": list(command), "env": dict(env)}
