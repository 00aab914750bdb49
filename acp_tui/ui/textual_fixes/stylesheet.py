"""A stylesheet that parses each source once."""

from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet

SOURCES = 1_000
"""Sources that stay parsed. Textual's 64 are fewer than the app has: as all are parsed in turn, not one of
them would be found when a screen or a widget brings another.
"""


class CachingStylesheet(Stylesheet):
    """Parses only what is new when a screen or a widget brings styles of its own."""

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = LRUCache(SOURCES)

    def reparse(self) -> None:
        """Parse what is new. Textual parses all in another stylesheet, lest an error change this one; yet
        `parse` changes nothing before all is parsed.
        """
        self.parse()
