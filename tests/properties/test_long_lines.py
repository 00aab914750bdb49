"""Long lines of any shape are read in slices to the value that they have."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from acp_tui.deep_json import finished
from acp_tui.protocol import json_decoder, long_lines
from acp_tui.protocol.jsonrpc import Malformed

LETTERS = st.sampled_from(
    ["a", "\\", '"', "\n", "é", "漢", "😀", "\ud83d", "\ude00", "\x7f", "u", "0"]
)
TEXTS = st.text() | st.lists(LETTERS, max_size=60).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
)


@pytest.fixture(params=[(4, 24), (1, 29), (30, 40)], autouse=True)
def small(request: pytest.FixtureRequest) -> Iterator[None]:
    """Strings are long, and slices short."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_lines, "LONG_STRING", request.param[0])
        patch.setattr(long_lines, "SLICE", request.param[1])
        patch.setattr(long_lines, "SHOWN", 3)
        yield


def read(raw: bytes) -> Any:
    return finished(json_decoder.decode_in_slices(raw))


@settings(deadline=None)
@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
@example(["0.0e-0", 0.5, "0.1e-1"], True, None)
def test_they_are_read_as_python_reads_them(value: Any, escaped: bool, indent: int | None) -> None:
    raw = json.dumps(value, ensure_ascii=escaped, indent=indent).encode("utf-8", "surrogatepass")
    expected = json.loads(raw.decode("utf-8", "replace"))
    assert read(raw) == expected
    assert finished(json_decoder.decode_in_slices(raw, outline=True)) is not None or value is None


@settings(deadline=None)
@given(
    st.binary(max_size=60)
    | st.lists(LETTERS, max_size=60).map(lambda it: "".join(it).encode("utf-8", "surrogatepass"))
)
def test_what_is_wrong_is_refused(said: bytes) -> None:
    for raw in (b'["%b"]' % said, b'["%b' % said, said, b'["\\u12%b"]' % said):
        try:
            expected = json.loads(raw.decode("utf-8", "replace"))
        except ValueError:
            assert isinstance(read(raw), Malformed)
        else:
            assert repr(read(raw)) == repr(expected)  # NaN is not NaN
