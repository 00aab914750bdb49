"""Converts the bytes that a terminal sends into Textual's messages.

Textual decodes strictly, gives up on a sequence after 0.1 s or 32 characters and types what it has
of it, and loses what looks like a sequence within a paste. Here nothing raises, whatever the bytes,
and however they are split and delayed:

- Anything with the form of a key or of a terminal's response is never text. A sequence that stops
  halfway is dropped, and still recognized if the rest arrives later.
- Nothing blocks the keyboard for more than a moment: a sequence or a paste without an end is over
  once no more of it arrives, or too little.
- Lines that arrive in one burst are a paste, with or without brackets: see `typed_text`.
"""

import re
from codecs import getincrementaldecoder
from collections.abc import Callable
from time import monotonic

from textual import constants, events
from textual.message import Message

from acp_tui.ui.textual_fixes.key_sequences import ESCAPE, Surrogates, character_key, sequence_keys
from acp_tui.ui.textual_fixes.terminal_reports import (
    ANSWER,
    TerminalReports,
    begins_answer,
    begins_key,
    names_string,
)
from acp_tui.ui.textual_fixes.terminal_tokens import (
    ESC,
    LONGEST_SEQUENCE,
    PASTE_BEGIN,
    PASTE_END,
    SEQUENCE,
    STRING,
    TEXT,
    is_sequence,
    sequence_text,
    token_end,
)
from acp_tui.ui.textual_fixes.typed_text import LONGEST_PASTE, TypedText, show_controls

SILENCE = 1.0
"""Seconds of silence after which a sequence or a paste is considered unterminated. Of an
unterminated sequence, only two bytes may be a key with Alt, such as Alt+[.
"""
INPUT_TIMEOUT = 2.0
PASTE_PATIENCE = 10.0
"""The base of the longest duration of a sequence or a paste, in seconds ..."""
SLOWEST = 0.0002
"""... to which this is added per byte. Typing after a missing end waits no longer than that."""
LATE = 0.6
"""Seconds between Escape and a byte, or between two bytes after it, within which they may be one
key. If they turn out not to be one, they were typed that fast and are text again.
"""
LATE_COMMAND = 0.75
"""Seconds after Escape within which a response may continue if its first byte is a command here,
such as `[` ...
"""
LATE_ANSWER = 6.0
"""... and if that is text, which may wait: over a slow line, a response arrives byte by byte."""
KEY_SILENCE = 0.2
"""Seconds of silence after which a lone key in a paste means that the paste's end is missing."""

_LEAVING = ("ctrl+c", "ctrl+q")
"""Keys that work whatever came before them."""
_PRESSED = re.compile(rb"[\x03\x11\r\n]|" + SEQUENCE.pattern)
"""A key, or a report that the terminal sends between two keys."""


