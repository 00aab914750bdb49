"""Which frames are the last chunk again."""

import pytest

from acp_tui.debug.exchanges import Exchanges
from acp_tui.debug.log import ChunkCache
from acp_tui.protocol.frames import Direction, Flaw, Frame
from tests.unit.debug.scenes import Wire


def chunk(said: bytes) -> Frame:
    """A chunk with these bytes between the quotes of its text."""
    update = b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%b"}}' % said
    params = b'{"sessionId":"s","update":%b}' % update
    raw = b'{"jsonrpc":"2.0","method":"session/update","params":%b}' % params
    return Frame(Direction.IN, raw, 1.0, 1, size=len(raw))


def after(frame: Frame) -> ChunkCache:
    repeats = ChunkCache()
    repeats.learn(Exchanges(lambda *_: pytest.fail("nothing was asked")).read(0, frame))
    return repeats


def test_a_chunk_with_another_text_is_the_last_one_again() -> None:
    repeats = after(chunk(b"one"))
    for said in (b"two", b"", rb"a \"word\"\n", rb"\u00e9", "\u00e9".encode()):
        assert repeats.has(chunk(said))


def test_a_text_that_ends_early_or_is_none_makes_another_frame() -> None:
    repeats = after(chunk(b"one"))
    for said in (b'two","more":"', b'two"', b"\\", rb"\x", b"\xff", b"line\nline"):
        assert not repeats.has(chunk(said))


def test_a_frame_with_a_flaw_or_from_the_other_side_is_no_chunk_again() -> None:
    frame = chunk(b"one")
    repeats = after(frame)
    assert not repeats.has(frame._replace(direction=Direction.OUT))
    assert not repeats.has(frame._replace(flaw=Flaw.OVERSIZED))


def test_only_a_chunk_with_one_text_is_a_pattern() -> None:
    many = Wire().chunk("one", _meta={"text": "two"}).update("tool_call", toolCallId="t", text="x")
    for frame in many.records:
        assert isinstance(frame, Frame)
        assert not after(frame).has(frame)
