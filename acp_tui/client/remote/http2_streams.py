"""The number of streams that an HTTP/2 server allows on one connection."""

from typing import Any

from h2.settings import SettingCodes

_SETTINGS = "http2.receive_remote_settings.complete"


class StreamLimit:
    """Reads the server's stream limit from the first request.

    A server without a limit allows any number; httpcore assumes one stream in that case, so the
    next would wait forever.
    """

    def __init__(self) -> None:
        self._is_named = False

    async def trace(self, name: str, info: dict[str, Any]) -> None:
        """Handle a trace event of httpcore."""
        if name == _SETTINGS:
            changed = info["return_value"].changed_settings
            self._is_named = self._is_named or SettingCodes.MAX_CONCURRENT_STREAMS in changed

    def is_one(self, version: str) -> bool:
        """Return whether connections of this HTTP version carry only one stream."""
        return version == "HTTP/2" and not self._is_named
