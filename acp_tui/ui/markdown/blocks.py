"""Parses Markdown into leaves, line by line; a line's meaning depends only on earlier lines."""

import copy
import re

from acp_tui.edits.steps import Steps
from acp_tui.ui.markdown import syntax
from acp_tui.ui.markdown.leaf_reader import LeafReader
from acp_tui.ui.markdown.leaves import Fence, Leaf, LeafContainer, LeafTable
from acp_tui.ui.markdown.references import note_mark
from acp_tui.ui.markdown.syntax import parse_alignments, split_cells

NOTHING_FITS = 1 << 30
"""An indent that no line has, so that no more lines are added to an item that stays empty."""
DEPTH = 24
"""Most nested containers; deeper ones are text, as each line is matched against all."""


class BlockReader(LeafReader):
    """Parses lines into leaves that no later line can change."""

    def peek(self, fragment: str, start: int, whole: bool = False) -> list[Leaf]:
        """Return the leaves that would follow if the text ended with `fragment`; change nothing.

        Unless the text is `whole`, anything that may still become something else is left out.
        """
        if self._kind is None and not fragment and not self._hollow():
            return []
        other = copy.copy(self)
        other.detach(arriving=not whole)
        if fragment:
            other.read_line(fragment, start, start + len(fragment), whole=False)
        other.close()
        return other.leaves

    def detach(self, arriving: bool) -> None:
        """Copy all mutable state, so that this copy can read ahead on its own."""
        self._arriving = arriving
        self.leaves, self._parts = [], self._parts.copy()
        self.definitions = self.definitions.closed(arriving)
        self._path = tuple(copy.copy(one) if one.hollow else one for one in self._path)
        if isinstance(self._block, LeafTable):
            self._block = copy.copy(self._block)

    @property
    def fence(self) -> Fence | None:
        """The open code fence, if there is one."""
        block = self._block
        return block if self._kind == "code" and isinstance(block, Fence) and block.char else None

    @property
    def partial(self) -> bool:
        """Whether only a part of the previous line was read."""
        return self._partial

    def read_line(self, text: str, start: int, end: int, whole: bool = True) -> None:
        """Read the next line (or a fragment of a very long one), without its newline."""
        self._at, self._until, going_on = start, end, self._partial
        self._partial = not whole
        if going_on:
            self._fragment(text)
        else:
            self._whole_line(text)

    def close(self) -> None:
        """End the text and close all open blocks."""
        self._close_leaf(open_=self._arriving)
        self._fill_hollow()
        self._path = ()

    # -- lines

    def _whole_line(self, line: str) -> None:
        rest, column, depth = self._match_containers(line)
        matched = depth == len(self._path)
        if matched and self._continues_leaf(rest, column):
            return
        if not rest.strip():
            self._blank_line(depth)
            return
        while True:
            indent, _ = syntax.indent_of(rest, column)
            if indent >= 4:
                break
            stripped = rest.lstrip(" \t")
            started = self._begin_container(stripped, rest, column, depth, matched)
            if started is None:
                break
            rest, column = started
            depth, matched = len(self._path), True
            if not rest.strip():
                return
        if self._kind == "paragraph" and not self._begins_leaf(rest, column):
            self._add_text(rest, column)
            return
        if self._kind == "table" and matched and self._is_row(rest, column):
            self._add_row(rest)
            return
        self._unmatch(depth)
        self._close_leaf()
        self._begin_leaf(rest, column)

    def _match_containers(self, line: str) -> tuple[str, int, int]:
        """Return the rest of a line after the markers of open containers, its column, and the
        number of containers that matched.
        """
        rest, column, depth = line, 0, 0
        for container in self._path:
            indent, _ = syntax.indent_of(rest, column)
            blank = not rest.strip()
            if container.kind == "quote":
                if indent > 3 or not rest.lstrip(" \t").startswith(">"):
                    break
                rest, column = syntax.skip_quote_mark(rest, column)
            elif container.hollow if blank else indent < container.indent:
                break
            else:
                rest, column = syntax.dedent_columns(rest, column, container.indent)
            depth += 1
        return rest, column, depth

    def _continues_leaf(self, rest: str, column: int) -> bool:
        """Add the line to the open leaf if that takes it as it is; return whether it did."""
        if self._kind == "code" and isinstance(self._block, Fence):
            return self._more_code(rest, column, self._block)
        if self._kind == "html":
            if self._html_end is None and not rest.strip():
                return False
            self._add_raw(rest)
            if self._html_end is not None and self._html_end.search(rest):
                self._close_leaf()
            return True
        if self._kind == "paragraph" and rest.strip() and syntax.indent_of(rest, column)[0] < 4:
            return self._underline(rest.strip())
        return False

    def _more_code(self, rest: str, column: int, fence: Fence) -> bool:
        indent, _ = syntax.indent_of(rest, column)
        if not fence.char:
            if rest.strip() and indent < 4:
                return False
            code = syntax.dedent_columns(rest, column, self._code_indent)[0]
            self._add_raw(code if rest.strip() else "")
            return True
        mark = rest.strip()
        if indent < 4 and len(mark) >= fence.size and mark == fence.char * len(mark):
            self._end = self._until
            self._close_leaf()
            return True
        self._add_raw(syntax.dedent_columns(rest, column, min(indent, fence.indent))[0])
        return True

    def _underline(self, mark: str) -> bool:
        """Turn the open paragraph into a heading or a table if this line is its underline."""
        if self._first and syntax.SETEXT.match(mark) and not self._strip_definitions():
            self._kind, self._end = "heading", self._until
            text = "".join(self._parts).rstrip()
            self._emit_leaf(text, level=1 if mark[0] == "=" else 2)
            self._forget_leaf()
            return True
        if mark[0] not in "|-:":
            return False
        return self._begin_table(mark)

    def _begin_table(self, mark: str) -> bool:
        text = "".join(self._parts)
        before, _, header = text.rstrip("\n").rpartition("\n")
        aligns = parse_alignments(mark)
        if aligns is None or "|" not in header or len(split_cells(header)) != len(aligns):
            return False
        if before:
            header_at = self._line_at
            self._parts, self._size, self._end = [before], len(before), header_at
            self._close_leaf()
            self._open_leaf("table")
            self._start = header_at
        self._kind, self._parts, self._size, self._end = "table", [], 0, self._until
        self._block = LeafTable(header, aligns)
        return True

    def _blank_line(self, depth: int) -> None:
        if self._kind == "code" and depth == len(self._path):
            return
        self._unmatch(depth, keep_items=True)
        self._close_leaf()
        if self._hollow():  # an item can begin with at most one blank line
            self._fill_hollow()
            self._path[-1].indent = NOTHING_FITS
        self._blank = True

    # -- beginnings

    def _begin_container(
        self, stripped: str, rest: str, column: int, depth: int, matched: bool
    ) -> tuple[str, int] | None:
        """Open the container that begins here; return the text after its marker and the column."""
        if depth >= DEPTH:
            return None
        if stripped[0] == ">":
            self._enter_container(depth, LeafContainer("quote", marker="▌", role="quote.bar"))
            return syntax.skip_quote_mark(rest, column)
        item = syntax.ITEM.match(stripped)
        if item and not syntax.RULE.match(stripped):
            return self._begin_item(item, stripped, rest, column, depth, matched)
        note = syntax.FOOTNOTE.match(stripped) if depth == 0 else None
        if note:
            label = note[1]
            self._enter_container(
                0, LeafContainer("footnote", 4, note_mark(label[:12]), "footnote")
            )
            self.definitions.add_footnote(label)
            return stripped[note.end() :], 0
        return None

    def _begin_item(
        self, item: re.Match[str], stripped: str, rest: str, column: int, depth: int, matched: bool
    ) -> tuple[str, int] | None:
        mark, content = item[1], stripped[item.end() :]
        sibling = self._path[depth] if depth < len(self._path) else None
        if sibling is not None and (sibling.kind != "item" or sibling.bullet != mark[-1]):
            sibling = None
        if matched and self._kind == "paragraph" and not syntax.may_interrupt(mark, content):
            return None
        indent, _ = syntax.indent_of(rest, column)
        column += indent + len(mark)
        spaces, _ = syntax.indent_of(content, column)
        inner = spaces if content.strip() and spaces <= 4 else 1
        entered = LeafContainer("item", indent + len(mark) + inner, bullet=mark[-1])
        if content.strip():
            content, column = syntax.dedent_columns(content, column, inner)
        else:
            entered.hollow, content = True, ""
        level = sum(1 for one in self._path[:depth] if one.kind == "item" and not one.ordinal)
        entered.marker = "•◦▪"[min(level, 2)]
        if task := syntax.TASK.match(content):
            entered.mark_task(done=task[1] != " ")
            content, column = content[task.end() :], column + task.end()
        if mark[-1] in ".)":
            entered.number(int(mark[:-1]) if sibling is None else sibling.ordinal + 1)
        entered.sibling = sibling is not None
        self._enter_container(depth, entered)
        return content, column

    def _enter_container(self, depth: int, container: LeafContainer) -> None:
        self._unmatch(depth)
        self._close_leaf()
        if self._path:
            self._path[-1].hollow = False
        self._path = (*self._path, container)

    def _begins_leaf(self, rest: str, column: int) -> bool:
        """Return whether the line begins a block that ends an open paragraph or table."""
        if syntax.indent_of(rest, column)[0] >= 4:
            return False
        text = rest.lstrip(" \t")
        return bool(
            syntax.FENCE.match(text)
            or syntax.HEADING.match(text)
            or syntax.RULE.match(text)
            or (
                text[0] == "<"
                and syntax.html_kind(text) is not None
                and syntax.html_kind(text) != 6
            )
        )

    def _is_row(self, rest: str, column: int) -> bool:
        return syntax.indent_of(rest, column)[0] < 4 and not self._begins_leaf(rest, column)

    # -- containers

    def _unmatch(self, depth: int, keep_items: bool = False) -> None:
        """Close the containers from `depth` on; a blank line leaves list items to the next."""
        if depth >= len(self._path):
            return
        if keep_items and all(one.kind != "quote" for one in self._path[depth:]):
            return
        self._close_leaf()
        self._fill_hollow()
        self._path = self._path[:depth]


