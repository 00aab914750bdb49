"""The version of acp-tui, and the command that installs its extras."""

__version__ = "0.1.0"


def install_command(extra: str) -> str:
    """Return how to install an extra, in words.

    This is the one place to change once acp-tui is on a package index; until then, anyone could
    register its name there.
    """
    return f"pip install '.[{extra}]' in a checkout of acp-tui"
