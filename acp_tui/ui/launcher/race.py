"""A race: its agents, and the questions before it: its prompt, then the command, which can be changed."""

import shlex
from collections.abc import Callable, Collection, Sequence
from typing import Any

from textual.app import App

from acp_tui.ui.launcher.rows import Choice, StartAgent
from acp_tui.ui.toolkit.dialogs.line import LineDialog


class Entrants:
    """The agents that are to race, in the order in which they were chosen."""

    def __init__(self) -> None:
        self.names: list[str] = []

    @property
    def can_race(self) -> bool:
        """Whether there are enough of them."""
        return len(self.names) > 1

    def has(self, choice: Choice | None) -> bool:
        """Whether this is an agent that is to race."""
        return isinstance(choice, StartAgent) and choice.name in self.names

    def toggle(self, choice: Choice | None) -> str:
        """Let an agent race, or no longer; return what is to be said about it."""
        if not isinstance(choice, StartAgent):
            return "an agent that has a name can race: go to one"
        if choice.name in self.names:
            self.names.remove(choice.name)
            return ""
        self.names.append(choice.name)
        return "" if self.can_race else "a race needs a second agent"


def ask_for_race(
    app: App[Any],
    agents: Collection[str],
    begin: Callable[[Sequence[str]], None],
    say: Callable[[str], None],
) -> None:
    """Ask what these agents shall do, then begin with the arguments of `acp-tui` that Enter runs; say
    why not, if they are none of a race.
    """

    def prompted(prompt: str | None) -> None:
        if not prompt or not prompt.strip():
            return
        # One that begins with a dash would be an option.
        words = prompt.strip() if not prompt.strip().startswith("-") else f" {prompt.strip()}"
        named = [f"--agent={name}" for name in agents]
        facts = [
            "Enter runs this command exactly as shown.",
            "--permissions=allow lets the agents do what they ask for, each in its worktree.",
            "--judge='make test' runs a command in each of them afterward.",
        ]
        # The prompt is known: where all of it has no room, its end is what isn't seen.
        line = shlex.join(["acp-tui", "race", *named, "--permissions=reject", words])
        app.push_screen(LineDialog("Start the race?", facts, line), confirmed)

    def confirmed(line: str | None) -> None:
        if line is None:
            return
        try:
            program, *given = shlex.split(line)
        except ValueError:
            program, given = "", []
        if program != "acp-tui" or given[:1] != ["race"]:
            say("not begun: the command is no `acp-tui race …`")
        else:
            begin(given)

    facts = [f"{', '.join(agents)}: each gets this prompt, in a worktree of its own."]
    app.push_screen(LineDialog("Prompt for the race", facts), prompted)
