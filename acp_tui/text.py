"""Makes untrusted text safe to display: escape sequences, control, bidi and invisible characters,
long gaps.
"""

import re
from collections import deque
from urllib.parse import unquote, urlsplit

_ESCAPES = re.compile(
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC: titles, links, clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colors, cursor, modes
    r"|\x1b[ -/]*[0-~]?"  # every other escape
)
_INVISIBLE_BASIC = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 except tab and newline, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi controls, which reorder the text
    "\u180e\u200b\u2060-\u2065\u206a-\u206f"  # zero width: words that look like others
    "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # fillers: names that look empty
    "\u2028\u2029\ufeff\ufff0-\ufffb"
    "\ud800-\udfff"  # lone surrogates, which can't be written to a terminal
)
_INVISIBLE = re.compile(f"[{_INVISIBLE_BASIC}\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]")
_SELECTORS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Variation selectors, which change the look of the character before them."""
_JOINERS = "\u200c\u200d"
_PILED = re.compile(
    f"(?P<kept>(?>[{_SELECTORS}][{_JOINERS}]|[{_SELECTORS}{_JOINERS}]))"
    f"(?P<more>[{_SELECTORS}{_JOINERS}]+)"
)
"""A character needs at most one of these, or one of each in this order; more may be hidden text."""
_ESCAPE = re.compile("[\x1b\x90\x98\x9b\x9d-\x9f]")
_OF_ESCAPES = dict.fromkeys((0x90, 0x98, 0x9B, 0x9D, 0x9E, 0x9F), "\ufffd") | {0x1B: "\u241b"}
_PICTURES = {code: chr(0x2400 + code) for code in range(32)} | {0x7F: "\u2421"}
_FLAG = "\U0001f3f4"
_OF_FLAG = 6
"""The number of tags that turn a black flag into another one."""
FLAGS = (
    f"{_FLAG}\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # gbeng, end tag
    f"{_FLAG}\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # gbsct
    f"{_FLAG}\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",  # gbwls
)
"""The only flags that are made of tags: England, Scotland and Wales."""
_TAGS = re.compile(f"(?P<flag>{'|'.join(FLAGS)})|[\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]+")
_UNSAFE = re.compile(  # may match harmless characters, too: a few large ranges are searched fast
    f"(?:[{_INVISIBLE_BASIC}\u180b-\u180f\u200c\u200d\ufe00-\ufe0f])"
    "|[\x1b\U0001bca0-\U0001d17a\U000e0000-\U000e0fff]"
)
_GOES_ON = re.compile(f"(?:{_FLAG}|[{_SELECTORS}{_JOINERS}]{{1,2}})\\Z")
"""The end of a text that the next piece may continue."""
_BLANK = (
    "\x00-\x09\x0b-\x1a\x1c-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5"
    "\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\udfff"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff\U00013430-\U00013442\U00016fe4"
    "\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Characters that draw nothing, or nothing of their own: all except newlines and the start of
escape sequences.
"""
_BLANKS = re.compile(f"(?>(?:[{_BLANK}]*+\n){{5,}})|[{_BLANK}]{{15,}}")
_BLANK_LINE = re.compile(f"[{_BLANK}]*")
_SIGNS = (
    "\xb7\u2016\u2022-\u2025\u2027\u2043\u2139\u2190-\u2bff"
    "\uffe8-\uffee\U0001f5f4-\U0001f5f9\U0001f780-\U0001f8ff\U0001fb00-\U0001fbff"
)
"""Arrows, lines, shapes, check marks and bullets, with which the program marks states and rows."""
_COMMAND_SIGN = f"[$\uff04\ufe69](?=[{_BLANK}]|$)"
"""The sign before a command in the program's own rows, or one that looks like it; not the one in
`$HOME`.
"""
_OWN_LOOK = f"(?m)^(?:[{_BLANK}]*+|.*?[{_BLANK}]{{2}})(?:[{_SIGNS}]|{_COMMAND_SIGN}).*"
"""Compiled on first use: that takes 1 ms, and the first screen doesn't need it."""
_CELLS = {"\t": 4, "\u3000": 2}
_LONGEST_SINGLE_LINE = 1000
"""Longest text on one line, in characters; the rest is only counted."""
_NOT_COUNTED = 60
"""Cells that a run of blanks may take without being counted: less than a row of a small terminal."""


