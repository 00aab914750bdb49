"""Vim's normal and visual modes over a text: what a key does, without any screen.

A place is a number of characters from the beginning of the text.
"""

import re
from collections.abc import Callable
from typing import Literal

from acp_tui.lazy_pattern import LazyPattern
from acp_tui.ui.vim import edits
from acp_tui.ui.vim.edits import Act, Register
from acp_tui.ui.vim.motions import Motions, Reach, lines_between
from acp_tui.ui.vim.places import down, first_letter, line_end, line_start, on_letter, word_end
from acp_tui.ui.vim.text_objects import text_object

Mode = Literal["insert", "normal", "visual"]

_COMMAND = LazyPattern(
    r"(?P<count>[1-9]\d*)?(?:(?P<operator>[dcy])(?P<more>[1-9]\d*)?)?(?P<rest>.*)", re.DOTALL
)
_SHORT = {"x": "dl", "X": "dh", "D": "d$", "C": "c$", "Y": "yy", "S": "cc", "s": "cl"}
"""Commands that stand for others."""
_OF_LINES = {"D": "d", "X": "d", "Y": "y", "C": "c", "S": "c", "R": "c"}
"""What capital letters do with all lines in which something is selected."""
_IN_CASE: dict[str, Callable[[str], str]] = {"~": str.swapcase, "u": str.lower, "U": str.upper}
_INSERTING: dict[str, Callable[[str, int], int]] = {
    "i": lambda _, at: at,
    "a": lambda text, at: min(at + 1, line_end(text, at)),
    "I": first_letter,
    "A": line_end,
}


