"""The prompt history: Up and Down go through the prompts that were sent."""

from collections.abc import Sequence


class PromptHistory:
    """Goes back and forth through older prompts; the unsent text is at the end.

    An older prompt that was edited stays edited until the next prompt is sent.
    """

    def __init__(self) -> None:
        self._prompts: list[str] = []
        self._older = 0
        """Number of the prompts that earlier runs sent."""
        self._at = 0
        self._edited: dict[int, str] = {}
        self._is_whole = False
        """Whether the prompts of earlier runs are loaded."""
        self._missed: list[str] = []
        """The text at each attempt to go back to earlier runs before their prompts were loaded."""

    def add(self, prompt: str) -> None:
        """Add a prompt that was sent, or an unsent text that Up should find."""
        if not self._prompts or self._prompts[-1] != prompt:
            self._prompts.append(prompt)
        self._at = len(self._prompts)
        self._edited.clear()

    @property
    def prompts(self) -> Sequence[str]:
        """All prompts, oldest first."""
        return self._prompts

    def of_this_run(self) -> list[str]:
        """Return the distinct prompts of this run, newest first."""
        return list(dict.fromkeys(reversed(self._prompts[self._older :])))

    def prepend_older(self, older: Sequence[str]) -> None:
        """Insert the prompts of earlier runs before those of this one."""
        self._prompts[:0] = older
        self._older, self._is_whole = len(older), True
        self._at += len(older)
        self._edited = {at + len(older): text for at, text in self._edited.items()}

    def catch_up(self, text: str) -> str | None:
        """Repeat attempts to go back before earlier runs were loaded, unless `text` changed."""
        tried, self._missed = self._missed.count(text), []
        found = None
        for _ in range(tried):
            found = self.back(text if found is None else found) or found
        return found

    def back(self, text: str) -> str | None:
        """Return the previous prompt; None at the oldest. `text` is stored as the edited version of
        the current one.
        """
        if self._at > 0:
            return self._move(-1, text)
        if not self._is_whole:
            self._missed.append(text)
        return None

    def forward(self, text: str) -> str | None:
        """Return the next prompt, and last the unsent text; None after that."""
        return self._move(1, text) if self._at < len(self._prompts) else None

    def reset(self) -> None:
        """Go to the end, and discard the edited version of the current prompt: it was cleared."""
        self._edited.pop(self._at, None)
        self._at = len(self._prompts)

    def _move(self, step: int, text: str) -> str:
        self._edited[self._at] = text
        self._at += step
        older = self._prompts[self._at] if self._at < len(self._prompts) else ""
        return self._edited.get(self._at, older)
