"""The list of slash commands that match what is typed (ACP: Slash Commands)."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from acp_tui.protocol.updates import AvailableCommand
from acp_tui.text import clean_line
from acp_tui.ui.prompt.completion_list import CompletionList
from acp_tui.ui.prompt.familiar_commands import FAMILIAR_COMMANDS, FamiliarCommand

if TYPE_CHECKING:
    from acp_tui.config.own_prompts import OwnPrompt

NAMES = 40
"""Most cells that names with their arguments take, before the descriptions."""

_COMMAND = re.compile(r"/(\S*)(\s?)")


class CommandList(CompletionList["AvailableCommand | OwnPrompt"]):
    """Lists the commands that match the prompt; after a complete name, its command and argument."""

    def __init__(self) -> None:
        super().__init__()
        self._commands: Sequence[AvailableCommand] = ()
        self._own: Sequence[OwnPrompt] = ()
        self._typing = False
        """Whether the command's name is still being typed, rather than its argument."""
        self._uses = Counter[str]()

    @property
    def choosing(self) -> bool:
        return super().choosing and self._typing

    def offer_own(self, prompts: "Sequence[OwnPrompt]") -> None:
        """Offer prompts from files; a command of the agent with the same name takes precedence."""
        self._own = prompts

    @property
    def marked_own(self) -> "OwnPrompt | None":
        """The marked prompt from a file, while the list is open for choosing."""
        marked = self._found[self._cursor] if self.choosing else None
        return None if marked is None or isinstance(marked, AvailableCommand) else marked

    def named_own(self, text: str) -> "tuple[OwnPrompt, str] | None":
        """Return the prompt from a file whose name begins `text`, and the words after the name."""
        typed = _COMMAND.match(text)
        if typed is None or self.is_agents(typed[1]):
            return None
        named = (one for one in self._own if one.name == typed[1])
        return next(((one, text[typed.end() :].strip()) for one in named), None)

    def offer(self, commands: Sequence[AvailableCommand]) -> None:
        """Offer the agent's commands."""
        self._commands = commands

    @property
    def offered(self) -> str:
        """What can be completed: the agent's commands or the user's prompts; "" if nothing."""
        return "its commands" if self._commands else "your prompts" if self._own else ""

    def is_agents(self, name: str) -> bool:
        """Return whether the agent has a command with this name."""
        return any(one.name == name for one in self._commands)

    def named_familiar(self, text: str) -> FamiliarCommand | None:
        """Return the familiar command that `text` is, unless the agent or a file has that name."""
        command = text.strip()
        name = command.removeprefix("/")
        if name == command or self.is_agents(name) or self.named_own(text) is not None:
            return None
        return FAMILIAR_COMMANDS.get(name)

    def match(self, text: str, sent: Sequence[str] = ()) -> None:
        """Show the matching commands, those used most in `sent` first; hide the list if none."""
        typed = _COMMAND.match(text)
        if typed is not None:
            self._uses = Counter(one.split(None, 1)[0] for one in sent if one.startswith("/"))
        self._typing = typed is not None and not typed[2]
        self.show(self._find_fitting(typed) if typed is not None else ())

    def _find_fitting(self, typed: re.Match[str]) -> "list[AvailableCommand | OwnPrompt]":
        own = [one for one in self._own if not self.is_agents(one.name)]
        every: list[AvailableCommand | OwnPrompt] = [*self._commands, *own]
        if typed[2]:
            return [one for one in every if one.name == typed[1]]
        name = typed[1].lower()
        used_names = {one.name for one in every}
        every += [one for one in _familiar_commands(name) if one.name not in used_names]
        ranked = [(rank_name(name, one.name.lower()), one) for one in every]
        fitting = [(at, one) for at, one in ranked if at is not None]
        fitting.sort(
            key=lambda both: (both[0], both[1].name != typed[1], -self._uses[f"/{both[1].name}"])
        )
        return [one for _, one in fitting]

    def completed(self) -> str:
        """Return the prompt's text with the marked command."""
        return written_command(f"/{self._found[self._cursor].name}")

    def render(self) -> Content:
        shown = [(at, self._found[at]) for at in self.in_view]
        widest = max((cell_len(_name(one) + _argument(one)) for _, one in shown), default=0)
        names = min(NAMES, self.row_width // 2, widest)
        rows = [
            self._draw_row(command, names, self._typing and at == self._cursor)
            for at, command in shown
        ]
        if len(self._found) > len(rows):
            rows[-1] = self.with_count(rows[-1], len(self._found))
        return Content("\n").join(rows)

    def _draw_row(
        self, command: "AvailableCommand | OwnPrompt", names: int, marked: bool
    ) -> Content:
        name, argument, origin = _name(command), _argument(command), ""
        if not isinstance(command, AvailableCommand):
            origin = "a prompt of the project" if command.of_project else "your prompt"
        elif command.is_skill:
            origin = "a skill"
        if self._typing:  # a complete command shows all of its argument hint
            room = max(0, names - cell_len(name))
            argument = Content(argument).truncate(room, ellipsis=True).plain if room > 3 else ""
        row = Content.assemble(
            ("▌ " if marked else "  ", "$primary"),
            (name, "bold $primary" if marked else "$primary"),
            (argument, "italic $text-muted"),
            " " * (names - cell_len(name + argument)),
            (f"  {clean_line(command.description)}", "$foreground" if marked else "$text-muted"),
            (f"  {origin}" if origin else "", "italic $text-muted"),
        )
        return row.truncate(self.row_width, ellipsis=True)


def _familiar_commands(typed: str) -> list[AvailableCommand]:
    """Return the familiar commands that begin with `typed`; none if it is empty."""
    return [
        AvailableCommand(name=name, description=command.description)
        for name, command in FAMILIAR_COMMANDS.items()
        if typed and name.startswith(typed)
    ]


def _name(command: "AvailableCommand | OwnPrompt") -> str:
    return f"/{clean_line(command.name)}"


def _argument(command: "AvailableCommand | OwnPrompt") -> str:
    """Return the hint for a command's argument, in brackets as in manual pages."""
    if isinstance(command, AvailableCommand):
        hint = clean_line(command.input.hint) if command.input is not None else ""
    else:
        hint = clean_line(command.hint)
    return "" if not hint else f" {hint}" if hint[0] in "[<" else f" [{hint}]"


def written_command(name: str) -> str:
    """Return a command as text for the prompt, escaped so that an agent's name mentions no file."""
    from acp_tui.workspace.mentions import escape_mentions  # not needed at startup

    return escape_mentions(f"{clean_line(name)} ")


def rank_name(typed: str, name: str) -> int | None:
    """Return how well a name matches what is typed, 0 is best; None if it doesn't.

    0 is a prefix of the name, 1 a prefix of one of its parts, 2 a substring, 3 its letters in
    order.
    """
    if name.startswith(typed):
        return 0
    if any(part.startswith(typed) for part in re.split(r"[\W_]+", name)):
        return 1
    if typed in name:
        return 2
    letters = iter(name)
    return 3 if typed.isalnum() and all(one in letters for one in typed) else None
