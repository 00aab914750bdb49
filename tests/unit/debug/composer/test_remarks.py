"""What a person should know of a line before it is sent."""

import json
from typing import Any

import pytest

from acp_tui.debug.composer.draft import remarks, waiting
from acp_tui.protocol.frames import Direction
from tests.unit.debug.scenes import Wire


def said(wire: Wire | None = None, /, **message: Any) -> list[tuple[str, bool]]:
    line = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return [*remarks(line, None if wire is None else wire.log())]


def test_the_schema_s_own_sentence() -> None:
    ((words, holds),) = said(id=1, method="session/prompt", params={"sessionId": "s", "prompt": 7})
    assert words.startswith(
        "params.prompt: must be an array, but is an integer: 7. “The agent MUST NOT"
    )
    assert holds
    assert said(id=1, method="session/close", params={"sessionId": "s"}) == []
    ((words, holds),) = said(id=1, method="_mine")
    assert "is an extension" in words
    assert not holds


def test_no_message_at_all() -> None:
    ((words, holds),) = remarks(b"no JSON")
    assert words.startswith("not a message: not JSON")
    assert holds


def test_an_id_that_waits() -> None:
    wire = Wire().opened().prompt(2)
    params = {"sessionId": "s", "modeId": "m"}
    ((words, holds),) = said(wire, id=2, method="session/set_mode", params=params)
    assert words.startswith("it can't be told from session/prompt (#5), which has the id 2")
    assert holds
    assert said(wire, id="2", method="session/set_mode", params=params) == []
    assert said(wire, id=1, method="session/set_mode", params=params) == []  # that has its answer


def test_an_answer_in_the_client_s_place() -> None:
    wire = Wire().opened().ask(9, "fs/read_text_file", path="/w/a").ask(9, "terminal/create")
    ((words, holds),) = said(wire, id=9, error={"code": 1, "message": "no"})
    assert words.startswith("it takes the place of the client's answer to fs/read_text_file (#5)")
    assert holds
    found = said(wire, id=9, result={"content": 7})
    assert next(words.partition(".")[0] for words, _ in found) == "result"
    ((words, holds),) = said(wire, id=10, result={})
    assert words == "no request of the agent's waits under the id 10"
    assert holds


def test_what_the_client_takes_nothing_of() -> None:
    wire = Wire().opened()
    params = {"cwd": "/w", "mcpServers": []}
    assert said(wire, id="x", method="session/new", params=params) == [
        ("the client itself takes nothing of session/new", False)
    ]
    assert said(wire, method="session/cancel", params={"sessionId": "s"}) == []


def test_requests_of_a_process_before_wait_no_more() -> None:
    wire = Wire().opened().prompt(2).died().started()
    assert waiting(wire.log(), Direction.OUT, 2) is None


@pytest.mark.parametrize("line", [b"[]", b"7", b"\xff"])
def test_any_line_has_something_said_of_it(line: bytes) -> None:
    assert remarks(line, Wire().opened().log())
