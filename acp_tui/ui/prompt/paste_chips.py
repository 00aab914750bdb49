"""Long pastes, each folded into a chip: a few words in the prompt that stand for its text."""

import re
from collections.abc import Iterator

from acp_tui.formatting import counted

CHARACTERS = 1_500
"""A paste of more characters is folded, too."""
_CHIP = re.compile(r"\[pasted \d+: [\d,]+ (?:lines?|characters)\]")


class Folded:
    """What was pasted in this run, by its chips. A chip is told from the same words that somebody
    types by its number: only what was given out stands for a text.
    """

    def __init__(self) -> None:
        self.from_lines = 0
        """More lines than these are folded; with 0 nothing is."""
        self._texts: dict[str, str] = {}
        self._opened: set[str] = set()

    @property
    def is_used(self) -> bool:
        """Whether anything was folded."""
        return bool(self._texts)

    def take(self, text: str) -> str:
        """Return the chip for a long text, and a short one as it is."""
        lines = text.rstrip("\n").count("\n") + 1
        if not self.from_lines or (lines <= self.from_lines and len(text) <= CHARACTERS):
            return text
        size = counted(lines, "line") if lines > 1 else f"{len(text):,} characters"
        chip = f"[pasted {len(self._texts) + 1}: {size}]"
        self._texts[chip] = text
        return chip

    def open(self, chip: str) -> str:
        """Return what a chip stands for, which a person has seen from now on."""
        text = self._texts[chip]
        self._opened.add(text)
        return text

    def hide(self, text: str) -> str:
        """Put the chips in the place of what was pasted and never opened: it mentions nothing."""
        for chip, pasted in self._texts.items():
            if pasted not in self._opened:
                text = text.replace(pasted, chip)
        return text

    def expand(self, text: str) -> str:
        """Put what they stand for in the place of chips."""
        if not self._texts:
            return text
        return _CHIP.sub(lambda found: self._texts.get(found[0], found[0]), text)

    def fold(self, text: str) -> str:
        """Put the chips in the place of what was pasted before."""
        for chip, pasted in self._texts.items():
            text = text.replace(pasted, chip)
        return text

    def chips(self, line: str) -> Iterator[tuple[int, int]]:
        """Find where chips begin and end in a line."""
        if self._texts:
            found: Iterator[re.Match[str]] = _CHIP.finditer(line)
            yield from (one.span() for one in found if one[0] in self._texts)
