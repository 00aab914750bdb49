"""What an HTTP status means for the connection."""

from http import HTTPStatus

from acp_tui.client.errors import LineBroken

ENDING = (401, 403, 404, 410)
"""Statuses that end the whole connection, whatever request they answer."""
_PASSING = (408, 425, 429)
"""Client errors (4xx) that may be gone at the next try."""
_MISREAD = (400, 422)
"""Statuses about the content of a request, not about its sender or address."""
_WORDS = {
    401: "the server wants other credentials",
    403: "the server doesn't let us in",
}
_LONGEST_REASON = 200


def status_words(status: int, body: str = "") -> str:
    """Return a status with its phrase, and the server's text."""
    try:
        words = f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        words = f"HTTP {status}"
    told = "" if body.lstrip().startswith("<") else " ".join(body.split())  # skips HTML pages
    return f"{words}: {told[:_LONGEST_REASON]}" if told else words


def broken_by(status: int, body: str, *, begun: bool, location: str = "") -> LineBroken:
    """Return the disconnection for a status: of a connection that had `begun`, or of an attempt."""
    words = status_words(status, body)
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
