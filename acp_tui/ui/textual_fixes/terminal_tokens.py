"""Splits terminal input into tokens: keys, reports and text. A token's form determines its end."""

import re

from acp_tui.ui.textual_fixes.key_sequences import sequence_keys
from acp_tui.ui.textual_fixes.terminal_reports import ANSWER, begins_answer, is_report, names_string

ESC = 0x1B
TEXT = re.compile(rb"(?:[\t\n\r -~]|\xc2[\xa0-\xff]|[\x80-\xc1\xc3-\xff])+")
SEQUENCE = re.compile(
    rb"(?:\x1b\[|\xc2\x9b)(?:\[[A-E]|\[(?=[^A-E])|[ -?]+[@-~]|[@-Z\\-~])|\x1bO[0-9;]*[@-~]"
)
_PREFIX = re.compile(rb"(?:\x1b\[|\xc2\x9b)(?:\[|[ -?]*)|\x1bO[0-9;]*")
"""Matches the beginning of a sequence, up to the first byte that can't be part of it."""
STRING = re.compile(rb"\x1b[\]PX^_]|\xc2[\x90\x98\x9d-\x9f]")
_STRING_END = re.compile(
    rb"\x07|\xc2\x9c|\x1b\\|(?=\x1b[^\\]|[\x00-\x06\x08\x0b\x0c\x0e-\x1a\x1c-\x1f])"
)
"""Matches the end of a string: its terminator, or the start of what no string contains."""
_CONTROL = re.compile(rb"\xc2[\x80-\x9f]")
_NUMBERED = re.compile(rb"\x1b\[\d{3,}u")
"""Matches a key with a number that no keyboard has."""
LONGEST_SEQUENCE = 256
"""Most bytes of a sequence; otherwise an endless one would swallow everything after it."""
_LONGEST_STRING = 512
"""Most bytes of an unfinished string that are kept: enough to recognize a report."""
_OVERLONG = b"\x1b[?="
"""Replaces the beginning of a sequence that is too long, so that its end is ignored."""
_AFTER_MOUSE = {b"\x1b[M": 3, b"\x1b[t": 2, b"\x1b[T": 6}
"""The bytes that follow a mouse report in its oldest encodings."""
_MOUSE_BYTES = re.compile(
    rb"\x1b\[(?:M(?:[ -\xc1\xe0-\xff]|[\xc2-\xdf][\x80-\xbf]?){3}|t[ -\xff]{2}|T[ -\xff]{6})"
)
PASTE_BEGIN, PASTE_END = b"\x1b[200~", b"\x1b[201~"


def token_end(buffer: bytearray) -> int | None:
    """Return where the first token ends; None if that depends on more input. Shortens endless
    sequences and strings.
    """
    if not buffer:
        return None
    if buffer[0] == ESC:
        return _escape_end(buffer)
    if buffer[0] == 0xC2:
        if len(buffer) == 1:
            return None
        if 0x80 <= buffer[1] < 0xA0:
            return _sequence_end(buffer) if buffer[1] == 0x9B else _string_end(buffer)
    text = TEXT.match(buffer)
    return 1 if text is None else text.end()


def _escape_end(buffer: bytearray) -> int | None:
    if len(buffer) == 1:
        return None
    second = buffer[1]
    if second == ESC:
        nested = SEQUENCE.match(buffer, 1)
        return nested.end() if nested is not None and sequence_keys(sequence_text(nested[0])) else 1
    if second in b"[O":
        return _sequence_end(buffer)
    if second in b"]PX^_":
        return _string_end(buffer)
    size = 1 if second < 0xC0 else 2 if second < 0xE0 else 3 if second < 0xF0 else 4
    return 1 + size if len(buffer) > size else None


def _sequence_end(buffer: bytearray) -> int | None:
    found = SEQUENCE.match(buffer)
    if found is None:
        prefix = _PREFIX.match(buffer)
        if prefix is not None and prefix.end() < len(buffer):
            return prefix.end()  # what follows can't be part of it
        if len(buffer) > LONGEST_SEQUENCE:
            buffer[:] = _OVERLONG
        return None
    end = found.end()
    for _ in range(_AFTER_MOUSE.get(found[0], 0)):
        if buffer[end : end + 1] < b"\x20":
            break
        may_be_wide = 0xC2 <= buffer[end] < 0xE0  # a coordinate may be encoded as UTF-8
        if may_be_wide and end + 1 == len(buffer):
            return None
        end += 2 if may_be_wide and 0x80 <= buffer[end + 1] < 0xC0 else 1
    else:
        return end
    return end if end < len(buffer) else None


def _string_end(buffer: bytearray) -> int | None:
    """Return where a string ends; None if it hasn't ended yet: then only its beginning is kept."""
    if STRING.match(buffer) is None:
        return 2  # another 8-bit control character
    end = _STRING_END.search(buffer, 2)
    if end is None:
        del buffer[_LONGEST_STRING : -1 if buffer[-1] in b"\x1b\xc2" else len(buffer)]
        return None
    return end.end()


def sequence_text(sequence: bytes) -> str:
    """Decode a sequence; an 8-bit introducer becomes `ESC [`."""
    if sequence[:2] == b"\xc2\x9b":
        sequence = b"\x1b[" + sequence[2:]
    return sequence.decode("latin-1")


def is_sequence(whole: bytes, earlier: int, *, is_quick: bool) -> bool:
    """Return whether bytes are a key or a report, or begin one. The first `earlier` bytes arrived
    in an earlier read.

    An Escape that arrived alone may have been the key itself, so the rest has to match completely.
    A key has to arrive quickly or in one read: nobody types its bytes.
    """
    if STRING.match(whole):
        end = _STRING_END.search(whole, 2)
        is_complete = end is not None and bool(end[0]) and (earlier > 1 or end.end() == len(whole))
        return is_complete or (names_string(whole) if earlier == 1 else begins_answer(whole))
    found = SEQUENCE.match(whole)
    if found is None:
        return begins_answer(whole) or (earlier > 1 and _PREFIX.fullmatch(whole) is not None)
    if earlier > 1 and len(whole) > earlier + 1 and whole[2:3] in b"0123456789:;<=>?":
        return True
    if found[0] in (PASTE_BEGIN, PASTE_END) or is_report(whole):
        return True
    sequence = sequence_text(found[0])
    is_answer = earlier > 1 or whole[2:3] not in b"<=>?"  # `is_report` knows all of those forms
    is_known = sequence_keys(sequence) is not None or (
        is_answer and ANSWER.match(sequence) is not None
    )
    mouse = _MOUSE_BYTES.match(whole)
    rest = whole[found.end() if mouse is None else mouse.end() :]
    is_alone = earlier > 1 or rest[:1] < b" " or _CONTROL.match(rest) is not None
    return is_quick and is_alone and (is_known or bool(_NUMBERED.match(whole)))
