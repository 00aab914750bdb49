"""Recognizes terminal reports (focus, mouse, cursor, modes, size), and parses them."""

import re

from textual import constants, events, messages
from textual._xterm_parser import IS_ITERM, XTermParser
from textual.message import Message

ANSWER = re.compile(r"\x1b\[(?:[?>=][ -?]*[@-~]|[\d;:]+\$?[cnxtyR]|[IO]|<|[MT]|\d+;\d+;\d+M)")
"""Matches sequences that only a terminal itself sends: its attributes, status, modes, position,
sizes, keyboard protocol, focus and mouse.
"""
_CURSOR = re.compile(r"\x1b\[(\d{1,5});(\d{1,5})R")
_MODE = re.compile(r"\x1b\[\?(\d{1,5});(\d)\$y")
_SIZE = re.compile(r"\x1b\[48;(\d{1,5})[:\d]*;(\d{1,5})[:\d]*;(\d{1,5})[:\d]*;(\d{1,5})[:\d]*t")
_MOUSE = re.compile(r"\x1b\[<\d{1,4};-?\d{1,6};-?\d{1,6}[mM]")
_OLD_MOUSE = re.compile(r"\x1b\[(\d{1,4});(\d{1,6});(\d{1,6})M")
_MOST_CELLS = 2_000_000
"""Most cells of a screen. A larger reported size is ignored: its grid could take up all memory."""


class TerminalReports:
    """Parses reports, and remembers the size of a cell, on which mouse reports depend."""

    def __init__(self) -> None:
        self._mouse = XTermParser()
        self._reports_size = False

    def message(self, sequence: str) -> Message | None:
        """Return the message of a report; None if Textual has no use for it."""
        if sequence == "\x1b[I":
            return events.AppFocus()
        if sequence == "\x1b[O":
            return events.AppBlur()
        if found := _CURSOR.fullmatch(sequence):
            return events.CursorPosition(int(found[2]) - 1, int(found[1]) - 1)
        if _MOUSE.fullmatch(sequence):
            return self._mouse.parse_mouse_code(sequence)
        if found := _OLD_MOUSE.fullmatch(sequence):
            return self._old_mouse_event(*(int(number) for number in found.groups()))
        if sequence.startswith("\x1b[M") and len(sequence) == 6:
            button, *at = (ord(character) - 32 for character in sequence[3:])
            return self._old_mouse_event(button + 32, *at)
        if found := _MODE.fullmatch(sequence):
            return self._mode_message(found[1], int(found[2]))
        if (found := _SIZE.fullmatch(sequence)) and self._reports_size:
            return self._resize_event(*(int(number) for number in found.groups()))
        return None

    def _old_mouse_event(self, button: int, column: int, row: int) -> Message | None:
        return self._mouse.parse_mouse_code(f"\x1b[<{max(0, button - 32)};{column};{row}M")

    def _mode_message(self, mode: str, setting: int) -> Message | None:
        if mode == "2026" and setting > 0:
            return messages.TerminalSupportsSynchronizedOutput()
        if mode == "2048" and constants.SMOOTH_SCROLL and not IS_ITERM:
            self._reports_size = setting > 0
            return messages.InBandWindowResize.from_setting_parameter(setting)
        return None

    def _resize_event(self, rows: int, columns: int, height: int, width: int) -> Message | None:
        if not 0 < rows * columns < _MOST_CELLS:
            return None
        resized = events.Resize.from_dimensions((columns, rows), (width, height))
        if height >= rows and width >= columns:
            self._mouse.terminal_size = resized.size
            self._mouse.terminal_pixel_size = resized.pixel_size
            self._mouse.mouse_pixels = True
        return resized