def clean_text(text: str) -> str:
    """Make text safe to draw: no escape sequence, control or bidi character survives.

    Escape sequences are removed, and so are carriage returns before a newline. Other control
    characters are replaced by their visible symbols, invisible format characters by U+FFFD, a run
    of tags by one U+FFFD. Exceptions are flags made of tags, and the variation selectors and
    joiners that a character needs.
    """
    if _UNSAFE.search(text) is None:
        return text
    text = _ESCAPES.sub("", text).replace("\r\n", "\n")
    return _PILED.sub(_not_piled, _TAGS.sub(_flag, _INVISIBLE.sub(_picture, text)))


def clean_line(text: str) -> str:
    """Make text safe to draw on one line: like `clean_text`, with newlines and tabs as spaces."""
    return clean_text(text).replace("\n", " ").replace("\t", " ")


def path_of_url(text: str) -> str:
    """Return the path in a file URL (`file:///a`, `file://localhost/a`, `file:/a`); any other text
    unchanged.
    """
    if text[:6].lower() != "file:/":
        return text
    try:
        return unquote(urlsplit(text).path)
    except ValueError:
        return text


def quote_signs(text: str) -> str:
    """Put quotation marks around lines of a clean text that look like the program's own rows: lines
    that begin with a sign, or have one after a gap.
    """
    return re.sub(_OWN_LOOK, _in_quotes, text)


def clean_title(text: str) -> str:
    """Make an untrusted title or name safe to draw on one line, with `quote_signs`."""
    return quote_signs(clean_line(text))


def reveal_escapes(text: str) -> str:
    """Replace escape characters by symbols, so that `clean_text` removes nothing from a text that
    the user must judge.
    """
    return text.translate(_OF_ESCAPES) if _ESCAPE.search(text) else text


def count_blanks(text: str) -> str:
    """Replace long runs of blanks and of empty lines by their count.

    In a text that the user must judge, no part may be pushed far down or aside.
    """
    return _BLANKS.sub(_counted, text)


def judged_text(text: str) -> str:
    """Prepare a text that the user must judge, so that `clean_text` removes and hides nothing."""
    return reveal_escapes(count_blanks(text))


def judged_line(text: str) -> str:
    """Prepare a text that the user must judge for one line: line breaks and long gaps are made
    visible.
    """
    return clean_line(judged_text(text.replace("\n", "⏎").replace("\r", "⏎")))


def one_line(text: str) -> str:
    """Prepare a text that the user must judge for one line, cut to 1,000 characters: nothing hides,
    or looks like a space.
    """
    text, rest = begin_counted(text.strip("\n"), _LONGEST_SINGLE_LINE)
    return f"{_joined(text)}… {rest:,} more characters" if rest else _joined(text)


def whole_line(text: str) -> str:
    """Prepare a text for one line like `one_line`, without cutting it."""
    return _joined(count_blanks(text.strip("\n")))


def begin_counted(text: str, size: int) -> tuple[str, int]:
    """Return about the first `size` characters of `count_blanks(text)`, and how many characters of
    the text are left out.

    The rest of the text isn't processed.
    """
    kept = []
    at = 0
    while at < len(text) and size > 0:
        found = _BLANKS.search(text, at, at + size)
        start = min(len(text), at + size) if found is None else found.start()
        kept.append(text[at:start])
        size, at = size - (start - at), start
        blanks = None if found is None else _BLANKS.match(text, at)
        if blanks is not None:
            kept.append(_counted(blanks))
            size, at = size - len(kept[-1]), blanks.end()
    return "".join(kept), len(text) - at


