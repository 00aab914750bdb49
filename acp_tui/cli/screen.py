"""Prepares the screen for every command that shows the UI: theme, keys and terminal."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.output import USAGE, print_error

if TYPE_CHECKING:
    from acp_tui.config.settings import Settings


def prepare_look(options: argparse.Namespace) -> str | None:
    """Load the chosen theme and rebind keys as the settings say; return the theme's name, or None.
    End the program if either is invalid.

    Call this before any widget is imported, as widgets read their keys then.
    """
    from acp_tui.config.layers import load_settings
    from acp_tui.config.paths import settings_file
    from acp_tui.config.settings import DEFAULT_THEME
    from acp_tui.config.themes import load_theme, theme_in_settings
    from acp_tui.config.toml_files import ConfigError

    try:
        theme: str | None = options.theme or theme_in_settings(settings_file())
        own_look = bool(load_theme(theme or DEFAULT_THEME).variables)
        settings = load_settings(settings_file())
        if settings.keys or settings.key_preset != "default":
            from acp_tui.ui.keymap import move_keys
            from acp_tui.ui.keys import MOVED

            if not MOVED:  # otherwise the launcher has done it
                assert "textual.widget" not in sys.modules, "a widget has its keys already"
                move_keys(settings, settings_file())
        if own_look:
            from acp_tui.ui.colors.theme import theme_called

            theme_called(theme or DEFAULT_THEME)
    except ConfigError as error:
        print_error(str(error))
        raise SystemExit(USAGE) from None
    from acp_tui.ui.textual_fixes.command_palette import load_without_palette

    load_without_palette()
    return theme


def check_moved_keys(settings: "Settings", file: Path) -> None:
    """Check that keys can be rebound as the settings say. Raises ConfigError."""
    if settings.keys or settings.key_preset != "default":
        from acp_tui.ui import keymap  # imports Textual

        keymap.check_keys(settings, file)


def has_terminal() -> bool:
    """Return whether the UI can be drawn; if not, print the reason."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print_error(
            'the UI needs a terminal; without one, use: acp-tui run "PROMPT" -- COMMAND, or --plain'
        )
        return False
    if os.environ.get("TERM") == "dumb":
        print_error(
            "the UI can't draw on this terminal (TERM=dumb); set TERM to what it is, "
            "or use: acp-tui --plain -- COMMAND"
        )
        return False
    return True


def first_error(error: BaseException) -> BaseException:
    """Return the first error in an exception group, however deeply it is nested."""
    return first_error(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