SLICE_LINES = 64
"""Lines read between two steps."""
FRAGMENT = 4096
"""Characters of a line read at a time."""
DEEPEST = 6
"""The deepest heading level in Markdown."""


def close_fence(text: str, level: int = 0) -> Steps[str]:
    """Return the text with an open fence closed and its headings lowered below `level`, in steps.

    Then nothing in the text affects what follows it on a page.
    """
    blocks = yield from read_blocks(text)
    fence = blocks.fence
    blocks.close()
    # A list or quote, and any fence in it, ends where our next heading begins.
    reaches = fence is not None and not blocks.leaves[-1].path
    headings = [leaf for leaf in blocks.leaves if leaf.kind == "heading"] if level else []
    lowered = _lowered(text, headings, level)
    if fence is None or not reaches:
        return lowered
    return f"{lowered.rstrip()}\n{fence.char * fence.size}"


def read_blocks(text: str) -> Steps[BlockReader]:
    """Parse a whole text into blocks, in steps; the last block isn't closed."""
    blocks = BlockReader()
    at = 0
    for number, line in enumerate(text.split("\n")):
        end = at + len(line)
        for start in range(at, max(end, at + 1), FRAGMENT):
            stop = min(start + FRAGMENT, end)
            blocks.read_line(text[start:stop], at, end, whole=stop == end)
        at = end + 1
        if number % SLICE_LINES == 0:
            yield
    return blocks


def _lowered(text: str, headings: list[Leaf], level: int) -> str:
    pieces = []
    at = 0
    for leaf in headings:
        marks = "#" * min(DEEPEST, level + leaf.level)
        pieces += [text[at : leaf.start], _heading(text[leaf.start : leaf.end], leaf, marks)]
        at = leaf.end
    return "".join([*pieces, text[at:]])


def _heading(source: str, leaf: Leaf, marks: str) -> str:
    """Return a heading with other `#` marks; an underlined heading becomes a single line."""
    if "\n" not in source:
        return re.sub("#{1,6}", marks, source, count=1)
    before = source[: source.index(leaf.text.split("\n")[0])]
    return f"{before}{marks} {' '.join(leaf.text.split())}"
