"""Config options are found by what a person types."""

import pytest

from acp_tui.protocol.config_options import (
    BooleanConfigOption,
    SelectConfigOption,
    UnknownConfigOption,
)
from acp_tui.state.modes import SettableOption, find_option, read_value


def select(id: str, category: str | None = None) -> SelectConfigOption:
    return SelectConfigOption(id=id, name=id, category=category, current_value="a", options=[])


FAST = BooleanConfigOption(id="fast", name="Fast", current_value=False)
OPTIONS = [
    select("llm", "model"),
    select("deep", "thought_level"),
    select("wide", "thought_level"),
    select("mode", "other"),
    select("plan", "mode"),
    FAST,
    UnknownConfigOption(type="slider"),
]


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("llm", "llm"),
        ("model", "llm"),
        ("mode", "mode"),  # the id, not the category
        ("fast", "fast"),
        ("thought_level", None),  # which of the two isn't known
        ("slider", None),
    ],
)
def test_an_option_is_found_by_its_id_or_as_the_only_one_of_its_category(
    name: str, id: str | None
) -> None:
    found = find_option(OPTIONS, name)
    assert (found.id if found else None) == id
    assert find_option(None, name) is None


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (FAST, "true", True),
        (FAST, "false", False),
        (FAST, "maybe", "maybe"),
        (select("llm"), "true", "true"),
    ],
)
def test_a_text_is_read_as_the_type_of_its_option(
    option: SettableOption, text: str, value: bool | str
) -> None:
    assert (type(read_value(option, text)), read_value(option, text)) == (type(value), value)
