"""Stores a server's cookies and sends them back: a load balancer routes by them."""

from collections.abc import Iterable
from email.message import Message
from http.cookiejar import CookieJar
from typing import Any
from urllib.request import Request


class _Response:
    """A response in the form that a cookie jar expects."""

    def __init__(self, cookies: Iterable[str]) -> None:
        self._headers = Message()
        for cookie in cookies:
            self._headers["Set-Cookie"] = cookie

    def info(self) -> Message:
        return self._headers


def store_cookies(jar: CookieJar, url: str, cookies: Iterable[str]) -> None:
    """Store the cookies of a response to a WebSocket request."""
    response: Any = _Response(cookies)
    jar.extract_cookies(response, _request(url))


def cookie_header(jar: CookieJar, url: str) -> str | None:
    """Return the Cookie header for the next request, or None."""
    request = _request(url)
    jar.add_cookie_header(request)
    return request.get_header("Cookie")


def _request(url: str) -> Request:
    return Request(f"http{url.removeprefix('ws')}")  # noqa: S310  never opened
