"""WebSockets through the environment's proxy, as for HTTP: a tunnel made by CONNECT."""

import ssl
from base64 import b64encode
from urllib.request import getproxies

import anyio
from anyio.abc import ByteStream
from anyio.streams.tls import TLSStream
from websockets.exceptions import InvalidProxy
from websockets.proxy import Proxy, get_proxy, parse_proxy
from websockets.uri import parse_uri

from acp_tui.client.errors import LineBroken
from acp_tui.client.remote.connection_failures import connect_words, is_untrusted, status_words
from acp_tui.config.remote import Remote

LONGEST_HEAD = 64 * 1024
"""Longest header of a proxy's response, in bytes."""
_CLOSED = (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError)


def proxy_of(remote: Remote) -> Proxy | None:
    """Return the proxy for an address, or None: none is used for a server on this machine.

    Raises LineBroken.
    """
    uri = parse_uri(remote.url)
    if remote.is_here:
        return None
    address = get_proxy(uri) or _for_all()
    if address is None:
        return None
    try:
        proxy = parse_proxy(address)
    except InvalidProxy as error:  # its message contains the address, and maybe a password
        why = "the environment names a proxy that is not a valid address: write http://HOST:PORT"
        raise LineBroken(why, refused=True) from error
    if not proxy.scheme.startswith("http"):
        raise LineBroken(
            f"{name_of(proxy)} is a SOCKS proxy, which WebSockets can't use here", refused=True
        )
    return proxy


def name_of(proxy: Proxy) -> str:
    """Name a proxy without the password in its address."""
    return f"the proxy {proxy.host} port {proxy.port}"


async def tunnel(proxy: Proxy, remote: Remote, context: ssl.SSLContext | None) -> ByteStream:
    """Connect through a proxy; with a `context`, encrypted end to end.

    Raises LineBroken, or what anyio raises.
    """
    try:
        stream = await _to(proxy, context)
        await stream.send(_request(proxy, remote))
        status = await _status(stream)
    except (OSError, *_CLOSED) as error:
        why = connect_words(proxy.host, proxy.port, error)
        raise LineBroken(f"by a proxy: {why}", refused=is_untrusted(error)) from error
    if status != 200:
        await anyio.aclose_forcefully(stream)
        refused = f"{name_of(proxy)} does not let us through"
        raise LineBroken(f"{refused} ({status_words(status)})", refused=status in (403, 407))
    if not remote.is_encrypted:
        return stream
    return await TLSStream.wrap(stream, hostname=remote.host, ssl_context=context)


async def _to(proxy: Proxy, context: ssl.SSLContext | None) -> ByteStream:
    if proxy.scheme == "http":
        return await anyio.connect_tcp(proxy.host, proxy.port)
    return await anyio.connect_tcp(proxy.host, proxy.port, tls=True, ssl_context=context)


def _for_all() -> str | None:
    """Return the proxy for all schemes (ALL_PROXY)."""
    return getproxies().get("all")


def _request(proxy: Proxy, remote: Remote) -> bytes:
    host = f"[{remote.host}]" if ":" in remote.host else remote.host
    head = f"CONNECT {host}:{remote.port} HTTP/1.1\r\nHost: {host}:{remote.port}\r\n"
    if proxy.username is not None:
        login = b64encode(f"{proxy.username}:{proxy.password}".encode()).decode()
        head += f"Proxy-Authorization: Basic {login}\r\n"
    return f"{head}\r\n".encode()


async def _status(stream: ByteStream) -> int:
    """Read exactly the head of the response; the server's bytes that follow must not be consumed."""
    head = b""
    while b"\r\n\r\n" not in head and len(head) < LONGEST_HEAD:
        head += await stream.receive()
    words = head.split(b" ", 2)
    return int(words[1]) if words[0].startswith(b"HTTP/1") and words[1].isdigit() else 0
