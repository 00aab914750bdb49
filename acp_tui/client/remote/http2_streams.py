"""How many streams an HTTP/2 server takes on one connection, as far as it says."""

from typing import Any

from h2.settings import SettingCodes

_SETTINGS = "http2.receive_remote_settings.complete"


class StreamLimit:
    """Listens to the first request for the server's limit. A server need not name one, and then takes
    any number; httpcore takes that for one stream at a time, so that the next would wait forever.
    """

    def __init__(self) -> None:
        self._is_named = False

    async def trace(self, name: str, info: dict[str, Any]) -> None:
        """Take what httpcore tells of its work."""
        if name == _SETTINGS:
            changed = info["return_value"].changed_settings
            self._is_named = self._is_named or SettingCodes.MAX_CONCURRENT_STREAMS in changed

    def is_one(self, version: str) -> bool:
        """Whether a connection of this version of HTTP is used for one stream alone."""
        return version == "HTTP/2" and not self._is_named
