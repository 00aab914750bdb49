"""JSON of any shape is read and written as Python does it."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui import deep_json
from acp_tui.deep_json import dumps, finished, loads, same
from tests.examples import some_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
LAYOUTS: list[dict[str, Any]] = [
    {},
    {"indent": 2},
    {"ensure_ascii": False},
    {"separators": (",", ":")},
    {"indent": 1, "separators": (" , ", " : ")},
]


@given(VALUES, st.sampled_from([None, 1]))
def test_step_by_step_it_is_read_as_python_reads_it(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert finished(deep_json.read_in_slices(f" {text}\n")) == value


@given(st.text(alphabet='{}[]",:1\\a \n') | VALUES.map(json.dumps).map(lambda text: text[:-1]))
def test_what_python_refuses_is_refused(text: str) -> None:
    try:
        value = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError, match=r"line \d+ column \d+"):
            finished(deep_json.read_in_slices(text))
    else:
        assert finished(deep_json.read_in_slices(text)) == value


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=some_of(20), deadline=None)
@given(value=VALUES)
def test_it_is_written_as_python_writes_it(layout: dict[str, Any], value: Any) -> None:
    deep = loads("[" * 2_000 + json.dumps(value) + "]" * 2_000)
    written = dumps(deep, **layout)
    assert same(loads(written), deep)
    if "indent" in layout:
        pad = " " * layout["indent"]
        assert written.startswith(f"[\n{pad}[\n{pad}{pad}[\n")
        assert written.endswith(f"\n{pad}{pad}]\n{pad}]\n]")
    else:
        assert written == f"{'[' * 2_000}{json.dumps(value, **layout)}{']' * 2_000}"
