"""A remote agent's URL, and the credentials that are sent to it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

SCHEMES = {"ws": False, "wss": True, "http": False, "https": True}
"""URL schemes, and whether they are encrypted."""
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SECRET = re.compile(r"(?i)auth|cookie|token|secret|key|password|credential")
_OURS = re.compile(
    r"(?i)acp-.*|accept|accept-encoding|connection|content-length|content-type|host|last-event-id"
    r"|sec-websocket-.*|te|transfer-encoding|upgrade"
)


@dataclass(frozen=True, slots=True)
class Remote:
    """A remote agent's URL, the headers of each request, and where the bearer token comes from.

    Raises ValueError if these are invalid, or would send a secret unencrypted.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    token_env: str | None = None
    token_command: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_address(self.url)
        for name, value in self.headers.items():
            _check_header(name, value)
        if self.token_env is not None and self.token_command:
            raise ValueError("the token comes from token_env or from token_command, not from both")
        has_token = self.token_env is not None or bool(self.token_command)
        if has_token and any(name.lower() == "authorization" for name in self.headers):
            raise ValueError(
                "there are both a token and a header Authorization: only one is allowed"
            )
        secret = "a token" if has_token else next(filter(_SECRET.search, self.headers), None)
        if secret is not None and not self.is_encrypted and not self.is_here:
            safe = "wss" if self.is_websocket else "https"
            raise ValueError(
                f"{secret} would go to {self.host} unencrypted, readable by everyone on the way: use {safe}://"
            )

    @property
    def is_websocket(self) -> bool:
        """Whether the transport is a WebSocket; otherwise it is HTTP requests and event streams."""
        return urlsplit(self.url).scheme in ("ws", "wss")

    @property
    def is_encrypted(self) -> bool:
        return SCHEMES[urlsplit(self.url).scheme]

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or (443 if self.is_encrypted else 80)

    @property
    def is_here(self) -> bool:
        """Whether the host is this machine, by a name or an address that no other machine can have."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def shown(self) -> str:
        """The URL without its query, which may be a secret."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{parts.path}{'?…' if parts.query else ''}"

    @property
    def facts(self) -> dict[str, Any]:
        """The facts for a recording: the URL, and the headers' names only, as values may be secret."""
        return {"url": self.shown, "headers": sorted(self.headers)}


def _check_address(url: str) -> None:
    path, query, _ = url.partition("?")
    without_query = f"{path}?…" if query else url  # the query may have a secret
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"{without_query!r} is not an address: {error}") from None
    if parts.scheme not in SCHEMES or not parts.hostname or port == 0:
        shown = without_query if parts.username is None else "it"
        raise ValueError(
            f"{shown!r} is not an address: write ws://, wss://, http:// or https://HOST/PATH"
        )
    if parts.username is not None or parts.password is not None:
        raise ValueError("the address has a name or password in it: use a header, or a token")
    if parts.fragment or any(not one.isprintable() or one.isspace() for one in url):
        raise ValueError(
            f"{without_query!r} is not an address: it has a fragment, a blank or a control character"
        )


def _check_header(name: str, value: str) -> None:
    """Raise ValueError for an invalid header; the message omits the value, which may be a secret."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of a header")
    if _OURS.fullmatch(name):
        raise ValueError(f"the header {name} is the transport's own")
    if not value.isascii() or not value.isprintable():
        raise ValueError(f"the value of the header {name} has a character that headers can't have")