class Vim:
    """Follows the keys. It begins in insert mode, and knows what was deleted and done last."""

    def __init__(self) -> None:
        self.mode: Mode = "insert"
        self.is_pending = False
        """Whether a command was begun."""
        self._keys = ""
        self._anchor = 0
        self._at = 0
        self._by_lines = False
        """Whether whole lines are selected in visual mode."""
        self._register = Register("", False)
        self._motions = Motions()
        self._done = ""
        self._inserted = ""
        self._around: tuple[str, str] | None = None

    @property
    def word(self) -> str:
        """What Vim calls the mode."""
        is_by_lines = self.mode == "visual" and self._by_lines
        return "VISUAL LINE" if is_by_lines else self.mode.upper()

    def insert(self) -> None:
        """Begin to write, whatever was before."""
        self.mode, self._keys, self.is_pending = "insert", "", False
        self._around = None

    def escape(self, text: str, at: int) -> Act | None:
        """Leave the mode, or the command that was begun; None if there is nothing to leave."""
        if self.mode == "insert":
            self._keep_inserted(text)
            self.mode = "normal"
            return Act(text, max(line_start(text, at), at - 1))
        if self.mode == "visual":
            self.mode = "normal"
            return Act(text, on_letter(text, self._at))
        if not self.is_pending:
            return None
        self._keys, self.is_pending = "", False
        return Act(text, at)

    def type(self, letter: str, text: str, at: int) -> Act:
        """Take a letter in normal or visual mode; what is no command does nothing."""
        self._keys += letter
        if self.mode == "visual":
            at = self._at
        act = self._visual(text, at) if self.mode == "visual" else self._normal(text, at)
        self.is_pending = act is None and bool(self._keys)
        return act if act is not None else self._stay(text, at)

    def redo(self, text: str, at: int) -> Act:
        """Take Ctrl+R."""
        self._keys, self.is_pending = "", False
        return Act(text, at, also="redo")

    def _stay(self, text: str, at: int) -> Act:
        return self._selected(text) if self.mode == "visual" else Act(text, at)

    # Normal mode

    def _normal(self, text: str, at: int) -> Act | None:
        """Do what the keys say; None if they aren't complete, or mean nothing: then none are left."""
        keys = self._keys
        match = _COMMAND.compiled.fullmatch(keys)
        assert match is not None  # everything in it is optional
        rest, operator = match["rest"], match["operator"] or ""
        given = match["count"] or match["more"]
        count = int(match["count"] or 1) * int(match["more"] or 1) if given else None
        if not rest:
            return None
        if rest == "." and not operator:
            self._keys = ""
            return self._again(text, at)
        short = _SHORT.get(rest) if not operator else None
        if short is not None:
            operator, rest = short[0], short[1:]
        if _needs_more(rest, operator):
            return None
        self._keys = ""
        if operator:
            return self._operate(operator, rest, count, text, at, keys)
        act = self._begin_by(rest, text, at, keys) or self._change(rest, count or 1, text, at, keys)
        if act is not None:
            return act
        if rest in ("j", "k"):
            times = count or 1
            return edits.line_or_history(text, at, times if rest == "j" else -times)
        reach = self._motions.reach(rest, count, text, at)
        return Act(text, on_letter(text, reach.to)) if reach is not None else None

    def _begin_by(self, rest: str, text: str, at: int, keys: str) -> Act | None:
        """Begin to insert, or to select, by one of the keys that do."""
        match rest:
            case "i" | "a" | "I" | "A":
                return self._begin(text, _INSERTING[rest](text, at), keys)
            case "o":
                end = line_end(text, at)
                return self._begin(f"{text[:end]}\n{text[end:]}", end + 1, keys)
            case "O":
                start = line_start(text, at)
                return self._begin(f"{text[:start]}\n{text[start:]}", start, keys)
            case "v" | "V":
                self.mode, self._anchor, self._at = "visual", at, at
                self._by_lines = rest == "V"
                return self._selected(text)
        return None

    def _change(self, rest: str, count: int, text: str, at: int, keys: str) -> Act | None:
        """Change something in place, by one of the keys that do."""
        if rest == "u":
            return Act(text, at, also="undo")
        if rest not in ("p", "P", "~", "J") and not (rest[0] == "r" and len(rest) == 2):
            return None
        self._done = keys
        if rest in ("p", "P"):
            return edits.put(self._register, text, at, count, after=rest == "p")
        if rest == "J":
            return edits.joined(text, at, max(1, count - 1))
        if rest == "~":
            return edits.swapped(text, at, count)
        return edits.replaced(text, at, count, rest[1])

    def _operate(
        self, operator: str, rest: str, count: int | None, text: str, at: int, keys: str
    ) -> Act | None:
        if rest == operator:  # dd, cc, yy
            last = down(text, at, (count or 1) - 1)
            fails = count is not None and count > 1 and last == at
            reach = None if fails else lines_between(text, at, last)._replace(to=at)
        elif operator == "c" and rest in ("w", "W") and at < len(text) and not text[at].isspace():
            end = at - 1  # also a word of one sign is changed alone
            for _ in range(count or 1):
                end = word_end(text, end, big=rest == "W")
            reach = Reach(end, at, end + 1)
        elif rest[0] in "ia" and len(rest) == 2:
            reach = text_object(rest, text, at)
        else:
            reach = self._motions.reach(rest, count, text, at)
        if reach is None:
            return None
        if operator == "y":
            return self._yanked(reach, text, at)
        self._done = keys
        return self._deleted(reach, text, changes=operator == "c", keys=keys)

    def _yanked(self, reach: Reach, text: str, at: int) -> Act:
        self._register = Register(text[reach.begin : reach.end], reach.lines)
        return Act(text, min(at, reach.to) if reach.lines else reach.begin)

    def _deleted(self, reach: Reach, text: str, *, changes: bool, keys: str) -> Act:
        begin, end = reach.begin, reach.end
        self._register = Register(text[begin:end], reach.lines)
        if reach.lines and not changes:
            return edits.without_lines(text, begin, end)
        left = text[:begin] + text[end:]
        return self._begin(left, begin, keys) if changes else Act(left, on_letter(left, begin))

    # Inserting, and doing it again

    def _begin(self, text: str, at: int, keys: str) -> Act:
        self.mode, self._done = "insert", keys
        self._around = (text[:at], text[at:])
        return Act(text, at)

    def _keep_inserted(self, text: str) -> None:
        if self._around is None:
            return
        before, after = self._around
        is_between = len(text) >= len(before) + len(after)
        fits = is_between and text.startswith(before) and text.endswith(after)
        self._inserted = text[len(before) : len(text) - len(after)] if fits else ""
        self._around = None

    def _again(self, text: str, at: int) -> Act:
        """Do the last change again, with what was inserted then."""
        act, inserted = Act(text, at), self._inserted
        for letter in self._done:
            act = self.type(letter, act.text, act.at)
        if self.mode == "insert":
            self.insert()
            self.mode = "normal"
            now, place = act.text, act.at
            end = place + len(inserted)
            return Act(now[:place] + inserted + now[place:], max(place, end - 1))
        return act

    # Visual mode

    def _visual(self, text: str, at: int) -> Act | None:
        keys, self._keys = self._keys, ""
        if keys in _OF_LINES:
            keys, self._by_lines = _OF_LINES[keys], True
        if keys in ("d", "x", "c", "s", "y", "p", "J", *_IN_CASE):
            self.mode = "normal"
            first, last = sorted((self._anchor, at))
            chars = Reach(first, first, min(last + 1, len(text)))
            return self._on_selected(
                keys, lines_between(text, first, last) if self._by_lines else chars, text
            )
        if keys in ("v", "V"):
            if self._by_lines == (keys == "V"):
                self.mode = "normal"
                return Act(text, on_letter(text, at))
            self._by_lines = keys == "V"
            return self._selected(text)
        if keys == "o":
            self._anchor, self._at = at, self._anchor
            return self._selected(text)
        match = re.fullmatch(r"([1-9]\d*)?(.*)", keys, re.DOTALL)
        assert match is not None  # everything in it is optional
        count, rest = match[1], match[2]
        if not rest or _needs_more(rest, "d" if rest[0] in "ia" else ""):
            self._keys = keys
            return None
        if rest[0] in "ia":
            around = text_object(rest, text, at)
            if around is not None and around.end > around.begin:
                self._anchor, self._at = around.begin, around.end - 1
        else:
            moved = self._motions.reach(rest, int(count) if count else None, text, at)
            if moved is not None:
                self._at = min(moved.to, max(0, len(text) - 1))
        return self._selected(text)

    def _selected(self, text: str) -> Act:
        """Show what is selected: of lines all."""
        if not self._by_lines:
            return Act(text, self._at, self._anchor)
        first, last = sorted((self._anchor, self._at))
        begin, end = line_start(text, first), line_end(text, last)
        ends = begin, max(begin, end - 1)
        return Act(text, *(reversed(ends) if self._at >= self._anchor else ends))

    def _on_selected(self, keys: str, reach: Reach, text: str) -> Act:
        begin, end = reach.begin, reach.end
        if keys == "y":
            return self._yanked(reach, text, begin)
        if keys in _IN_CASE:
            return Act(text[:begin] + _IN_CASE[keys](text[begin:end]) + text[end:], begin)
        if keys == "J":
            return edits.joined(text, begin, max(1, text[begin:end].count("\n")))
        if keys == "p":
            put = self._register.text
            self._register = Register(text[begin:end], reach.lines)
            if reach.lines:
                made = text[:begin] + put + text[end:]
                return Act(made, on_letter(made, first_letter(made, begin), begin))
            return Act(text[:begin] + put + text[end:], max(begin, begin + len(put) - 1))
        return self._deleted(reach, text, changes=keys in "cs", keys="")


def _needs_more(rest: str, operator: str) -> bool:
    """Whether a command goes on after these keys."""
    more = "fFtTgia" if operator else "fFtTgr"
    return len(rest) == 1 and rest in more
