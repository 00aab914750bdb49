"""The command of a terminal, as a person would type it."""

import shlex
from pathlib import PurePath

from acp_tui.session.state import Terminal

_SHELLS = ("sh", "bash", "dash", "zsh")


def command_line(terminal: Terminal) -> str:
    """Return the command and its arguments; of a shell that runs one script, the script itself."""
    if PurePath(terminal.command).name in _SHELLS and len(terminal.args) == 2:
        flag, script = terminal.args
        if flag in ("-c", "-lc"):
            return script
    return " ".join([terminal.command, *[shlex.quote(arg) for arg in terminal.args]])
