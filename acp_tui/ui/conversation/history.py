"""The prompts of this run, to be sent again."""


class PromptHistory:
    """Goes back and forth through older prompts; what was being written waits at the end."""

    def __init__(self) -> None:
        self._prompts: list[str] = []
        self._at = 0
        self._draft = ""

    def add(self, prompt: str) -> None:
        """Add a prompt that was sent."""
        if not self._prompts or self._prompts[-1] != prompt:
            self._prompts.append(prompt)
        self._at = len(self._prompts)

    def back(self, text: str) -> str | None:
        """The prompt before; `text` is kept if it is new. None at the oldest."""
        if self._at == 0:
            return None
        if self._at == len(self._prompts):
            self._draft = text
        self._at -= 1
        return self._prompts[self._at]

    def forward(self) -> str | None:
        """The prompt after, at last what was being written. None at the newest."""
        if self._at == len(self._prompts):
            return None
        self._at += 1
        return self._draft if self._at == len(self._prompts) else self._prompts[self._at]
