"""What a kept run and its screens say to each other."""

from typing import get_args

import pytest

from acp_tui.kept.messages import (
    MessageError,
    read_command,
    read_message,
    read_record,
    record_pieces,
    write_command,
)
from acp_tui.policy.rules import Rule, RuleAnswer, RuleScope
from acp_tui.protocol.content import ImageContent, ResourceLink, TextContent
from acp_tui.protocol.events import ClientNotice
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.recordings.long_frames import LONG_FRAME_BYTES
from acp_tui.state import commands
from acp_tui.state.commands import Command

BLOCKS = (
    TextContent(text="Tea \ud800 ☕"),
    ImageContent(data="aGk=", mime_type="image/png"),
    ResourceLink(name="a", uri="file:///a"),
)
RULE = Rule(RuleAnswer.ALLOW, ("read",), paths=("src/**",), scope=RuleScope.PROJECT, where="/work")
VALUES = {
    "prompt": BLOCKS[1:],
    "rule": RULE,
    "rules": (RULE, RULE._replace(answer=RuleAnswer.REJECT)),
    "headers": (("a", "b"),),
    "in_view": (("command", "ls"),),
    "usual": ("/w/logs",),
    "values": (("model", "fast"), ("think", True)),
    "content": {"name": "Ada", "teas": ["Assam"], "sure": True},
    "number": 7,
    "exit_code": 1,
    "archived": True,
    "history": False,
    "trusted": True,
    "value": "high",
    "params": {"clientCapabilities": {"terminal": True}},
    "raw": b"not UTF-8: \xff\n",
    "output": b"not UTF-8: \xff\n",
    "dropped": 3,
    "code": -2,
    "on": False,
    "frame": 12,
    "times": 2,
    "seconds": 1.5,
}


def example(kind: type[Command]) -> Command:
    return kind(**{name: VALUES.get(name, f"some {name}") for name in kind.__annotations__})  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", get_args(Command))
def test_each_command_arrives_as_it_was_given(kind: type[Command]) -> None:
    command = example(kind)
    line = commands_line(command)
    assert read_command(read_message(line)) == command


def commands_line(command: Command) -> bytes:
    import json

    return json.dumps(write_command(command)).encode()


def test_a_text_arrives_with_half_a_character() -> None:
    command = commands.SendPrompt("s", BLOCKS[:1])
    assert read_command(read_message(commands_line(command))) == command


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({}, "there is no command None"),
        ({"command": ["Prompt"]}, "there is no command"),
        ({"command": "Cancel"}, "Cancel can't be read"),
        ({"command": "Cancel", "given": []}, "Cancel can't be read"),
        ({"command": "Cancel", "given": {"session_id": 4}}, "session_id can't be 4"),
        ({"command": "Cancel", "given": {"session_id": "s", "more": 1}}, "more"),
        ({"command": "AddRule", "given": {"rule": {"answer": "maybe"}}}, "AddRule can't be read"),
        (
            {"command": "SendPrompt", "given": {"session_id": "s", "prompt": "x"}},
            "SendPrompt can't be read",
        ),
    ],
)
def test_what_is_no_command_is_refused_with_a_reason(body: dict[str, object], why: str) -> None:
    with pytest.raises(MessageError, match=why):
        read_command(body)


@pytest.mark.parametrize("line", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises(MessageError):
        read_message(line)


@pytest.mark.parametrize(
    "record",
    [
        Frame(Direction.IN, b'{"a": "\xe2\x98\x95"}', 1.5, 3),
        Frame(Direction.OUT, b"\xff" * 2 * LONG_FRAME_BYTES, 2.5, 4),
        Frame(Direction.OUT, b"x" * 2 * LONG_FRAME_BYTES, 2.5, 4),
        ClientNotice(1.0, "s", "info", "Half \ud800", "a\nb"),
    ],
)
def test_a_record_arrives_as_it_is(record: Frame | ClientNotice) -> None:
    line = b"".join(record_pieces(12, [record], 0))
    assert line.count(b"\n") == 1
    assert read_record(line.rstrip()) == (12, record)


@pytest.mark.parametrize("line", [b"x {}", b"1", b"1 {}", b"1 {"])
def test_what_is_no_record_is_refused(line: bytes) -> None:
    with pytest.raises(MessageError):
        read_record(line)
