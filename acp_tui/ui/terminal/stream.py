"""Parses the output of programs into operations on a terminal's screen, or into plain lines."""

import re
from collections.abc import Iterator

from acp_tui.text import Cleaner
from acp_tui.ui.terminal.screen import TerminalScreen, parse_parameter

_ALTERNATE = {"47", "1047", "1049"}
"""Modes of the alternate screen."""
LONGEST_UNFINISHED = 256
"""Most characters of an unfinished sequence that are held back."""

_TOKEN = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f-\x9f]{1,1024})"
    r"|(?P<string>\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?P<end>[\x07\x9c]?)"
    r"|(?:\x1b\[|\x9b)(?P<parameters>[0-?]*)(?P<between>[ -/]*)(?P<final>[@-~]?)"
    r"|\x1b(?P<escape>[ -/]*[0-~]?)"
    r"|(?P<control>[\x00-\x1f\x7f-\x9f])"
)
_OPEN = re.compile(r"[ -/]*")

_CONTROLS = {
    "\b": "backspace",
    "\t": "tab",
    "\n": "linefeed",
    "\v": "linefeed",
    "\f": "linefeed",
    "\r": "carriage_return",
    "\x84": "index",
    "\x85": "linefeed",
    "\x8d": "reverse_index",
}
_ESCAPES = {
    "7": "save_cursor",
    "8": "restore_cursor",
    "D": "index",
    "E": "linefeed",
    "M": "reverse_index",
}
_SEQUENCES = {
    "@": ("insert_characters", 1),
    "A": ("cursor_up", 1),
    "B": ("cursor_down", 1),
    "C": ("cursor_forward", 1),
    "D": ("cursor_back", 1),
    "E": ("cursor_down1", 1),
    "F": ("cursor_up1", 1),
    "G": ("cursor_to_column", 1),
    "H": ("cursor_position", 2),
    "J": ("erase_in_display", 1),
    "K": ("erase_in_line", 1),
    "L": ("insert_lines", 1),
    "M": ("delete_lines", 1),
    "P": ("delete_characters", 1),
    "X": ("erase_characters", 1),
    "`": ("cursor_to_column", 1),
    "a": ("cursor_forward", 1),
    "d": ("cursor_to_line", 1),
    "e": ("cursor_down", 1),
    "f": ("cursor_position", 2),
    "r": ("set_margins", 2),
    "s": ("save_cursor", 0),
    "u": ("restore_cursor", 0),
}
"""CSI sequences by their final character: pyte's name for each, and its number of parameters."""


class TerminalStream:
    """Plays text on a screen, piece by piece. No input can make it fail."""

    def __init__(self, screen: TerminalScreen) -> None:
        self._screen = screen
        self._unfinished_text = ""
        self._cleaner = Cleaner()

    def play(self, text: str) -> Iterator[None]:
        """Play some text; yield after each sequence and each run of characters.

        A sequence that may be unfinished is held back until more text arrives.
        """
        text = self._unfinished_text + text
        self._unfinished_text = ""
        for token in _TOKEN.finditer(text):
            if token.end() == len(text):
                self._unfinished_text = _unfinished(token)
            if not self._unfinished_text:
                self._apply_token(token)
            yield

    def finish(self) -> None:
        """Play what was held back, as no more text follows."""
        self._shown.draw(self._cleaner.finish())

    @property
    def _shown(self) -> TerminalScreen:
        """The screen that is currently drawn on."""
        return self._screen.alternate or self._screen

    def _apply_token(self, token: re.Match[str]) -> None:
        screen = self._shown
        if token["text"]:
            screen.draw(self._cleaner.feed(token["text"]))
            return
        screen.draw(self._cleaner.finish())
        if token["control"] in _CONTROLS:
            getattr(screen, _CONTROLS[token["control"]])()
        elif token["escape"] == "c":
            self._screen.clear()
        elif token["escape"] in _ESCAPES:
            getattr(screen, _ESCAPES[token["escape"]])()
        elif token["final"] == "m" and not token["between"]:
            if not token["parameters"].startswith(("<", "=", ">", "?")):
                screen.select(token["parameters"])
        elif token["final"] and token["final"] in "hl" and token["parameters"].startswith("?"):
            if not _ALTERNATE.isdisjoint(token["parameters"][1:].split(";")):
                self._screen.use_alternate(token["final"] == "h")
        elif token["final"] in _SEQUENCES and not token["between"]:
            self._sequence(token["final"], token["parameters"])

    def _sequence(self, final: str, parameters: str) -> None:
        if parameters.startswith(("<", "=", ">", "?")):
            return
        name, count = _SEQUENCES[final]
        numbers = [parse_parameter(part) for part in parameters.split(";")][:count]
        if final in "JK" and numbers[0] > 3 - (final == "K"):
            return
        getattr(self._shown, name)(*numbers)


def _unfinished(token: re.Match[str]) -> str:
    """Return the part of an unfinished sequence to hold back; of a string, its introducer."""
    if token["string"]:
        return "" if token["end"] else token["string"]
    if token["final"] == "" or (token["escape"] is not None and _OPEN.fullmatch(token["escape"])):
        return token[0][:LONGEST_UNFINISHED]
    return ""


COLUMNS = 200
"""The width at which the output is played; longer lines are rejoined afterwards."""


class _OutputScreen(TerminalScreen):
    """A screen that remembers which rows were only wrapped because it is too narrow."""

    def __init__(self, scrollback: int) -> None:
        self.broken: set[int] = set()
        super().__init__(COLUMNS, scrollback)

    def _wrap(self, cells: int) -> None:
        if self.cursor.x + cells > self.columns:
            self.broken.add(self.scrolled + self.cursor.y)
        super()._wrap(cells)


def plain_lines(output: bytes) -> list[str]:
    """Return the lines that a terminal would show for an output, including those scrolled off."""
    screen = _OutputScreen(scrollback=len(output))
    stream = TerminalStream(screen)
    for _ in stream.play(output.decode("utf-8", "replace")):
        pass
    stream.finish()
    lines: list[str] = []
    line = ""
    for number, row in enumerate((*screen.scrollback, *screen.rows(), ()), screen.lost):
        line += "".join(text for text, *_ in row)
        if number in screen.broken:
            # A row has no trailing blanks, but here they are part of the line.
            line += " " * (-len(line) % COLUMNS if line.isascii() else 0)
        else:
            lines.append(line.rstrip())
            line = ""
    while lines and not lines[-1]:
        del lines[-1]
    return lines
