"""JSON nested deeper than Python's own functions follow."""

import json
from typing import Any

import pytest

from acp_tui import deep_json
from acp_tui.deep_json import (
    DEEPEST,
    LONG_TEXT,
    NOT_READ,
    TooDeepError,
    dump_in_pieces,
    dumps,
    finished,
    loads,
    long_text,
    same,
)


def nested(depth: int, inside: str = '"x"') -> str:
    """Objects and arrays in each other."""
    return '{"a": [' * (depth // 2) + inside + "]}" * (depth // 2)


def depth_of(value: Any) -> int:
    depth = 0
    while isinstance(value, dict | list):
        value = value["a"] if isinstance(value, dict) else value[0]
        depth += 1
    assert value == "x"
    return depth


@pytest.mark.parametrize("depth", [2, 1_000, DEEPEST])
def test_it_is_read_whole_and_written_again(depth: int) -> None:
    text = nested(depth)
    for given_as in (text, text.encode()):
        value = loads(given_as)
        assert depth_of(value) == depth
    assert dumps(value) == text
    assert same(value, loads(text))
    assert not same(value, loads(nested(depth, '"y"')))
    assert not same(value, loads(nested(depth - 2)))


def test_the_first_level_too_many_is_an_error() -> None:
    with pytest.raises(TooDeepError, match="nested deeper than 10,000 levels"):
        loads(nested(DEEPEST + 2))


def test_deep_json_that_is_none_is_an_error() -> None:
    for wrong in (
        nested(5_000, '{"b" 1, "c": []}'),
        nested(5_000)[:-1],
        nested(5_000, "x"),
        nested(5_000) + "]",
        nested(5_000, "{1"),
    ):
        with pytest.raises(ValueError, match="line 1 column"):
            loads(wrong)


@pytest.mark.parametrize(
    ("text", "levels", "upper"),
    [
        ('{"id": 1, "a": {"b": [2, "]"]}, "c": {}}', 1, {"id": 1, "a": NOT_READ, "c": NOT_READ}),
        ('{"id": 1, "a": {"b": [2, "]"]}}', 2, {"id": 1, "a": {"b": NOT_READ}}),
        ('{"id": 1, "a": {"b": [2, "]"]}}', 3, {"id": 1, "a": {"b": [2, "]"]}}),
        (f'[{nested(30_000)}, "last"]', 1, [NOT_READ, "last"]),
    ],
)
def test_the_upper_levels(text: str, levels: int, upper: Any) -> None:
    assert finished(deep_json.upper(text, levels)) == upper


def test_where_what_is_left_out_has_no_end_there_is_no_json() -> None:
    with pytest.raises(ValueError, match="Expecting ',' delimiter"):
        finished(deep_json.upper('{"a": [[', 1))


@pytest.mark.parametrize("text", ["[1, a, 2]", "[1, 2 3, 4]", "[1,, 2]", "[1, 2,]", '["a" "b", 1]'])
def test_elements_that_are_none_are_an_error_where_they_stand(text: str) -> None:
    text = text.replace("[", f"[{'0, ' * (deep_json.FLAT // 2)}")
    with pytest.raises(json.JSONDecodeError) as expected:
        json.loads(text)
    with pytest.raises(json.JSONDecodeError) as found:
        finished(deep_json.read_in_slices(text))
    of_comma = expected.value.msg.startswith("Illegal trailing comma")  # from Python 3.13 on
    assert found.value.pos == expected.value.pos + of_comma


@pytest.mark.parametrize("text", ["{1: [{}]}", '{"a" [{}]}', '{"a": [{}], 2}'])
def test_names_that_are_none_are_an_error(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        finished(deep_json.read_in_slices(text))


def test_it_pauses_on_the_way() -> None:
    for work in (
        deep_json.read_in_slices(json.dumps([*range(deep_json.FLAT)])),
        deep_json.read_in_slices(json.dumps(["a, b"] * deep_json.FLAT)),
        deep_json.read_in_slices(nested(DEEPEST)),
        deep_json.upper(f"[{nested(30_000)}]", 1),
    ):
        pauses = sum(1 for _ in work)
        assert pauses > 5


def test_what_json_does_not_know_is_written_by_a_function() -> None:
    deep: Any = {1}
    for _ in range(2_000):
        deep = [deep]
    assert f'["{{1}}"{"]" * 2_000}' in dumps(deep, default=str)


def test_tuples_and_lengths_are_compared() -> None:
    deep = [loads(nested(2_000)), (1, 2)]
    assert same(deep, [loads(nested(2_000)), (1, 2)])
    assert not same(deep, [loads(nested(2_000)), (1, 2, 3)])
    assert not same([deep, {"a": 1}], [deep, {"b": 1}])
    assert not same([{"a": 1}, deep], [{"b": 1}, deep])
    one, other = loads(nested(2_000)), loads(nested(2_000))
    assert not same([one, {"a": 1}], [other, {"b": 1}])


def test_wide_json_is_read_though_it_opens_as_many_arrays_as_a_deep_one() -> None:
    wide: list[list[object]] = [[]] * (DEEPEST + 1)
    assert loads(json.dumps(wide)) == wide
    assert loads(json.dumps(wide).encode()) == wide


@pytest.mark.parametrize("sign", ["a", "é", '"\\\n\ud800', "NaN"])
@pytest.mark.parametrize("times", [LONG_TEXT + 1, 2 * LONG_TEXT])
def test_in_pieces_it_is_written_as_at_once(sign: str, times: int) -> None:
    text = sign * times
    holds = {"short": [1, {"a": None}], "long": [text], "NaN": (float("nan"), text)}
    pieces = list(dump_in_pieces(holds))
    assert "".join(pieces) == json.dumps(holds)
    assert max(map(len, pieces)) <= 6 * LONG_TEXT + 2  # with both quotes
    assert pieces.count("NaN") == 1
    assert long_text(holds) == 2 * len(text)
    assert long_text({"short": [sign, 1, {"a": (None,)}]}) == 0
