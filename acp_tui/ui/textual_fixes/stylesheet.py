"""A stylesheet that parses each source only once."""

from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet

SOURCES = 1_000
"""Sources in the cache. Textual's 64 are fewer than the app has: as all are parsed in turn, the
cache would never hit when a screen or a widget brings another.
"""


class CachingStylesheet(Stylesheet):
    """Parses only new sources when a screen or a widget brings its own styles."""

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = LRUCache(SOURCES)

    def reparse(self) -> None:
        """Parse new sources.

        Textual parses everything into another stylesheet, so that an error can't change this one;
        but `parse` changes nothing before everything is parsed.
        """
        self.parse()
