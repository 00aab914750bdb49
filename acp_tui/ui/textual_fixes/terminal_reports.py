"""Turns a terminal's reports into Textual's messages: focus, mouse, cursor position, modes and size."""

import re

from textual import constants, events, messages
from textual._xterm_parser import IS_ITERM, XTermParser
from textual.message import Message

ANSWER = re.compile(r"\x1b\[(?:[?>=][ -?]*[@-~]|[\d;:]+\$?[cnxtyR]|[IO]|<|[MT]|\d+;\d+;\d+M)")
"""Matches what only a terminal sends by itself: its attributes, status, modes, position, sizes, keyboard
protocol, focus and mouse.
"""
_CURSOR = re.compile(r"\x1b\[(\d{1,5});(\d{1,5})R")
_MODE = re.compile(r"\x1b\[\?(\d{1,5});(\d)\$y")
_SIZE = re.compile(r"\x1b\[48;(\d{1,5})[:\d]*;(\d{1,5})[:\d]*;(\d{1,5})[:\d]*;(\d{1,5})[:\d]*t")
_MOUSE = re.compile(r"\x1b\[<\d{1,4};-?\d{1,6};-?\d{1,6}[mM]")
_OLD_MOUSE = re.compile(r"\x1b\[(\d{1,4});(\d{1,6});(\d{1,6})M")
_MOST_CELLS = 2_000_000
"""The most cells of a screen. A larger reported size isn't believed: its grid could take all memory."""


class TerminalReports:
    """Parses reports, and remembers what later ones depend on: the size of a cell, for the mouse."""

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
