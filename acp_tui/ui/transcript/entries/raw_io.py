"""The raw input and output of a tool call: folded below it, as text if nothing else has it."""

from collections.abc import Iterator
from typing import Any

from acp_tui.protocol.content import Diff, FileChange
from acp_tui.state.edit_facts import shown_diffs
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.input_parts import input_parts, repeats_input
from acp_tui.state.subject import call_headline, title_contains
from acp_tui.ui.json.json_lines import JsonLines
from acp_tui.ui.lines.stack import Shortened, StackPart
from acp_tui.ui.lines.text_lines import LineHead, StyledSpan, TextLines
from acp_tui.ui.transcript.entries.context import Fold

_TEXTS = ("error", "message", "stderr", "stdout", "output", "text", "result", "content")
"""Keys under which tools report their result as text."""
WORD_LINES = 20
"""Lines of text shown until the user expands it."""


class RawIO:
    """Draws a tool call's input and output; caches their lines while they don't change."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Any, list[StackPart]]] = {}

    def parts(self, entry: ToolCallEntry, fold: Fold, command_named: bool) -> list[StackPart]:
        """Return both as JSON if all is shown; else one row, and text that nothing else shows."""
        values = shown_values(entry)
        if fold is Fold.FULL:
            return [part for word, value in values.items() for part in self._parts(word, value)]
        if command_named:
            values.pop("input", None)
        if not values:
            return []
        row = StackPart(_label(f"▸ raw {' and '.join(values)}"), 2)
        return [*(StackPart(Shortened(one, WORD_LINES), 2) for one in _unshown_words(entry)), row]

    def _parts(self, word: str, value: Any) -> list[StackPart]:
        if word not in self._known or self._known[word][0] is not value:
            lines = JsonLines(value, folded=False)
            self._known[word] = (value, [StackPart(_label(word), 2), StackPart(lines, 4)])
        return self._known[word][1]


def shown_values(entry: ToolCallEntry) -> dict[str, Any]:
    """Return a tool call's input and output, without an input that its diffs show completely."""
    diffs = shown_diffs(entry)
    is_shown = bool(diffs) and repeats_input(entry.kind, entry.raw_input, diffs)
    raws = {"input": None if is_shown else entry.raw_input, "output": entry.raw_output}
    return {word: value for word, value in raws.items() if value is not None}


def _unshown_words(entry: ToolCallEntry) -> Iterator[TextLines]:
    """Yield the text of input and output that the content lacks.

    If a call failed, diffs alone don't count as content: they don't show why.
    """
    if not entry.content and (words := "\n".join(_input_words(entry))):
        yield TextLines(words)
    changes = all(isinstance(item, Diff | FileChange) for item in entry.content)
    silent = changes if entry.status == "failed" else not entry.content
    if silent and (words := "\n".join(_words(entry.raw_output))):
        yield TextLines(words)


def _input_words(entry: ToolCallEntry) -> Iterator[str]:
    """Yield the text of an input that neither the title nor the locations show."""
    rest = input_parts(entry.kind, entry.raw_input).rest
    named = [call_headline(entry), *(place.path for place in entry.locations)]
    if isinstance(rest, dict):
        yield from _members({key: one for key, one in rest.items() if not _is_named(one, named)})
    elif _is_scalar(rest) and not _is_named(rest, named):
        yield str(rest)


def _is_named(value: Any, named: list[str]) -> bool:
    return isinstance(value, str) and any(title_contains(name, value) for name in named)


def _words(value: Any) -> Iterator[str]:
    """Yield the text in a value: itself, text blocks in a list, or members of an object."""
    if isinstance(value, dict):
        texts = [value[key] for key in _TEXTS if _is_text(value.get(key))]
        yield from texts or _members(value)
    elif isinstance(value, list):
        blocks = (one for one in value if isinstance(one, dict))
        yield from (one["text"] for one in blocks if _is_text(one.get("text")))
    elif _is_scalar(value):
        yield str(value)


def _members(value: dict[str, Any]) -> Iterator[str]:
    yield from (f"{key}: {one}" for key, one in value.items() if _is_scalar(one))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_scalar(value: Any) -> bool:
    return _is_text(value) or isinstance(value, int | float)


def _label(words: str) -> LineHead:
    return LineHead(lambda: [StyledSpan(words, "muted", {"toggle": True})])
