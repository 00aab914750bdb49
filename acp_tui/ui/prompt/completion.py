"""Completion in the prompt: when its lists are shown, and what is inserted."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from textual.widgets import TextArea

from acp_tui.ui.prompt.command_list import CommandList
from acp_tui.ui.prompt.file_list import FileList

if TYPE_CHECKING:
    from acp_tui.config.own_prompts import OwnPrompt

KEYS = ("up", "down", "ctrl+p", "ctrl+n", "enter", "tab")
"""The keys that a list handles while something in it is marked."""


class PromptCompletion:
    """Drives the lists of commands and files from the text of the prompt."""

    def __init__(
        self,
        prompt: TextArea,
        commands: CommandList,
        files: FileList,
        sent: Callable[[], Sequence[str]],
        write: Callable[[str], None],
        list_own: Callable[[], None],
    ) -> None:
        """`sent` returns the sent prompts, `write` replaces the whole text, and `list_own` starts
        reading the prompt files.
        """
        self.commands = commands
        self.files = files
        self._prompt = prompt
        self._sent = sent
        self._write = write
        self._list_own = list_own
        self._own: Literal["unknown", "read", "known"] = "unknown"
        """Whether the prompt files for the current command are loaded; "read" is in progress."""
        files.use_history(lambda: list(reversed(sent())))

    @property
    def lists(self) -> dict[str, str]:
        """What each sign lists: "/" the agent's commands, "@" files."""
        found = {"/": self.commands.offered, "@": self.files.offered}
        return {sign: words for sign, words in found.items() if words}

    @property
    def is_open(self) -> bool:
        """Whether a list is shown."""
        return self.commands.display or self.files.display

    def close(self) -> None:
        """Hide the commands, else the files, until more is typed."""
        if self.commands.display:
            self.commands.hide()
        else:
            self.files.hide()

    @property
    def choosing(self) -> bool:
        """Whether Enter inserts the marked item of a list."""
        return self._is_unfinished or self.files.completed(self._before_cursor) is not None

    @property
    def _is_unfinished(self) -> bool:
        """Whether the marked command isn't fully typed yet."""
        commands = self.commands
        return commands.choosing and commands.completed().rstrip() != self._prompt.text

    def is_list_key(self, key: str) -> bool:
        """Return whether a key is for an open list."""
        return (self.commands.choosing or self.files.choosing) and key in KEYS

    def move(self, step: int) -> bool:
        """Move the mark in the open list by `step`; return False if no list is open."""
        if self.commands.choosing:
            self.commands.move(step)
        elif self.files.choosing:
            self.files.move(step)
        else:
            return False
        return True

    # Lists

    def follow_text(self) -> None:
        """Update the lists from the text."""
        self.find_own()
        self.commands.match(self._prompt.text, self._sent())
        self._match_files()

    def follow_cursor(self) -> None:
        """Hide the files once the cursor leaves the mention."""
        if self.files.display:
            self._match_files()

    def _match_files(self) -> None:
        """List the files that match the mention at the cursor, where one is allowed."""
        before = self._before_cursor
        if "@" in before:
            from acp_tui.workspace.mentions import may_mention  # not needed at startup

            above = self._prompt.document.lines[: self._prompt.cursor_location[0]]
            before = before if may_mention("\n".join([*above, before])) else ""
        self.files.match(before)

    @property
    def _before_cursor(self) -> str:
        row, column = self._prompt.cursor_location
        return self._prompt.document.get_line(row)[:column]

    # Prompts from files

    def find_own(self) -> None:
        """Read the prompt files when a command is begun."""
        if not self._is_command:
            self._own = "unknown"
        elif self._own == "unknown":
            self._own = "read"
            self._list_own()

    @property
    def reads_own(self) -> bool:
        """Whether prompt files are being read, so that the meaning of a command isn't known yet."""
        return self._own == "read"

    def offer_own(self, found: "Sequence[OwnPrompt]") -> bool:
        """Add prompts from files to the list; return False if no command is being written."""
        self.commands.offer_own(found)
        if self._is_command:
            self._own = "known"
            self.commands.match(self._prompt.text, self._sent())
        return self._is_command

    @property
    def _is_command(self) -> bool:
        """Whether a command or its argument is being written."""
        return self._prompt.text.startswith("/")

    # Insertion

    def complete(self) -> bool:
        """Insert the marked item; return False if there is none."""
        if not self.commands.choosing:
            return self._complete_file()
        self._write(self.commands.completed())
        return True

    def complete_unfinished(self) -> bool:
        """Insert the marked item unless it is fully typed; return False if nothing is inserted."""
        if not self._is_unfinished:
            return self._complete_file()
        self._write(self.commands.completed())
        return True

    def _complete_file(self) -> bool:
        """Insert the marked file; return False if there is none, or nothing to insert."""
        completed = self.files.completed(self._before_cursor)
        if completed is None:
            return False
        row, column = self._prompt.cursor_location
        self._prompt.replace(f"{completed[1]} ", (row, completed[0]), (row, column))
        self.files.close()
        return True