class TerminalInput:
    """Parses terminal input. Call `feed` with each read, and `tick` once `deadline` has passed."""

    def __init__(
        self, clock: Callable[[], float] = monotonic, is_text: Callable[[], bool] = lambda: True
    ) -> None:
        self._clock = clock
        self._is_text = is_text
        """Returns whether a letter is text for the focused widget, rather than a command."""
        self._messages: list[Message] = []
        self._text = TypedText(self._messages.append)
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._reports = TerminalReports()
        self._buffer = bytearray()
        """The bytes that don't make up a complete token yet."""
        self._paste: bytearray | None = None
        """The bracketed paste whose end marker hasn't arrived."""
        self._began = 0.0
        self._size = 0
        """When the buffer or the paste began, and the bytes received since."""
        self._read = b""
        self._read_at = self._silence = 0.0
        """The last read, its time, and the silence before it."""
        self._gap = 0.0
        """The longest silence within the buffer."""
        self._abandoned: tuple[bytes, float] | None = None
        """The beginning of a sequence that was given up, and its time: the rest may arrive late."""
        self._late = 0
        """The bytes of the buffer that were given up before, and handled as keys or dropped."""
        self._has_escape_sequence = False
        """Whether the terminal sends Esc as a sequence, so that a lone Escape always begins one."""
        self._surrogates = Surrogates()

    def feed(self, data: bytes) -> list[Message]:
        """Parse what was read; return the messages of all complete tokens."""
        now = self._clock()
        self._read = data
        if self._is_overdue(now) and self._buffer == b"\x1b":
            data = self._resolve_escape(data, now)
        else:
            self._expire_incomplete(now)
            data = self._join_late(data, now)
        self._silence, self._read_at = now - self._read_at, now
        if self._buffer:
            self._gap = max(self._gap, self._silence)
        elif self._paste is None:
            self._began, self._size = now, 0
            self._gap = self._silence if self._late else 0.0
        self._size += len(data)
        self._buffer += data
        while (end := self._token_end()) is not None:
            token = bytes(self._buffer[:end])
            del self._buffer[:end]
            self._handle_token(token)
            if self._paste is None:
                self._began, self._size, self._gap = now, len(self._buffer), 0.0
        return self._flush_messages()

    def tick(self) -> list[Message]:
        """Finish pastes, sequences and text whose rest is overdue; return their messages."""
        now = self._clock()
        self._expire_incomplete(now)
        self._text.expire(now)
        return self._flush_messages()

    @property
    def deadline(self) -> float | None:
        """When `tick` is due; None if nothing is pending."""
        incomplete = self._incomplete_until()
        text = self._text.deadline
        return min((one for one in (incomplete, text) if one is not None), default=None)

    def _flush_messages(self) -> list[Message]:
        messages = self._messages[:]
        self._messages.clear()
        return messages

    # Incomplete input

    def _incomplete_until(self) -> float | None:
        if self._paste is None:
            if not self._buffer:
                return None
            if self._buffer == b"\x1b" and not self._has_escape_sequence:
                return self._read_at + constants.ESCAPE_DELAY
            if self._late:
                return self._read_at + self._late_patience()
        patience = INPUT_TIMEOUT if self._paste is None else PASTE_PATIENCE
        longest = self._began + patience + self._size * SLOWEST
        until = min(self._read_at + SILENCE, longest)
        if self._paste is None and len(self._buffer) > 2 and begins_answer(bytes(self._buffer)):
            return max(until, self._read_at + self._answer_patience())
        return until

    def _late_patience(self) -> float:
        """Return how long bytes after an Escape that was handled as a key wait for more."""
        prefix = bytes(self._buffer)
        if not begins_answer(prefix, among_commands=not self._is_text()):
            return LATE
        if len(prefix) == 2 and not self._is_text():
            return max(LATE, 2 * self._gap)
        return self._answer_patience()

    def _answer_patience(self) -> float:
        """Return how long the beginning of a response waits for more: a slow line stays slow."""
        return min(max(SILENCE, 2 * self._gap), LATE_ANSWER)

    def _is_overdue(self, now: float) -> bool:
        until = self._incomplete_until()
        return until is not None and now >= until

    def _expire_incomplete(self, now: float) -> None:
        if self._is_overdue(now):
            if self._paste is not None:
                self._paste += self._buffer
                self._buffer.clear()
                self._finish_paste(is_finished=False)
            else:
                self._abandon_sequence(now)

    def _abandon_sequence(self, now: float) -> None:
        """Handle the beginning of a sequence as a key, or drop it."""
        prefix = bytes(self._buffer)
        self._buffer.clear()
        if self._late:
            typed, self._late = prefix[self._late :], 0
            self._text.add(typed.decode("utf-8", "replace"), now)
            return
        if prefix == b"\x1b":
            self._press_key(events.Key("escape", ESCAPE))
        elif len(prefix) == 2 and prefix[0] == ESC:
            self._press_key(character_key(chr(prefix[1]), alt=True))
        self._abandoned = prefix[:LONGEST_SEQUENCE], self._read_at

    def _resolve_escape(self, data: bytes, now: float) -> bytes:
        """Press Escape, unless the new bytes continue it: both may have been waiting for us."""
        self._buffer.clear()
        self._abandoned = b"\x1b", self._read_at
        joined = self._join_late(data, now)
        if joined == data or self._late:
            self._press_key(events.Key("escape", ESCAPE))
        return joined

    def _join_late(self, data: bytes, now: float) -> bytes:
        """Return the new bytes, preceded by the beginning of a sequence that was given up if they
        may be its rest.

        Nobody types several characters in one read, so the rest is recognized by its form; bytes
        right after Escape that may only begin a sequence wait a moment for more.
        """
        if self._abandoned is None or self._buffer or self._paste is not None:
            return data
        (prefix, at), self._abandoned = self._abandoned, None
        whole = prefix + data
        if self._may_be_late(whole, len(prefix), now - at):
            self._late = len(prefix)
            return whole
        if prefix == b"\xc2" and data[:1] < b"\xc0":
            return whole  # the second half of a character
        if len(data) == 1 and (len(prefix) <= 2 or now - at > LATE_ANSWER):
            return data
        return whole if is_sequence(whole, len(prefix), is_quick=True) else data

    def _may_be_late(self, whole: bytes, length: int, gap: float) -> bool:
        """Return whether a beginning given up `gap` seconds ago may continue, and so waits."""
        among_commands = not self._is_text()
        if length == 1 and gap < LATE and begins_key(whole, among_commands=among_commands):
            return True
        longest = LATE_COMMAND if length == 1 and among_commands else LATE_ANSWER
        return gap < longest and begins_answer(whole, among_commands=among_commands)

    # The ends of tokens

    def _token_end(self) -> int | None:
        """Return where the first token of the buffer ends; None if that isn't known yet."""
        if self._paste is not None:
            return self._paste_end()
        if self._late and self._buffer and self._is_still_late():
            return None
        return token_end(self._buffer)

    def _is_still_late(self) -> bool:
        """Return whether a late buffer may still become a sequence. If it can't, and isn't one,
        drop its late part.
        """
        whole = bytes(self._buffer)
        among_commands, is_quick = not self._is_text(), self._gap < LATE
        may_continue = begins_answer(whole, among_commands=among_commands) or (
            is_quick and begins_key(whole, among_commands=among_commands)
        )
        if may_continue and not names_string(whole) and len(whole) < LONGEST_SEQUENCE:
            return True
        late, self._late = self._late, 0
        if not is_sequence(whole, late, is_quick=is_quick):
            del self._buffer[:late]  # the rest is text
        return False

    def _paste_end(self) -> int | None:
        """Return where a paste's end marker ends; move the bytes before it into the paste."""
        assert self._paste is not None
        buffer = self._buffer
        end = buffer.find(PASTE_END)
        if end < 0 and self._is_key_in_paste():
            start = len(buffer) - len(self._read)
            self._paste += buffer[:start]
            del buffer[:start]
            self._finish_paste(is_finished=False)
            return self._token_end()
        size = len(PASTE_END)
        partial = len(buffer) - end if end >= 0 else 0
        partial = partial or next(
            (n for n in range(size - 1, 0, -1) if buffer.endswith(PASTE_END[:n])), 0
        )
        self._paste += buffer[: len(buffer) - partial]
        del buffer[: len(buffer) - partial]
        if len(self._paste) > LONGEST_PASTE:
            self._finish_paste(is_finished=False)
            self._paste = bytearray()
        return size if end >= 0 else None

    def _is_key_in_paste(self) -> bool:
        """Return whether the whole read is a key that nobody pastes, so that the paste's end marker
        must be missing.
        """
        prefix = self._buffer.removesuffix(self._read)  # the part of an end marker before the key
        if _has_leaving_key(self._read) and PASTE_END.startswith(prefix):
            return True
        if prefix or self._read in b"\t\n\r\x1b":
            return False
        is_control = len(self._read) == 1 and self._read[0] < 0x20
        is_key = is_control or (
            SEQUENCE.fullmatch(self._read) is not None
            and bool(sequence_keys(sequence_text(self._read)))
        )
        return is_key and self._silence > KEY_SILENCE

    # The meaning of tokens

    def _handle_token(self, token: bytes) -> None:
        if self._paste is not None:
            self._finish_paste(is_finished=True)
        elif TEXT.fullmatch(token):
            self._add_text(self._decoder.decode(token))
        else:
            self._add_text(self._decoder.decode(b"", final=True))
            self._handle_control(token)

    def _handle_control(self, token: bytes) -> None:
        if STRING.match(token):
            return
        if len(token) == 1:
            self._handle_character(chr(token[0]))
        elif token[0] == ESC and token[1] not in b"[O\x1b":
            self._handle_alt(token[1:].decode("utf-8", "replace"))
        else:
            self._handle_sequence(sequence_text(token))

    def _handle_character(self, character: str) -> None:
        if (
            self._text.is_paste
            and self._read != character.encode()
            and not _has_leaving_key(self._read)
        ):
            self._text.add(character, self._read_at)
        elif character in "\x00\x1c\x1d\x1e\x1f":
            self._press_key(character_key(character))
            self._text.note_odd(self._read_at)  # rarely a key, often noise
        else:
            self._press_key(character_key(character))

    def _handle_alt(self, character: str) -> None:
        if character == "\r":
            self._press_key(events.Key("alt+enter", None))
        elif character in "\x7f\x08":
            self._press_key(events.Key("alt+backspace", None))
        elif character < " " and character != "\t":
            self._press_key(character_key(character))  # Ctrl+C with Alt is Ctrl+C
        elif character == "\t" or (character.isprintable() and character != "\ufffd"):
            self._press_key(character_key(character, alt=True))
        else:
            self._text.note_odd(self._read_at)

    def _handle_sequence(self, sequence: str) -> None:
        has_alt = sequence.startswith("\x1b\x1b")
        sequence = sequence[1:] if has_alt else sequence
        if sequence == PASTE_BEGIN.decode():
            self._text.finish()
            self._paste = bytearray()
            return
        if sequence == PASTE_END.decode():
            self._text.note_odd(self._read_at)  # the previous marker was part of the pasted text
            self._text.note_paste(self._read_at, is_finished=True)
            return
        if ANSWER.match(sequence):
            self._add_report(self._reports.message(sequence))
            return
        keys = sequence_keys(sequence, alt=has_alt)
        is_alone = SEQUENCE.fullmatch(self._read) is not None or _has_leaving_key(self._read)
        if keys is None or (self._text.is_paste and not is_alone):
            self._text.note_odd(self._read_at)
            return
        for key in keys:
            self._has_escape_sequence |= key.key == "escape"
            whole = self._surrogates.join(key)
            if whole is not None:
                self._press_key(whole)

    def _press_key(self, key: events.Key) -> None:
        self._text.finish()
        if key.key in _LEAVING or self._silence > SILENCE:
            self._text.end_rest_of_paste()  # pressed by a user who has seen the pasted text
        self._messages.append(key)

    def _add_text(self, text: str) -> None:
        if text:  # else the last bytes of a character are missing
            self._text.add(text, self._read_at)

    def _finish_paste(self, *, is_finished: bool) -> None:
        pasted, self._paste = self._paste or b"", None
        self._messages.append(show_controls(pasted.decode("utf-8", "replace")))
        self._text.note_paste(self._read_at, is_finished=is_finished)

    def _add_report(self, report: Message | None) -> None:
        if isinstance(report, events.MouseEvent) and not self._text.is_paste:
            self._text.finish()
        if report is not None:
            self._messages.append(report)


def _has_leaving_key(read: bytes) -> bool:
    """Return whether a read contains only keys and terminal reports, including Ctrl+C or Ctrl+Q: on
    a busy machine, several presses arrive in one read.
    """
    tokens = _PRESSED.findall(read)
    return sum(map(len, tokens)) == len(read) and any(
        key.key in _LEAVING
        for token in tokens
        for key in (
            [character_key(token.decode())]
            if len(token) == 1
            else sequence_keys(sequence_text(token)) or []
        )
    )
