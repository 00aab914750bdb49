"""Encodings and line endings of text files, which writes preserve; nothing is lost silently."""

import codecs
import re
from typing import NamedTuple

_BINARY_CHECK = 8192
"""Bytes at the start of a file in which a NUL marks it as binary."""
_OTHER_END = re.compile("(?<!\r)\n|\r(?!\n)")
_SURROGATE = re.compile("[\ud800-\udfff]")


class NotTextError(Exception):
    """The bytes can't be read as text; the message explains why."""


class Encoding(NamedTuple):
    """A file's encoding: the codec and the byte order mark, which may be empty."""

    codec: str
    mark: bytes

    def encode(self, text: str) -> bytes:
        """Return the encoded text after the byte order mark; lone surrogates become U+FFFD."""
        clean = _SURROGATE.sub("\ufffd", text) if not _encodable(text) else text
        return self.mark + clean.removeprefix("\ufeff" if self.mark else "").encode(self.codec)


UTF_8 = Encoding("utf-8", b"")
_MARKED = (  # the longest marks first: UTF-32's little-endian one begins with UTF-16's
    Encoding("utf-32-le", codecs.BOM_UTF32_LE),
    Encoding("utf-32-be", codecs.BOM_UTF32_BE),
    Encoding("utf-8", codecs.BOM_UTF8),
    Encoding("utf-16-le", codecs.BOM_UTF16_LE),
    Encoding("utf-16-be", codecs.BOM_UTF16_BE),
)


def detect_encoding(start: bytes) -> Encoding:
    """Return the encoding that a file's first four bytes show."""
    return next((found for found in _MARKED if start.startswith(found.mark)), UTF_8)


def decode_text(data: bytes) -> str:
    """Return a file's text without its byte order mark, line endings unchanged. Raises
    NotTextError.
    """
    encoding = detect_encoding(data[:4])
    if not encoding.mark and b"\0" in data[:_BINARY_CHECK]:
        raise NotTextError("it is a binary file (it holds NUL bytes)")
    try:
        return data[len(encoding.mark) :].decode(encoding.codec)
    except UnicodeDecodeError as error:
        place = error.start + len(encoding.mark)
        raise NotTextError(
            f"it is not {encoding.codec.upper()} text (byte 0x{data[place]:02x} at offset {place});"
            " use a command that knows its encoding"
        ) from error


def keeps_crlf(text: str, old: str) -> bool:
    """Return whether `text`, which has LF only, should get the CRLF of the `old` text.

    Models write LF whatever they read. A file with mixed line endings states no preference.
    """
    one_kind = "\r\n" in old and _OTHER_END.search(old) is None
    return one_kind and "\n" in text and "\r" not in text


def has_surrogates(text: str) -> bool:
    """Return whether a text has lone surrogates, which can't be encoded."""
    return not _encodable(text)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