# Responses are distinguished from typed text by their form. Over a slow line, a response may arrive
# byte by byte: its Escape has been handled as a key by then, and each further byte looks like a key
# press. So these forms are strict: words in brackets, dates and lists match none of them.
_CONTROL_PREFIX = rb"\[(?:[?>=](?:\d[0-9;:]*[ -/]?)?|<[0-9;-]*|[0-9:]+(?:;[0-9;:]*)?[\"$&'*]?)?"
_FREE = rb"[ -~]{0,48}"
"""The terminal's free text, such as its name and version. Longer text would block the keyboard for
too long.
"""
_COLOR = rb"(?:\d{1,3};)*(?:#[0-9a-fA-F]*|r(?:g(?:b(?:a?(?::[0-9a-fA-F/]*)?)?)?)?)?"
_COMMAND_PREFIX = (
    rb"\](?:\d{0,4}|[lL]"
    + _FREE
    + rb"|(?:[45]|1\d);"
    + _COLOR
    + rb"|52;[a-z0-7]*(?:;[A-Za-z0-9+/=]*)?"
    rb"|(?:[36-9]|[2-9]\d|\d{3,4});[!-~]{0,64})"
)
"""Commands 0, 1 and 2 set a title: they are only sent to terminals."""
_DEVICE_PREFIX = (
    rb"P(?:[012]?(?:\+(?:r[0-9A-Fa-f;=]*)?|\$(?:u[0-9/]*|r[0-9;:]*[\"' $*]?[A-Za-z|{}~]?)?)?|>(?:\|"
    + _FREE
    + rb")?|\d?!(?:[|~][0-9A-Fa-f]*)?)"
)
_APPLICATION_PREFIX = rb"_(?:G[A-Za-z0-9=,+:-]*(?:;" + _FREE + rb")?)?"
_PREFIX = re.compile(
    rb"\x1b(?:" + _CONTROL_PREFIX + rb"|(?:" + _COMMAND_PREFIX + rb"|" + _DEVICE_PREFIX + rb"|" + _APPLICATION_PREFIX
    + rb")[\x1b\xc2]?)"
)  # fmt: skip
_PREFIX_AMONG_COMMANDS = re.compile(rb"\x1b[\[\]]")
_KEY_PREFIX = re.compile(
    rb"\x1b(?:\[[0-9:;<=>?]*|\[M(?:[ -\xc1\xe0-\xff]|[\xc2-\xdf][\x80-\xbf]){0,2}[\xc2-\xdf]?|O[0-9;]*)"
)
_KEY_PREFIX_AMONG_COMMANDS = re.compile(rb"\x1b\[[0-9:;<=>?]*")
_REPORT = re.compile(
    rb"\x1b\[(?:[?>=]\d[0-9;:]*[ -/]?[@-Z\\^-~]|<\d+;-?\d+;-?\d+[mM]"
    rb"|[0-9:]+;[0-9;:]*[\"$&'*]?[@-Z\\^-~]|\d+(?:[n~]|\*\{))"
)
_NAMED_STRING = re.compile(
    rb"\x1b(?:\](?:\d{1,4};|[lL])|P(?:[01]?[+$]r|>\||!\||\d\$[tu])|_G[a-z]=)"
)


def begins_answer(prefix: bytes, *, among_commands: bool = False) -> bool:
    """Return whether a response may begin with exactly these bytes.

    With `among_commands`, letters after Escape are commands, which must not wait for more bytes.
    """
    prefix = _with_escape(prefix)
    if among_commands and _PREFIX_AMONG_COMMANDS.match(prefix) is None:
        return False
    return _PREFIX.fullmatch(prefix) is not None


def begins_key(prefix: bytes, *, among_commands: bool) -> bool:
    """Return whether a key may begin with exactly these bytes, which a user types more slowly."""
    pattern = _KEY_PREFIX_AMONG_COMMANDS if among_commands else _KEY_PREFIX
    return pattern.fullmatch(prefix) is not None


def is_report(sent: bytes) -> bool:
    """Return whether bytes begin with a control sequence that nobody types."""
    return _REPORT.match(sent) is not None


def names_string(sent: bytes) -> bool:
    """Return whether bytes begin with a control string that nobody types, whatever its content."""
    return _NAMED_STRING.match(_with_escape(sent)) is not None


def _with_escape(sent: bytes) -> bytes:
    """Return a sequence with an 8-bit introducer replaced by the 7-bit one."""
    if sent[:1] == b"\xc2" and b"\x80" <= sent[1:2] < b"\xa0":
        return b"\x1b" + bytes([sent[1] - 0x40]) + sent[2:]
    return sent
