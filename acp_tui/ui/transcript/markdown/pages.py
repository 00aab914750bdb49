"""A long text in pages, so that adding to it costs the same however long it is."""

from bisect import bisect_right

PAGE = 1 << 16


class Pages:
    """A text that grows at its end."""

    def __init__(self) -> None:
        self._pages: list[str] = []
        self._starts: list[int] = []
        self.size = 0

    def append(self, text: str) -> None:
        """Add to the end."""
        if not text:
            return
        if self._pages and len(self._pages[-1]) < PAGE:
            self._pages[-1] += text
        else:
            self._pages.append(text)
            self._starts.append(self.size)
        self.size += len(text)

    def slice(self, start: int, end: int) -> str:
        """The characters from `start` to `end`."""
        end = min(end, self.size)
        parts = []
        while start < end:
            index = bisect_right(self._starts, start) - 1
            base, page = self._starts[index], self._pages[index]
            parts.append(page[start - base : end - base])
            start = base + len(page)
        return parts[0] if len(parts) == 1 else "".join(parts)

    def line(self, start: int, most: int) -> tuple[str, bool]:
        """At most `most` characters of the line from `start`, and whether it ends with them."""
        if start >= self.size:
            return "", False
        index = bisect_right(self._starts, start) - 1
        page, at = self._pages[index], start - self._starts[index]
        end = page.find("\n", at, at + most + 1)
        if end >= 0:
            return page[at:end], True
        if at + most < len(page):
            return page[at : at + most], False
        text = self.slice(start, start + most + 1)
        end = text.find("\n")
        return (text[:end], True) if end >= 0 else (text[:most], False)
