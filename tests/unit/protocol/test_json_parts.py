"""What somebody else wrote may lack a part, or have one of another type."""

import pytest

from acp_tui.protocol.json_parts import (
    is_supported,
    list_at,
    number_at,
    object_at,
    objects_at,
    text_at,
    text_or_none_at,
    value_at,
)

CALL = {"update": {"title": "ls", "content": [{"type": "diff"}, "x"], "empty": ""}}


def test_a_part_is_found_at_its_path() -> None:
    assert value_at(CALL, "update", "title") == "ls"
    assert object_at(CALL, "update")["title"] == "ls"
    assert list_at(CALL, "update", "content") == [{"type": "diff"}, "x"]
    assert objects_at(CALL, "update", "content") == [{"type": "diff"}]
    assert text_at(CALL, "update", "title") == "ls"
    assert text_or_none_at(CALL, "update", "empty") == ""
    assert object_at(CALL) is CALL


@pytest.mark.parametrize("path", [("update", "none"), ("update", "title", "x"), ("x", "y")])
def test_what_is_missing_is_empty(path: tuple[str, ...]) -> None:
    assert value_at(CALL, *path) is None
    assert (object_at(CALL, *path), list_at(CALL, *path)) == ({}, [])
    assert (objects_at(CALL, *path), text_at(CALL, *path)) == ([], "")
    assert text_or_none_at(CALL, *path) is None


@pytest.mark.parametrize(("value", "number"), [(1, 1), (0.5, 0.5), (True, None), ("1", None)])
def test_a_number_is_neither_a_truth_value_nor_a_text(value: object, number: float | None) -> None:
    assert number_at({"used": value}, "used") == number


@pytest.mark.parametrize("other", [None, 1, True, [1], "text", {"a": 1}])
def test_what_has_another_type_is_empty(other: object) -> None:
    assert object_at(other) == (other if isinstance(other, dict) else {})
    assert list_at(other) == (other if isinstance(other, list) else [])
    assert text_at(other) == (other if isinstance(other, str) else "")


@pytest.mark.parametrize(
    ("value", "supported"), [(True, True), ({}, True), (False, False), (1, False)]
)
def test_a_capability_is_supported_if_it_is_true_or_an_object(
    value: object, supported: bool
) -> None:
    assert is_supported({"session": {"fork": value}}, "session", "fork") is supported
    assert not is_supported({"session": None}, "session", "fork")
