"""File errors, as responses to the agent's request."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acp_tui.client.errors import ServiceError
from acp_tui.client.files import safe_paths
from acp_tui.client.files.encoding import NotTextError
from acp_tui.client.files.safe_paths import OutsideError
from acp_tui.protocol.jsonrpc import Error, ErrorCode


@contextmanager
def errors_of(path: str, action: str) -> Iterator[None]:
    """Convert file errors into the error response to the agent's request."""
    try:
        yield
    except NotTextError as error:
        raise bad(path, str(error)) from error
    except OutsideError as error:
        raise bad(path, "it is outside the session's folder") from error
    except FileNotFoundError as error:
        raise _missing(path) from error
    except BlockingIOError as error:
        raise failed(path, f"can't {action} it without waiting") from error
    except NotADirectoryError as error:
        if action == "read":
            raise _missing(path) from error
        raise failed(path, f"can't {action} it: {error.strerror}") from error
    except OSError as error:
        raise failed(path, f"can't {action} it: {error.strerror or error}") from error


def _missing(path: str) -> ServiceError:
    detail = ""
    if is_link(path):
        detail = f" (a symbolic link to {safe_paths.resolve(path)}, which doesn't exist)"
    message = f"No such file: {path}{detail}"
    return ServiceError(Error(ErrorCode.RESOURCE_NOT_FOUND, message, {"path": path}))


def is_link(path: str) -> bool:
    """Return whether the path is a symbolic link."""
    try:
        return Path(path).is_symlink()
    except OSError:  # the path is too long
        return False


def bad(path: str, reason: str) -> ServiceError:
    """Return the error for an invalid request."""
    return ServiceError(Error(ErrorCode.INVALID_PARAMS, f"{path}: {reason}", {"path": path}))


def failed(path: str, reason: str) -> ServiceError:
    """Return the error for a request that can't be served now."""
    return ServiceError(Error(ErrorCode.INTERNAL_ERROR, f"{path}: {reason}", {"path": path}))
