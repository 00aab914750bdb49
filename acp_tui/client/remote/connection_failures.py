"""Explains failed network connections: unreachable hosts, untrusted certificates, HTTP statuses."""

import errno
import ssl
from collections.abc import Iterator
from http import HTTPStatus

from anyio.abc import ByteStream
from anyio.streams.tls import TLSAttribute

from acp_tui.client.errors import LineBroken

ENDING = (401, 403, 404, 410)
"""HTTP statuses that end the whole connection, whatever request they answer."""
_PASSING = (408, 425, 429)
"""Client errors (4xx) that may go away on a retry."""
_MISREAD = (400, 422)
"""Statuses that are about a request's content, not about its sender or address."""
_WORDS = {
    401: "the server wants other credentials",
    403: "the server doesn't let us in",
}
_LONGEST_REASON = 200


def describe_tls(stream: ByteStream) -> str:
    """Return ", " and a stream's TLS version, or ""."""
    version = stream.extra(TLSAttribute.tls_version, None)  # noqa: S610  not Django
    return f", {version}" if version else ""


def explain_no_connection(host: str, port: int, error: BaseException) -> str:
    """Return the reason why connecting to a host failed."""
    place = f"{host} port {port}"
    for cause in list_causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            why = cause.verify_message or cause.reason
            return f"the certificate of {host} can't be trusted: {why}"
        if isinstance(cause, ssl.SSLError):
            return f"{place} doesn't speak TLS as it should: {cause.reason or cause}"
        if isinstance(cause, ConnectionRefusedError):
            return f"nothing listens at {place}: connection refused"
        if isinstance(cause, OSError) and cause.errno not in (None, 0, errno.EINPROGRESS):
            return f"{place} can't be reached: {cause.strerror or cause}"
    return f"{place} can't be reached: {error or 'the connection was closed'}"


def is_untrusted(error: BaseException) -> bool:
    """Return whether a certificate was refused; a retry would fail, too."""
    return any(isinstance(cause, ssl.SSLCertVerificationError) for cause in list_causes(error))


def list_causes(error: BaseException | None) -> Iterator[BaseException]:
    """Return an error and its causes, the root cause first."""
    chain: list[BaseException] = []
    pending = [error]
    while pending:
        one = pending.pop()
        if one is not None and one not in chain:
            chain.append(one)
            inner = one.exceptions if isinstance(one, BaseExceptionGroup) else ()
            pending += [one.__cause__, one.__context__, *inner]
    return reversed(chain)


def describe_status(status: int, body: str = "") -> str:
    """Return a status with its phrase and the text that the server sent."""
    try:
        words = f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        words = f"HTTP {status}"
    told = "" if body.lstrip().startswith("<") else " ".join(body.split())  # skips HTML pages
    return f"{words}: {told[:_LONGEST_REASON]}" if told else words


def disconnection_for(status: int, body: str, *, begun: bool, location: str = "") -> LineBroken:
    """Return the error for a status, of a connection that had `begun`, or of an attempt."""
    words = describe_status(status, body)
    if status in _WORDS:
        return LineBroken(f"{_WORDS[status]} ({words})", refused=True)
    if begun:
        gone = "the server no longer knows this connection"
        return LineBroken(f"{gone} ({words})" if status in ENDING else words)
    if 300 <= status < 400:
        to = location.partition("?")[0]
        return LineBroken(f"the agent is at another address, {to!r} ({words})", refused=True)
    if status in (404, 410):
        return LineBroken(f"there is no agent at this address ({words})", refused=True)
    refused = 400 <= status < 500 and status not in _PASSING
    return LineBroken(words, refused=refused, misread=status in _MISREAD)
