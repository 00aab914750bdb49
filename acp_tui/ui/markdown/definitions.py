"""Link reference definitions and footnote labels, which may come after the text that uses them."""

import copy
import re
from typing import Any, TypedDict

from markdown_it import MarkdownIt

_READER = MarkdownIt("zero").enable(["reference"])
_READER.validateLink = bool  # type: ignore[assignment]
_BEGINNING = re.compile(
    r"\[(?:[^\[\]\\\n]|\\.){0,80}\\?\]?\Z"  # the label itself, as far as it came
    r"|\[(?:[^\[\]\\]|\\.){1,999}\]:\s*\S*\s*(?:\"[^\"]*\"?|'[^']*'?|\([^)]*\)?)?\s*$",
    re.DOTALL,
)


class InlineEnv(TypedDict):
    """Everything that the inline parser looks up: without a part of it, it fails at the first bracket."""

    definitions: dict[str, dict[str, Any]]
    footnotes: set[str]
    keep_lines: bool


class Definitions:
    """What labels stand for."""

    def __init__(self) -> None:
        self.links: dict[str, dict[str, Any]] = {}
        self.footnotes: set[str] = set()
        self.version = 0  # how many labels have a meaning
        self.open = True
        self.arriving = False

    def closed(self, arriving: bool) -> "Definitions":
        """Return a copy to look ahead with, to which nothing is added. With `arriving`, more of the
        text may follow.
        """
        other = copy.copy(self)
        other.open, other.arriving = False, arriving
        return other

    def add_footnote(self, label: str) -> None:
        """Remember that there is a footnote."""
        if label not in self.footnotes and self.open:
            self.footnotes.add(label)
            self.version += 1

    def take(self, text: str) -> str:
        """Remove the definitions from the beginning of a paragraph and return the rest.

        While the paragraph is still arriving, what may become a definition counts as one.
        """
        env: dict[str, Any] = {}
        tokens = _READER.parse(text, env)
        if env.get("references"):
            text = "\n".join(token.content for token in tokens if token.type == "inline")
        if not self.open:
            return "" if self.arriving and _BEGINNING.match(text) else text
        for label, definition in env.get("references", {}).items():
            if label not in self.links:
                self.links[label] = definition
                self.version += 1
        return text

    def env(self, *, keep_lines: bool = False) -> InlineEnv:
        """Return what the inline parser has to know. `keep_lines`: soft breaks make lines, too."""
        return {
            "definitions": self.links,
            "footnotes": self.footnotes,
            "keep_lines": keep_lines,
        }
