"""How a request of the agent's fails."""

from acp_tui.protocol.jsonrpc import Error


class ServiceError(Exception):
    """A request can't be done; `error` is the answer to it."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.message)
        self.error = error
