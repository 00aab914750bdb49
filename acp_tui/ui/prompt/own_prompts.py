"""Prompt files of the user and the project: listed after a slash, inserted into the prompt."""

from pathlib import PurePath
from typing import TYPE_CHECKING

from anyio import to_thread

from acp_tui.formatting import counted
from acp_tui.text import clean_line
from acp_tui.ui.ask import confirm
from acp_tui.ui.feature import Feature
from acp_tui.ui.lines.visible import shown_path, visible_line
from acp_tui.ui.prompt.editor import EditorWindow

if TYPE_CHECKING:
    from acp_tui.config.own_prompts import OwnPrompt
    from acp_tui.workspace.mentions import Mention

WORDS = "$ARGUMENTS"
"""The placeholder in a prompt file for the words after its name."""
SHOWN_LINES = 12
"""Lines of a project's prompt that are shown before it is first used."""


class OwnPromptsFeature(Feature):
    """Inserts prompt files into the editor, for the user to read and edit; it sends nothing."""

    name = "own_prompts"

    def __init__(self, window: EditorWindow) -> None:
        self._window = window

    def load(self) -> None:
        """Read the prompt files again, and offer those that match."""
        self._window.spawn(self._load_prompts())

    async def _load_prompts(self) -> None:
        from acp_tui.config.own_prompts import own_prompts

        tab = self._window.tabs.shown
        state = tab.agent.state
        folder = (state.folder_here(tab.session) or "") if tab.session is not None else ""
        found: list[OwnPrompt] = []
        try:
            found = await to_thread.run_sync(own_prompts, folder)
        finally:
            self._window.editor.offer_own(found)

    def use(self, prompt: "OwnPrompt", words: str = "") -> None:
        """Insert a prompt with some words; ask before a project's prompt that is new or changed."""
        if prompt.is_trusted:
            self._write_prompt(prompt, words)
            return
        lines = prompt.text.strip().splitlines()
        facts = [shown_path(str(prompt.file), None), ""]
        facts += [f"  {visible_line(line)}" for line in lines[:SHOWN_LINES]]
        if len(lines) > SHOWN_LINES:
            facts.append(f"  … {counted(len(lines) - SHOWN_LINES, 'more line')}")
        question = "Write this prompt of the project?"
        confirm(
            self._window, question, facts, "Write it", lambda: self._trust_and_write(prompt, words)
        )

    def _trust_and_write(self, prompt: "OwnPrompt", words: str) -> None:
        self._write_prompt(prompt, words)
        self._window.spawn(self._trust_prompt(prompt))

    async def _trust_prompt(self, prompt: "OwnPrompt") -> None:
        from acp_tui.config.own_prompts import trust_prompt

        try:
            await to_thread.run_sync(trust_prompt, prompt)
        except OSError as error:
            self._window.show_note(
                clean_line(f"it will be asked again: {error.strerror}: {error.filename}")
            )

    def _write_prompt(self, prompt: "OwnPrompt", words: str) -> None:
        editor = self._window.editor
        editor.focus()
        text = editor.cleaned(prompt.text.strip())
        if prompt.of_project:
            text = _of_project(text)
        if words:
            where = (
                "in the prompt: Enter sends it"
                if WORDS in text
                else "below the prompt: Enter sends both"
            )
            text = _with_words(text, editor.folded.fold(words))
            self._window.show_note(f"your words stand {where}")
        editor.write(text)
        editor.completion.commands.hide()


def _with_words(text: str, words: str) -> str:
    """Insert words at the prompt's placeholder, else below; no shell gets a leading `!`."""
    text = text.replace(WORDS, words) if WORDS in text else f"{text}\n\n{words}"
    return f" {text}" if text.startswith("!") else text


def _of_project(text: str) -> str:
    """Return a project's prompt, escaped: it is never a `!` command, and mentions no file outside
    the project.
    """
    from acp_tui.workspace.mentions import escape_mentions

    escaped = escape_mentions(text, is_exempt=_is_inside)
    return f" {escaped}" if escaped.startswith("!") else escaped


def _is_inside(mention: "Mention") -> bool:
    path = PurePath(mention.path)
    return not (path.is_absolute() or path.parts[0] == "~" or ".." in path.parts)
