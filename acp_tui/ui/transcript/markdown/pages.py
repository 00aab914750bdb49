"""A long text in pages, so that adding to it costs the same however long it is."""

from functools import lru_cache

PAGE = 1 << 14


class Pages:
    """A text that grows at its end.

    Python keeps four bytes for each character of a text that has one emoji in it, so pages that
    are full are kept as UTF-8.
    """

    def __init__(self) -> None:
        self._full: list[str | bytes] = []
        self._last = ""
        self.size = 0

    def append(self, text: str) -> None:
        """Add to the end."""
        self.size += len(text)
        text = self._last + text
        at = 0
        while len(text) - at > PAGE:
            page = text[at : at + PAGE]
            self._full.append(page if page.isascii() else page.encode())
            at += PAGE
        self._last = text[at:]

    def _page(self, index: int) -> str:
        page = self._full[index] if index < len(self._full) else self._last
        return page if isinstance(page, str) else _decoded(page)

    def slice(self, start: int, end: int) -> str:
        """The characters from `start` to `end`."""
        end = min(end, self.size)
        parts = []
        while start < end:
            index, at = divmod(start, PAGE)
            part = self._page(index)[at : at + end - start]
            parts.append(part)
            start += len(part)
        return parts[0] if len(parts) == 1 else "".join(parts)

    def line(self, start: int, most: int) -> tuple[str, bool]:
        """At most `most` characters of the line from `start`, and whether it ends with them."""
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


@lru_cache(maxsize=4)
def _decoded(page: bytes) -> str:
    return page.decode()
