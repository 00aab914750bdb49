"""Text from outside, made safe to show."""

import re

_ESCAPES = re.compile(
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC: titles, links, clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colors, cursor, modes
    r"|\x1b[ -/]*[0-~]?"  # every other escape
)
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi controls: reorder what is read
    "\u2028\u2029\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f"  # tags: text that nobody sees
    "\ud800-\udfff]"  # lone surrogates: cannot be written to a terminal
)
_PICTURES = {code: chr(0x2400 + code) for code in range(32)} | {0x7F: "\u2421"}
_UNSAFE = re.compile(f"(?:{_INVISIBLE.pattern})|\x1b")


def clean(text: str) -> str:
    """Make text safe to draw: no escape sequence, control or bidi character survives.

    Escape sequences are dropped whole; carriage returns before a newline too. Other control
    characters turn into their visible pictures, invisible format characters into U+FFFD.
    """
    if _UNSAFE.search(text) is None:
        return text
    text = _ESCAPES.sub("", text).replace("\r\n", "\n")
    return _INVISIBLE.sub(_picture, text)


def clean_line(text: str) -> str:
    """Make text safe to draw on one line: as `clean`, with newlines and tabs as spaces."""
    return clean(text).replace("\n", " ").replace("\t", " ")


def _picture(match: re.Match[str]) -> str:
    return _PICTURES.get(ord(match[0]), "\ufffd")
