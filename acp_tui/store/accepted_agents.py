"""The commands that a person lets agents be started by: another command asks again."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from acp_tui.config.private_files import write_whole


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
