import pytest

from acp_tui.protocol.trace_context import TraceParent, read_traceparent

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def test_a_traceparent_is_written_as_it_was_read() -> None:
    text = f"00-{TRACE}-{SPAN}-01"
    read = read_traceparent(text)
    assert read == TraceParent(int(TRACE, 16), int(SPAN, 16))
    assert str(read) == text


def test_a_later_version_may_have_more_fields() -> None:
    read = read_traceparent(f"cc-{TRACE}-{SPAN}-00-what-the-future-brings")
    assert read is not None
    assert (read.span_id, read.flags) == (int(SPAN, 16), 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"00-{TRACE}-{SPAN}",
        f"00-{TRACE}-{SPAN}-01-more",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01\n",
    ],
)
def test_what_is_invalid_is_ignored(text: str) -> None:
    assert read_traceparent(text) is None
