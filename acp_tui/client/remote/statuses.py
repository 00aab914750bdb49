"""What an HTTP status means for the connection, in words."""

from http import HTTPStatus

from acp_tui.client.remote.disconnection import LineBroken

ENDING = (401, 403, 404, 410)
"""The statuses with which a whole connection ends, whatever they answer."""
_PASSING = (408, 425, 429)
"""Those of the client's errors that another try may not meet."""
_MISREAD = (400, 422)
"""Those that judge what was sent, not who sent it or where to."""
_WORDS = {
    401: "the server wants other credentials",
    403: "the server doesn't let us in",
}
_MOST = 200


def status_words(status: int, body: str = "") -> str:
    """Return a status as people know it, with what the server says of it."""
    try:
        words = f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        words = f"HTTP {status}"
    told = "" if body.lstrip().startswith("<") else " ".join(body.split())  # no pages of HTML
    return f"{words}: {told[:_MOST]}" if told else words


def broken_by(status: int, body: str, *, begun: bool, location: str = "") -> LineBroken:
    """Return the end of a connection by a status: of one that had `begun`, or of the attempt."""
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
