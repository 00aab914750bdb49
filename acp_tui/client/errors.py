"""The error of a request that the client can't serve."""

from acp_tui.protocol.jsonrpc import Error


class ServiceError(Exception):
    """The client can't serve a request; `error` is the response to it."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.message)
        self.error = error
