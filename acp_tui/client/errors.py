"""Errors of the client: a request that it can't serve, and a lost connection."""

from acp_tui.protocol.jsonrpc import Error


class ServiceError(Exception):
    """The client can't serve a request; `error` is the response to it."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.message)
        self.error = error


class LineBroken(Exception):  # noqa: N818  an outcome, not an error
    """The connection is lost; the message says why.

    If `refused`, another attempt would be, too. If `misread`, the server may not have understood
    what was sent, and another protocol version may work.
    """

    def __init__(self, why: str, *, refused: bool = False, misread: bool = False) -> None:
        super().__init__(why)
        self.refused = refused
        self.misread = misread
