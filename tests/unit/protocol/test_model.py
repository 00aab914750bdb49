"""What every object of the protocol can do."""

import pickle
from copy import deepcopy

import pytest
from pydantic import ValidationError

from acp_tui.protocol.content import TextContent
from acp_tui.protocol.initialization import Implementation
from acp_tui.protocol.updates import AgentMessageChunk


def test_a_copy_has_the_new_values_and_leaves_the_old_ones() -> None:
    old = Implementation.model_validate({"name": "a", "vendor": "x"})
    old.slim()
    new = old.model_copy(update={"version": "2"})
    assert (old.version, new.version) == ("", "2")
    assert new.model_fields_set == {"name", "vendor", "version"}
    assert new.wire() == {"name": "a", "version": "2", "vendor": "x"}


def test_what_slim_objects_share_is_no_copys() -> None:
    plain, other = Implementation(name="a"), Implementation(name="b")
    plain.slim()
    other.slim()
    copied = plain.model_copy(update={"version": "2", "vendor": "x"})
    assert copied.wire() == {"name": "a", "version": "2", "vendor": "x"}
    assert other.wire() == {"name": "b", "version": ""}
    assert other.model_fields_set == {"name"}


def test_equal_values_make_equal_objects_and_unknown_fields_count() -> None:
    plain, extended = TextContent(text="a"), TextContent(text="a", vendor=1)  # type: ignore[call-arg]
    assert plain == TextContent(text="a")
    assert hash(plain) == hash(TextContent(text="a"))
    assert plain != extended
    assert plain != Implementation(name="a")


def test_objects_survive_pickling_and_copying_whole() -> None:
    value = {"type": "text", "text": "a", "vendor": 1}
    content = TextContent.model_validate(value)
    for again in (pickle.loads(pickle.dumps(content)), deepcopy(content)):
        assert again == content
        assert again.wire() == value


def test_what_an_agent_said_is_not_changed() -> None:
    content = TextContent(text="a")
    with pytest.raises(ValidationError):
        content.text = "b"  # type: ignore[misc]
    assert content.wire() == {"type": "text", "text": "a"}


def test_a_union_chooses_by_its_field_and_takes_objects_as_they_are() -> None:
    content = TextContent(text="a")
    assert AgentMessageChunk(content=content).content is content
