"""What text becomes that a terminal sends: keys, or a paste whose terminal marks none."""

import re
from collections.abc import Callable
from typing import TypeAlias

from textual.events import Key, Paste
from textual.message import Message

from acp_tui.ui.textual_fixes.key_sequences import character_key

BURST = 0.05
"""Seconds within which nobody types text and then Enter, or a key: it came at once."""
PASTE_PAUSE = 0.15
"""Seconds of silence that end a paste without brackets, or show that a line end behind text is Enter."""
PASTE_REST = 1.0
"""Seconds after such a paste within which a line that comes in one read still belongs to it."""
UNFINISHED = 30.0
"""Seconds in which all text is the rest of a paste that was over for its long silence: a line end in it must
not send what came so far.
"""
LONG_TEXT = 500
"""Characters in one burst that are pasted: as keys they would take a second."""
LONGEST_PASTE = 16 * 1024 * 1024
"""Characters of a paste that are held; more of it comes as another paste."""

_NEWLINE = re.compile(r"[\r\n]")
_LINE_ENDS = re.compile(r"\r\n|[\r\n\t ]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PICTURES = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\t\n"}
_PICTURES |= {0x7F: "\u2421"} | dict.fromkeys(range(0x80, 0xA0), "\ufffd")


class EnterInPaste(Message):
    """Enter was taken for the rest of a paste whose end marker never came: it added a line."""


Send: TypeAlias = Callable[[Key | Paste | EnterInPaste], object]


class TypedText:
    """Sends text as keys, but several lines that come in one burst as one paste: each line would be sent as
    a prompt. One line with Enter behind it is typed, by a person or by a program.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._lines: list[str] = []
        """A paste, as far as it came."""
        self._size = 0
        self._enters = ""
        """Line ends behind a text: Enter, unless more follows in this burst."""
        self._text_at = self._pasted_at = self._unfinished_at = float("-inf")
        self._lines_at = float("-inf")
        """When several lines came last."""
        self._odd_at = float("-inf")
        """When something came that no key sends: no Enter in its burst is one."""

    @property
    def deadline(self) -> float | None:
        """When `expire` is due; None if nothing waits."""
        return self._text_at + PASTE_PAUSE if self._lines or self._enters else None

    def expire(self, now: float) -> None:
        """Finish what no more followed."""
        deadline = self.deadline
        if deadline is not None and now >= deadline:
            self.finish()

    @property
    def is_paste(self) -> bool:
        """Whether what comes in this burst belongs to a paste."""
        return bool(self._lines)

    def add(self, text: str, now: float) -> None:
        """Send a text, or wait for what follows its line end."""
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
        if ends.strip() or (ends and self._is_odd(now)) or self._goes_on_with_paste(text, now):
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
        """Note something that no key sends. A line end right before it was no key either."""
        self._odd_at = now
        if self._enters:
            enters, self._enters = self._enters, ""
            self._add_lines(enters, now)

    def note_paste(self, now: float, *, is_finished: bool) -> None:
        """Note that a paste in brackets came, or its beginning. What follows at once belongs to it: an end
        marker may be part of what is pasted.
        """
        self._pasted_at = now
        self._unfinished_at = float("-inf") if is_finished else now

    def end_rest_of_paste(self) -> None:
        """Take what follows for typed: a key was pressed that no paste has."""
        self._unfinished_at = float("-inf")

    def finish(self) -> None:
        """Send what waits: a key follows, or nothing."""
        lines, self._lines = self._lines, []
        enters, self._enters = self._enters, ""
        if lines:
            self._send(show_controls("".join(lines)))
        for end in _LINE_ENDS.findall(enters):
            self._send(character_key(end[0]))

    def _is_odd(self, now: float) -> bool:
        return now - self._odd_at <= BURST

    def _goes_on_with_paste(self, text: str, now: float) -> bool:
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
    """Return a paste in which control characters are seen and do nothing."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Paste(text.translate(_PICTURES) if _CONTROLS.search(text) else text)
