"""The checks of every command that shows the UI: of the theme, and of the terminal."""

import argparse
import os
import sys

from acp_tui.cli.output import USAGE, complain


def theme_of(options: argparse.Namespace) -> str | None:
    """Return the theme that was chosen, if any; end the program if it can't be used."""
    from acp_tui.config.errors import ConfigError
    from acp_tui.config.paths import settings_file
    from acp_tui.config.settings import DEFAULT_THEME
    from acp_tui.config.themes import load_theme, theme_in_settings

    try:
        theme: str | None = options.theme or theme_in_settings(settings_file())
        load_theme(theme or DEFAULT_THEME)
    except ConfigError as error:
        complain(str(error))
        raise SystemExit(USAGE) from None
    return theme


def has_terminal() -> bool:
    """Return whether the UI can be drawn; if not, print why."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        complain(
            'the UI needs a terminal; without one, use: acp-tui run "PROMPT" -- COMMAND, or --plain'
        )
        return False
    if os.environ.get("TERM") == "dumb":
        complain(
            "the UI can't draw on this terminal (TERM=dumb); set TERM to what it is, "
            "or use: acp-tui --plain -- COMMAND"
        )
        return False
    return True
