"""The version of acp-tui, for its package and for `clientInfo`, and how its extras are installed."""

__version__ = "0.1.0"


def install_command(extra: str) -> str:
    """Return the command that installs an extra, in words.

    The one place to change once acp-tui is on a package index: until then its name there is somebody
    else's to take.
    """
    return f"pip install '.[{extra}]' in a checkout of acp-tui"
