"""The types of forms and links."""

from typing import Any

import pytest
from pydantic_core import ValidationError

from acp_tui.protocol.elicitation import ElicitationParams, MultiSelectProperty, StringProperty


@pytest.mark.parametrize(
    "params",
    [
        {"mode": "form", "message": "?"},
        {"mode": "form", "message": "?", "requestedSchema": {"properties": {"a": {}, "b": 3}}},
        {"mode": "url", "message": "?", "url": "https://x.org"},
        {"mode": "url", "message": "?", "elicitationId": "e"},
        {"mode": "form", "requestedSchema": {}},
        {"message": "?"},
    ],
)
def test_what_a_mode_needs_must_be_there(params: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ElicitationParams.model_validate(params)


def test_choices_are_titled_or_named_by_themselves() -> None:
    titled = {"oneOf": [{"const": "r", "title": "Red"}], "enum": ["ignored"]}
    assert [one.title for one in StringProperty.model_validate(titled).choices] == ["Red"]
    plain = StringProperty.model_validate({"enum": ["r", "b"]})
    assert [(one.const, one.title) for one in plain.choices] == [("r", "r"), ("b", "b")]
    assert StringProperty().choices == []
    items = {"items": {"type": "feeling", "range": 3}}
    assert MultiSelectProperty.model_validate(items).choices == []


def test_unknown_modes_keep_their_fields() -> None:
    params = {"mode": "smell", "message": "?", "scent": "rose", "sessionId": "s"}
    assert ElicitationParams.model_validate(params).wire() == params
