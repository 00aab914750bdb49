"""Converts text from a terminal into keys, or into a paste even if it isn't marked as one."""

import re
from collections.abc import Callable
from typing import TypeAlias

from textual.events import Key, Paste
from textual.message import Message

from acp_tui.ui.textual_fixes.key_sequences import character_key

BURST = 0.05
"""Seconds within which nobody types text and then a key, such as Enter: they came at once."""
PASTE_PAUSE = 0.15
"""Seconds of silence that end an unmarked paste, or show that a line end after text is Enter."""
PASTE_REST = 1.0
"""Seconds after such a paste within which a line that arrives in one read still belongs to it."""
UNFINISHED = 30.0
"""Seconds within which all text belongs to a paste that was ended by a long silence: a line end in
it must not submit what has arrived so far.
"""
LONG_TEXT = 500
"""Characters in one burst from which on text is pasted: as keys it would take a second."""
LONGEST_PASTE = 16 * 1024 * 1024
"""Most characters of a paste; the rest arrives as another paste."""

_NEWLINE = re.compile(r"[\r\n]")
_LINE_ENDS = re.compile(r"\r\n|[\r\n\t ]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PICTURES = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\t\n"}
_PICTURES |= {0x7F: "\u2421"} | dict.fromkeys(range(0x80, 0xA0), "\ufffd")


class EnterInPaste(Message):
    """Enter was taken for part of a paste whose end marker never arrived: it added a line."""


Send: TypeAlias = Callable[[Key | Paste | EnterInPaste], object]


class TypedText:
    """Sends text as keys, but several lines in one burst as one paste: otherwise each line would be
    sent as a prompt.

    One line followed by Enter counts as typed, by a user or by a program.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._lines: list[str] = []
        """The paste received so far."""
        self._size = 0
        self._enters = ""
        """Line ends after text: they are Enter unless more follows in this burst."""
        self._text_at = self._pasted_at = self._unfinished_at = float("-inf")
        self._lines_at = float("-inf")
        """When several lines last arrived."""
        self._odd_at = float("-inf")
        """When something last arrived that no key sends: line ends in its burst aren't Enter."""

    @property
    def deadline(self) -> float | None:
        """When `expire` is due; None if nothing is pending."""
        return self._text_at + PASTE_PAUSE if self._lines or self._enters else None

    def expire(self, now: float) -> None:
        """Send what is pending if it is due."""
        deadline = self.deadline
        if deadline is not None and now >= deadline:
            self.finish()

    @property
    def is_paste(self) -> bool:
        """Whether further text in this burst belongs to a paste."""
        return bool(self._lines)

    def add(self, text: str, now: float) -> None:
        """Send text, or wait for what follows its line end."""
        if "\ufffd" in text:
            self._odd_at = now
        if self._lines:
            self._add_lines(text, now)
            return
        waiting, self._enters = self._enters, ""
        text = waiting + text
        newline = _NEWLINE.search(text)
        at = len(text) if newline is None else newline.start()
        body, ends = text[:at], text[at:]
        if ends.strip() or (ends and self._is_odd(now)) or self._continues_paste(text, now):
            self._add_lines(text, now)
            return
        if len(body) >= LONG_TEXT:
            self._send(show_controls(body))
        else:
            for character in body:
                self._send(character_key(character))
        is_alone = not body and not waiting and now - max(self._text_at, self._pasted_at) > BURST
        self._enters = ends
        if is_alone:
            self.finish()
        else:
            self._text_at = now

    def note_odd(self, now: float) -> None:
        """Record something that no key sends; a line end right before it was no key either."""
        self._odd_at = now
        if self._enters:
            enters, self._enters = self._enters, ""
            self._add_lines(enters, now)

    def note_paste(self, now: float, *, is_finished: bool) -> None:
        """Record a bracketed paste, or its beginning. Text right after it belongs to it: an end
        marker may be part of the pasted text.
        """
        self._pasted_at = now
        self._unfinished_at = float("-inf") if is_finished else now

    def end_rest_of_paste(self) -> None:
        """Treat further text as typed, after a key that can't be part of a paste."""
        self._unfinished_at = float("-inf")

    def finish(self) -> None:
        """Send pending text: a key follows, or nothing more."""
        lines, self._lines = self._lines, []
        enters, self._enters = self._enters, ""
        if lines:
            self._send(show_controls("".join(lines)))
        for end in _LINE_ENDS.findall(enters):
            self._send(character_key(end[0]))

    def _is_odd(self, now: float) -> bool:
        return now - self._odd_at <= BURST

    def _continues_paste(self, text: str, now: float) -> bool:
        if now - self._unfinished_at <= UNFINISHED:
            if text in ("\r", "\n"):
                self._send(EnterInPaste())
            return True
        is_line = bool(text.strip("\r\n"))
        if now - self._lines_at <= PASTE_REST and is_line and text[-1] in "\r\n":
            return True
        return now - self._pasted_at <= BURST and is_line

    def _add_lines(self, text: str, now: float) -> None:
        self._size = self._size + len(text) if self._lines else len(text)
        self._lines.append(text)
        self._text_at = self._lines_at = now
        if self._size > LONGEST_PASTE:
            self.finish()


def show_controls(text: str) -> Paste:
    """Return a paste in which control characters are visible and have no effect."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Paste(text.translate(_PICTURES) if _CONTROLS.search(text) else text)
