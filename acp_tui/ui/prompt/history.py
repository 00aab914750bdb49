"""Prompts that were sent, to be sent again."""

from collections.abc import Sequence


class PromptHistory:
    """Goes back and forth through older prompts; what was being written waits at the end. One that was
    changed is found as it was left, until the next prompt is sent.
    """

    def __init__(self) -> None:
        self._prompts: list[str] = []
        self._older = 0
        """How many of them earlier runs sent."""
        self._at = 0
        self._left: dict[int, str] = {}
        self._is_whole = False
        """Whether those of earlier runs are known."""
        self._missed: list[str] = []
        """What was left, each time one went back and found nothing before they were."""

    def add(self, prompt: str) -> None:
        """Add a prompt that was sent, or that shall be found though it wasn't."""
        if not self._prompts or self._prompts[-1] != prompt:
            self._prompts.append(prompt)
        self._at = len(self._prompts)
        self._left.clear()

    @property
    def prompts(self) -> Sequence[str]:
        """All of them, the oldest first."""
        return self._prompts

    def of_this_run(self) -> list[str]:
        """Return those of this run, each once, the newest first."""
        return list(dict.fromkeys(reversed(self._prompts[self._older :])))

    def begin_with(self, older: Sequence[str]) -> None:
        """Put prompts of earlier runs before those of this one."""
        self._prompts[:0] = older
        self._older, self._is_whole = len(older), True
        self._at += len(older)
        self._left = {at + len(older): text for at, text in self._left.items()}

    def catch_up(self, text: str) -> str | None:
        """Go back as often as was tried before earlier runs were known, if `text` is still what was left."""
        tried, self._missed = self._missed.count(text), []
        found = None
        for _ in range(tried):
            found = self.back(text if found is None else found) or found
        return found

    def back(self, text: str) -> str | None:
        """Return the previous prompt; None at the oldest. `text` is kept as the edited version of the current one."""
        if self._at > 0:
            return self._go_by(-1, text)
        if not self._is_whole:
            self._missed.append(text)
        return None

    def forward(self, text: str) -> str | None:
        """Return the next prompt, and last the one that was being written; None after that."""
        return self._go_by(1, text) if self._at < len(self._prompts) else None

    def leave(self) -> None:
        """Go to the end: what stood here was thrown away, which is no change of the prompt."""
        self._left.pop(self._at, None)
        self._at = len(self._prompts)

    def _go_by(self, step: int, text: str) -> str:
        self._left[self._at] = text
        self._at += step
        older = self._prompts[self._at] if self._at < len(self._prompts) else ""
        return self._left.get(self._at, older)
