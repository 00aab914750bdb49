"""Admits browsers: a link opens once, and then only in the browser that opened it."""

import secrets
from collections.abc import Callable
from hmac import compare_digest
from ipaddress import ip_address
from urllib.parse import urlsplit

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(address: str) -> bool:
    """Return whether only this machine can reach an address."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


class WebGate:
    """Holds the link that can still be opened, and the browsers that were admitted.

    `url` is where browsers find us. A page of another address, even if its name has come to mean this
    machine (DNS rebinding), is kept out.
    """

    def __init__(self, url: str, make_secret: Callable[[], str] = secrets.token_urlsafe) -> None:
        parts = urlsplit(url)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.is_secure = parts.scheme == "https"
        self.cookie = f"acp-tui-{parts.port or parts.scheme}"
        self._make_secret = make_secret
        self._hosts = {parts.netloc}
        if is_loopback(parts.hostname or ""):
            self._hosts |= {f"{name}:{parts.port}" for name in _LOOPBACK}
        self._token = make_secret()
        self._browsers: set[str] = set()

    @property
    def link(self) -> str:
        """The link that lets one browser in."""
        return f"{self.origin}/?token={self._token}"

    def admit(self, token: str) -> str | None:
        """Let a browser in that has the token; return its cookie. The link is another one then."""
        if not _is_same(token, self._token):
            return None
        self._token = self._make_secret()
        browser = self._make_secret()
        self._browsers.add(browser)
        return browser

    def knows(self, cookie: str) -> bool:
        """Return whether a browser was admitted."""
        return any(_is_same(cookie, one) for one in self._browsers)

    def is_for_us(self, host: str) -> bool:
        """Return whether a request's Host is our own address."""
        return host.lower() in self._hosts

    def is_of_ours(self, origin: str) -> bool:
        """Return whether a request's Origin is our own page."""
        scheme, _, host = origin.lower().partition("://")
        return scheme == ("https" if self.is_secure else "http") and host in self._hosts


def _is_same(given: str, secret: str) -> bool:
    """Compare with a secret in constant time. `given` may contain surrogates, from bytes that aren't UTF-8."""
    return compare_digest(given.encode("utf-8", "replace"), secret.encode())
