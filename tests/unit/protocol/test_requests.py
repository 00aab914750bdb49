"""What a request for permission offers, and what was chosen of it."""

from typing import Any

import pytest

from acp_tui.protocol.requests import PermissionOption, RequestPermissionParams
from acp_tui.protocol.requests import RequestPermissionResult as Result
from acp_tui.protocol.updates import ToolCallUpdate

ALLOW = PermissionOption(option_id="a", name="Yes", kind="allow_always")
REJECT = PermissionOption(option_id="r", name="No", kind="reject_once")
ASKED = RequestPermissionParams(
    session_id="s", options=[ALLOW, REJECT], tool_call=ToolCallUpdate(tool_call_id="c")
)


@pytest.mark.parametrize(
    ("result", "allowed"),
    [
        (Result.selected("a"), True),
        (Result.selected("r"), False),
        (Result.selected("x"), False),
        (Result.cancelled(), False),
        (None, False),
    ],
)
def test_a_request_is_allowed_only_by_an_option_that_allows(result: Any, allowed: bool) -> None:
    assert ASKED.is_allowed_by(result) is allowed
