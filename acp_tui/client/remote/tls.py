"""Messages about failed connections, and the TLS version of successful ones."""

import errno
import ssl
from collections.abc import Iterator

from anyio.abc import ByteStream
from anyio.streams.tls import TLSAttribute


def tls_words(stream: ByteStream) -> str:
    """Return the TLS version of a stream after a comma, or ""."""
    version = stream.extra(TLSAttribute.tls_version, None)  # noqa: S610  not Django
    return f", {version}" if version else ""


def connect_words(host: str, port: int, error: BaseException) -> str:
    """Explain why a host could not be connected to."""
    place = f"{host} port {port}"
    for cause in causes(error):
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
    """Return whether a certificate was refused: it would be the next time, too."""
    return any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes(error))


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes, the first cause first."""
    chain: list[BaseException] = []
    pending = [error]
    while pending:
        one = pending.pop()
        if one is not None and one not in chain:
            chain.append(one)
            inner = one.exceptions if isinstance(one, BaseExceptionGroup) else ()
            pending += [one.__cause__, one.__context__, *inner]
    return reversed(chain)
