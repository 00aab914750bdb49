"""Which requests of version 2 can be sent again after their answers were lost with the connection.

RFD v2 Idempotency Keys gives each method a retry class. As far as it is known here, it names only that
of `session/prompt`. The others are guesses, based on what a second request would do.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class RetryClass(StrEnum):
    """Whether a request can be sent again, and how."""

    AS_IS = "as it is"
    WITH_KEY = "with its key"
    NEVER = "not"


RETRY_CLASSES = {
    "session/prompt": RetryClass.WITH_KEY,
    **dict.fromkeys(("session/new", "session/fork", "auth/login"), RetryClass.NEVER),
    **dict.fromkeys(
        (
            "initialize",
            "auth/logout",
            "auth/status",
            "providers/disable",
            "providers/list",
            "providers/set",
            "session/archive",
            "session/close",
            "session/delete",
            "session/list",
            "session/options",
            "session/resume",
            "session/set_config_option",
            "session/set_title",
            "session/status",
            "session/unarchive",
            "terminal/cancel",
            "tool_call/cancel",
        ),
        RetryClass.AS_IS,
    ),
}


def retry_words(method: str, params: Mapping[str, Any]) -> str:
    """Describe whether a request can be sent again; "" for an unknown method."""
    match RETRY_CLASSES.get(method):
        case RetryClass.AS_IS:
            return f"{method} is safe to send again as it is (a guess)"
        case RetryClass.WITH_KEY if params.get("idempotencyKey"):
            return f"{method} is safe to send again with its idempotencyKey"
        case RetryClass.WITH_KEY:
            return f"{method} is not safe to send again: it has no idempotencyKey"
        case RetryClass.NEVER:
            return f"{method} is not safe to send again: it may have been done (a guess)"
    return ""
