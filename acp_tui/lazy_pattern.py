"""Regular expressions that cost nothing until they are used."""

import re
from functools import cached_property
from typing import AnyStr, Generic


class LazyPattern(Generic[AnyStr]):
    """A regular expression that is compiled when a text first needs it: at a start few do."""

    def __init__(self, pattern: AnyStr, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._pattern: AnyStr = pattern
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[AnyStr]:
        """The expression, to search with."""
        return re.compile(self._pattern, self._flags)
