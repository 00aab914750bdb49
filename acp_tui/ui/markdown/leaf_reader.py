"""The leaf that is being read: how it begins, grows, is split, and ends."""

import re

from acp_tui.ui.markdown import syntax
from acp_tui.ui.markdown.incomplete import close_open_marks
from acp_tui.ui.markdown.leaves import Fence, Leaf, LeafKind, LeafTable, Path, count_shared
from acp_tui.ui.markdown.references import Definitions
from acp_tui.ui.markdown.syntax import drop_header, whole_cells

CODE = 4096
CODE_LINES = 32
"""Characters and lines after which code continues in a new leaf: a leaf is laid out in one go."""
ROWS = 32
"""Rows after which a table continues in a new leaf."""


class LeafReader:
    """Turns lines into leaves, within the containers that are open.

    With `keep_lines`, lines keep their indentation, and nothing is a link definition: output has
    lines such as "[E1]: gone".
    """

    def __init__(self, keep_lines: bool = False) -> None:
        self._keep_lines = keep_lines
        self._code_indent = 0 if keep_lines else 4  # columns removed from indented code
        self.leaves: list[Leaf] = []
        self.definitions = Definitions()
        self._path: Path = ()
        self._kind: LeafKind | None = None  # of the open leaf
        self._line_at = 0  # start of the last line of the open paragraph
        self._parts: list[str] = []
        self._size = 0
        self._known = 0  # containers of the path that earlier leaves have shown
        self._gap = 0
        self._start = self._at = self._until = self._end = 0
        self._first = True
        self._block: Fence | LeafTable | None = None
        self._html_end: re.Pattern[str] | None = None
        self._blank = False
        self._any = False
        self._shown: Path = ()
        self._after_code = False
        self._partial = False  # within a line that is read in fragments
        self._arriving = False  # more text may follow the end of what is read here

    def _begin_leaf(self, rest: str, column: int) -> None:
        indent, _ = syntax.indent_of(rest, column)
        text = rest.lstrip(" \t")
        if indent >= 4:
            self._open_leaf("code", Fence())
            self._add_raw(syntax.dedent_columns(rest, column, self._code_indent)[0])
        elif fence := syntax.FENCE.match(text):
            mark, info = (fence[1], fence[2]) if fence[1] else (fence[3], fence[4])
            language = info.split()[0] if info.strip() else ""
            self._open_leaf("code", Fence(language, mark[0], len(mark), indent))
        elif heading := syntax.HEADING.match(text):
            self._open_leaf("heading")
            self._emit_leaf(heading[2] or "", level=len(heading[1]), open_=self._arriving)
            self._forget_leaf()
        elif syntax.RULE.match(text):
            self._open_leaf("rule")
            self._emit_leaf("")
            self._forget_leaf()
        elif text[0] == "<" and (kind := syntax.html_kind(text)) is not None:
            self._begin_html(rest, kind)
        elif alert := self._alert(text):
            self._open_leaf("paragraph")
            self._add_text(f"**{alert}**  ", 0)
        else:
            self._open_leaf("paragraph")
            self._add_text(rest, column)

    def _alert(self, text: str) -> str:
        """Return the title of an alert if `text` is the whole first line of its quote; else ""."""
        begins = count_shared(self._path, self._shown) < len(self._path)
        if self._partial or not begins or self._path[-1].kind != "quote":
            return ""
        found = syntax.ALERT.match(text)
        return found[1].capitalize() if found else ""

    def _begin_html(self, rest: str, kind: int) -> None:
        self._open_leaf("html")
        self._html_end = syntax.HTML[kind][1]
        self._add_raw(rest)
        if self._html_end is not None and self._html_end.search(rest):
            self._close_leaf()

    def _open_leaf(
        self, kind: LeafKind, block: Fence | LeafTable | None = None, joined: bool = False
    ) -> None:
        self._kind, self._block, self._first = kind, block, not joined
        self._parts, self._size, self._start = [], 0, self._end if joined else self._at
        self._end = self._until
        if self._path:
            self._path[-1].hollow = False
        self._set_gap(joined)

    def _set_gap(self, joined: bool) -> None:
        known = count_shared(self._path, self._shown)
        in_list = any(one.kind == "item" for one in self._path[:known]) or (
            known < len(self._path) and self._path[known].sibling
        )
        new_note = known == 0 and bool(self._path) and self._path[0].kind == "footnote"
        # Without a line between them, two code blocks would look like one.
        apart = self._blank or (
            self._after_code and self._kind == "code" and known == len(self._path)
        )
        tight = joined or new_note or not self._any or (in_list and not apart)
        self._known, self._gap = known, 0 if tight else 1
        self._blank = False

    def _add_text(self, rest: str, column: int) -> None:
        """Add a line to the open paragraph."""
        self._line_at, self._end = self._at, self._until
        indent = syntax.indent_of(rest, column)[0] if self._keep_lines else 0
        text = " " * indent + rest.lstrip(" \t")
        self._parts.append(text + ("\n" if not self._partial else ""))
        self._size += syntax.weigh_text(self._parts[-1])
        self._cut_text()

    def _add_raw(self, line: str) -> None:
        """Add a line to the open code or HTML block."""
        self._end = self._until
        self._parts.append(line if self._partial else line + "\n")
        self._size += len(self._parts[-1])
        if self._size >= CODE or len(self._parts) >= CODE_LINES:
            self._cut_leaf()

    def _add_row(self, row: str) -> None:
        if self._arriving:
            whole, begun = whole_cells(row)
            row = whole + close_open_marks(begun)
            if not row:
                return
        self._end = self._until
        self._parts.append(row.strip() + "\n")
        self._size += len(self._parts[-1])
        if self._size >= syntax.PARAGRAPH or len(self._parts) >= ROWS:
            self._keep_rows()
            self._cut_leaf()

    def _fragment(self, text: str) -> None:
        """Read a further fragment of a line that is too long to wait for its end."""
        if self._kind in ("code", "html"):
            self._add_raw(text)
            return
        if self._kind != "paragraph":
            self._close_leaf()
            self._open_leaf("paragraph", joined=True)
        self._end = self._until
        self._parts.append(text + ("\n" if not self._partial else ""))
        self._size += syntax.weigh_text(self._parts[-1])
        self._cut_text()

    def _cut_text(self) -> None:
        while self._size > syntax.PARAGRAPH:
            text = "".join(self._parts)
            at = syntax.find_cut(text, min(syntax.PARAGRAPH, len(text) - 1))
            self._parts, self._end = [text[:at]], max(self._start, self._until - len(text) + at)
            self._cut_leaf()
            self._parts, self._size = [text[at:]], syntax.weigh_text(text[at:])

    def _cut_leaf(self) -> None:
        """Emit the content of the open leaf, and continue the block in a new one."""
        assert self._kind is not None
        self._emit_leaf("".join(self._parts), last=False)
        self._open_leaf(self._kind, self._block, joined=True)

    def _keep_rows(self) -> None:
        if self._first and isinstance(self._block, LeafTable):
            self._block.rows = "".join(self._parts)

    def _close_leaf(self, open_: bool = False) -> None:
        if self._kind is None:
            return
        if self._kind == "paragraph":
            if self._first and self._strip_definitions():
                self._forget_leaf()
                return
            text = "".join(self._parts).rstrip()
            if open_:
                text = drop_header(text)
            if text:
                self._emit_leaf(text, open_=open_)
        else:
            self._keep_rows()
            text = "".join(self._parts)
            if self._kind == "code" and isinstance(self._block, Fence) and not self._block.char:
                text = text.rstrip("\n") + "\n" if text.strip("\n") else ""
            if text or self._kind == "table" or (self._kind == "code" and self._first):
                self._emit_leaf(text, open_=open_)
        self._forget_leaf()

    def _strip_definitions(self) -> bool:
        """Strip leading link definitions from the open paragraph; return whether nothing is left."""
        if self._keep_lines or not self._parts or not self._parts[0].startswith("["):
            return False
        text = "".join(self._parts)
        rest = self.definitions.strip_from(text)
        self._parts, self._size = [rest], len(rest)
        return not rest

    def _forget_leaf(self) -> None:
        self._kind, self._block, self._parts, self._size = None, None, [], 0

    def _emit_leaf(self, text: str, level: int = 0, last: bool = True, open_: bool = False) -> None:
        assert self._kind is not None
        leaf = Leaf(
            kind=self._kind,
            text=text,
            path=self._path,
            fresh=self._known,
            gap=self._gap,
            start=self._start,
            end=self._end,
            level=level,
            block=self._block,
            first=self._first,
            last=last,
            open=open_,
        )
        self.leaves.append(leaf)
        self._shown = self._path
        self._after_code = self._kind == "code"
        self._any = self._any or not self._path or self._path[0].kind != "footnote"

    def _hollow(self) -> bool:
        return bool(self._path) and self._path[-1].hollow

    def _fill_hollow(self) -> None:
        """Emit an empty leaf for a list item without content, so that its marker is shown."""
        if self._hollow():
            self._open_leaf("empty")
            self._emit_leaf("")
            self._forget_leaf()
