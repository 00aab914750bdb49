"""A server's cookies, which lead to the same place behind a balancer: kept, and given back."""

from collections.abc import Iterable
from email.message import Message
from http.cookiejar import CookieJar
from typing import Any
from urllib.request import Request


class _Response:
    """What a jar takes for a response."""

    def __init__(self, cookies: Iterable[str]) -> None:
        self._headers = Message()
        for cookie in cookies:
            self._headers["Set-Cookie"] = cookie

    def info(self) -> Message:
        return self._headers


def store_cookies(jar: CookieJar, url: str, cookies: Iterable[str]) -> None:
    """Keep the cookies of a response to a WebSocket's request."""
    response: Any = _Response(cookies)
    jar.extract_cookies(response, _request(url))


def cookie_header(jar: CookieJar, url: str) -> str | None:
    """Return the header for the next request there, if there are cookies for it."""
    request = _request(url)
    jar.add_cookie_header(request)
    return request.get_header("Cookie")


def _request(url: str) -> Request:
    return Request(f"http{url.removeprefix('ws')}")  # noqa: S310  it is never opened
