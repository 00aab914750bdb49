"""What a tool got and gave, as JSON below its call."""

from typing import Any

from acp_tui.protocol.content import Diff
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.input_parts import repeats
from acp_tui.ui.json.json_lines import JsonLines
from acp_tui.ui.lines.stack import Part
from acp_tui.ui.lines.text_lines import Head, Span
from acp_tui.ui.transcript.entries.context import Fold


class RawIO:
    """The input and the output of a tool call; the lines from before, as long as they stay."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Any, list[Part]]] = {}

    def parts(self, entry: ToolCallEntry, fold: Fold, command_named: bool) -> list[Part]:
        """Return all of it when all is shown; else not what diffs or a terminal say already."""
        raws = {"input": entry.raw_input, "output": entry.raw_output}
        given = {word: value for word, value in raws.items() if value is not None}
        diffs = [item for item in entry.content if isinstance(item, Diff)]
        if fold is Fold.OPEN:
            if command_named or (diffs and repeats(entry.kind, entry.raw_input, diffs)):
                given.pop("input", None)
            if given and diffs and entry.status != "failed":
                return [Part(_label(f"… {' and '.join(given)} (Enter shows all)"), 2)]
        return [part for word, value in given.items() for part in self._parts(word, value, fold)]

    def _parts(self, word: str, value: Any, fold: Fold) -> list[Part]:
        if word not in self._known or self._known[word][0] is not value:
            lines = JsonLines(value, folded=fold is not Fold.FULL)
            self._known[word] = (value, [Part(_label(word), 2), Part(lines, 4)])
        return self._known[word][1]


def _label(words: str) -> Head:
    return Head(lambda: [Span(words, "muted", {"toggle": True})])
