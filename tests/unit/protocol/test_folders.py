"""Folders with two names: what an agent says of them means ours, and what we say means its own."""

from typing import Any

import pytest

from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.content import ResourceLink
from acp_tui.protocol.folders import Folders
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import encode
from acp_tui.protocol.setup import ListSessionsParams, ListSessionsResult, NewSessionParams
from acp_tui.protocol.updates import ToolCall
from acp_tui.protocol.wire_events import Requested, Responded

FOLDERS = Folders([("/home/me/p", "/work"), ("/home/me/p/lib", "/lib"), ("/same", "/same")])


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("/home/me/p", "/work"),
        ("/home/me/p/a.py", "/work/a.py"),
        ("/home/me/p/lib/b.py", "/lib/b.py"),
        ("/home/me/pp", "/home/me/pp"),
        ("/same/a", "/same/a"),
        ("relative", "relative"),
    ],
)
def test_the_longest_name_that_fits_counts_and_both_ways_agree(here: str, there: str) -> None:
    ours = NewSessionParams(cwd=here, additional_directories=[here])
    theirs = FOLDERS.there(ours)
    assert (theirs.cwd, theirs.additional_directories) == (there, [there])
    assert FOLDERS.here(theirs).cwd == here


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("file:///work/a%20b.py#L3", "file:///home/me/p/a%20b.py#L3"),
        ("FILE:///other", "FILE:///other"),
        ("https://example.org/work", "https://example.org/work"),
        ("file://[broken/work", "file://[broken/work"),
    ],
)
def test_addresses_of_files_are_translated_others_are_not(there: str, here: str) -> None:
    assert FOLDERS.here(ResourceLink(name="it", uri=there)).uri == here


def deep(levels: int) -> Any:
    value: Any = {"path": "/work"}
    for _ in range(levels):
        value = {"in": value}
    return value


@pytest.mark.parametrize(
    ("there", "here"),
    [
        (
            {"filePath": "/work/a", "text": "/work/a"},
            {"filePath": "/home/me/p/a", "text": "/work/a"},
        ),
        ({"paths": ["/work/a", 1]}, {"paths": ["/home/me/p/a", 1]}),
        ({"changes": {"/work/a": {"x": 1}}}, {"changes": {"/home/me/p/a": {"x": 1}}}),
        ("/work", "/work"),
        (None, None),
        (deep(5), deep(5)),
    ],
)
def test_inputs_are_translated_where_their_keys_name_paths(there: Any, here: Any) -> None:
    call = ToolCall(tool_call_id="t", title="T", raw_input=there)
    assert FOLDERS.here(call).raw_input == here


def test_a_root_is_a_folder_like_any_other() -> None:
    whole = Folders([("/", "/host")])
    assert whole.there(NewSessionParams(cwd="/")).cwd == "/host"
    assert whole.there(NewSessionParams(cwd="/a")).cwd == "/host/a"
    assert whole.here(NewSessionParams(cwd="/host")).cwd == "/"
    assert whole.here(ListSessionsParams(cwd=None)).cwd is None
    assert whole.here(None) is None


def test_frames_keep_the_agent_s_names_and_events_have_ours() -> None:
    connection = WireConnection(FOLDERS)
    request = connection.request("session/list", ListSessionsParams(cwd="/home/me/p"))
    raw = encode(request)
    assert b'"/work"' in raw
    sent = connection.receive(Frame(Direction.OUT, raw, 0.0, 1))
    assert isinstance(sent, Requested)
    assert isinstance(sent.params, ListSessionsParams)
    assert sent.params.cwd == "/home/me/p"
    answer = b'{"jsonrpc":"2.0","id":0,"result":{"sessions":[{"sessionId":"s","cwd":"/work"}]}}'
    got = connection.receive(Frame(Direction.IN, answer, 0.0, 2))
    assert isinstance(got, Responded)
    assert isinstance(got.result, ListSessionsResult)
    assert got.result.sessions[0].cwd == "/home/me/p"
    assert got.raw["sessions"][0]["cwd"] == "/work"
