"""Slash commands that are familiar from agents' own programs, and what they do here.

A command of the agent or a prompt file with the same name takes precedence.
"""

from typing import NamedTuple

from acp_tui.ui.keys import feature_action, key_name


class FamiliarCommand(NamedTuple):
    """A slash command that runs an action here; `words` describe it, and `key` runs it, too."""

    action: str
    words: str
    key: str = ""

    @property
    def description(self) -> str:
        """What the command does, and the key that does the same."""
        return f"{self.words} ({key_name(self.key)})" if self.key else self.words


_NEW = FamiliarCommand(
    feature_action("sessions.new_of_shown"), "New session; this one stays in its tab"
)
_QUIT = FamiliarCommand(feature_action("leaving.leave"), "Quit", "ctrl+q")
FAMILIAR_COMMANDS = {
    "clear": _NEW,
    "config": FamiliarCommand(feature_action("settings.open"), "Open the settings", "f10"),
    "exit": _QUIT,
    "export": FamiliarCommand(feature_action("exports.ask"), "Export the session", "alt+o"),
    "help": FamiliarCommand("app.help", "Show all keys", "f1"),
    "model": FamiliarCommand(feature_action("options.open"), "Choose the model", "f4"),
    "new": _NEW,
    "permissions": FamiliarCommand(feature_action("rules.open"), "List permission rules", "alt+p"),
    "quit": _QUIT,
    "resume": FamiliarCommand(
        feature_action("sessions.open_picker"), "Open an earlier session", "ctrl+o"
    ),
    "rewind": FamiliarCommand(feature_action("rewind.open"), "Rewind to before a turn", "alt+u"),
    "theme": FamiliarCommand(feature_action("themes.open"), "Choose a theme", "f3"),
}
