"""The command of a terminal, as a person would type it."""

import shlex

from acp_tui.state.command_equality import shell_script
from acp_tui.state.state import Terminal


def command_line(terminal: Terminal) -> str:
    """Return the command and its arguments; for a shell that runs one script, the script."""
    script = shell_script((terminal.command, *terminal.args))
    if script is not None:
        return script
    return " ".join([terminal.command, *[shlex.quote(arg) for arg in terminal.args]])