def is_blank(line: str) -> bool:
    """Return whether all characters of a line draw nothing."""
    return _BLANK_LINE.fullmatch(line) is not None


def join_surrogates(text: str) -> str:
    """Replace lone surrogates; a pair becomes its character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _joined(text: str) -> str:
    return clean_line(reveal_escapes(text.replace("\r\n", "\n").replace("\n", " ⏎ ")))


def _counted(blanks: re.Match[str]) -> str:
    run = blanks[0]
    if "\n" in run:
        return f"\n⋯ {run.count(chr(10)) - 1:,} empty lines\n"
    if sum(_CELLS.get(char, 1) for char in run[:_NOT_COUNTED]) < _NOT_COUNTED:
        return run
    kinds = {" ": "spaces", "\t": "tabs"}
    kind = kinds.get(run[0], "blanks") if run.count(run[0]) == len(run) else "blanks"
    return f" ⋯ {len(run):,} {kind} ⋯ "


def _in_quotes(line: re.Match[str]) -> str:
    return f"“{line[0]}”"


def _flag(match: re.Match[str]) -> str:
    return match["flag"] or "\ufffd"


def _not_piled(match: re.Match[str]) -> str:
    return match["kept"] + "\ufffd" * len(match["more"])


def _picture(match: re.Match[str]) -> str:
    return _PICTURES.get(ord(match[0]), "\ufffd")


class Cleaner:
    """Cleans text that arrives in pieces; the joined results equal `clean_text` of the whole."""

    def __init__(self) -> None:
        self._buffered = ""
        self._before = ""  # the end of the last result, which the next piece may continue

    def feed(self, text: str) -> str:
        """Clean the next piece; a sequence that may continue is held back, in constant space."""
        text = self._buffered + text
        self._buffered = ""
        if _UNSAFE.search(text) is None:
            return self._given(text) if self._before or not text.isascii() else text
        text = self._buffer_escape(text)
        text = _ESCAPES.sub("", text)
        if text.endswith("\r"):
            text, self._buffered = text[:-1], "\r" + self._buffered
        else:
            text = self._buffer_tags(text)
        return self._given(text)

    def finish(self) -> str:
        """Clean what is still held back."""
        text, self._buffered = self._buffered, ""
        return self._given(text) if text else ""

    def _given(self, text: str) -> str:
        whole = self._before + text
        text = clean_text(whole)[len(self._before) :]
        goes_on = _GOES_ON.search(whole, max(0, len(whole) - 2))
        self._before = goes_on[0] if goes_on else ""
        return text

    def _buffer_tags(self, text: str) -> str:
        last = deque(_TAGS.finditer(self._before + text), maxlen=1)
        if not last or last[0]["flag"] or last[0].end() < len(self._before + text):
            return text
        self._buffered = last[0][0][:_OF_FLAG] + self._buffered
        return text[: len(text) - len(last[0][0])]

    def _buffer_escape(self, text: str) -> str:
        last = deque(_ESCAPES.finditer(text), maxlen=1)
        if not last or last[0].end() < len(text):
            return text
        self._buffered = _beginning(last[0][0])
        return text[: last[0].start()]


def _beginning(escape: str) -> str:
    """Return the part of an incomplete escape sequence that makes the rest be parsed as one; "" if
    `escape` is complete.
    """
    string = re.fullmatch(r"(\x1b[]PX^_]|[\x9d\x90\x98\x9e\x9f]).*", escape, re.DOTALL)
    if string:
        ends = ("\x1b\\", "\x9c", "\x07") if string[1] in "\x1b]\x9d" else ("\x1b\\", "\x9c")
        return "" if escape.endswith(ends) else string[1]
    sequence = re.fullmatch(r"(\x1b\[|\x9b)[0-?]*([ -/]?)[ -/]*|\x1b([ -/]?)[ -/]*", escape)
    if sequence is None:
        return ""
    return (sequence[1] or "\x1b") + (sequence[2] or sequence[3] or "")
