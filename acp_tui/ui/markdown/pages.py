"""A long text in pages, so that adding to it costs the same however long it is."""

import zlib
from functools import lru_cache

PAGE = 1 << 14
"""Characters of a page: packing takes a tenth of a millisecond, unpacking half of that."""


class Pages:
    """A text that grows at its end. Pages that are full are packed: the session has the text, too."""

    def __init__(self) -> None:
        self._full: list[bytes] = []
        self._last = ""
        self.size = 0

    def append(self, text: str) -> None:
        """Add to the end."""
        self.size += len(text)
        text = self._last + text
        at = 0
        while len(text) - at > PAGE:
            self._full.append(zlib.compress(text[at : at + PAGE].encode(), 1))
            at += PAGE
        self._last = text[at:]

    def _page(self, index: int) -> str:
        return _unpacked(self._full[index]) if index < len(self._full) else self._last

    def slice(self, start: int, end: int) -> str:
        """Return the characters from `start` to `end`."""
        end = min(end, self.size)
        parts = []
        while start < end:
            index, at = divmod(start, PAGE)
            part = self._page(index)[at : at + end - start]
            parts.append(part)
            start += len(part)
        return parts[0] if len(parts) == 1 else "".join(parts)

    def line(self, start: int, most: int) -> tuple[str, bool]:
        """Return at most `most` characters of the line from `start`, and whether it ends with them."""
        if start >= self.size:
            return "", False
        index, at = divmod(start, PAGE)
        page = self._page(index)
        end = page.find("\n", at, at + most + 1)
        if end >= 0:
            return page[at:end], True
        if at + most < len(page):
            return page[at : at + most], False
        text = self.slice(start, start + most + 1)
        end = text.find("\n")
        return (text[:end], True) if end >= 0 else (text[:most], False)


@lru_cache(maxsize=8)
def _unpacked(page: bytes) -> str:
    return zlib.decompress(page).decode()
