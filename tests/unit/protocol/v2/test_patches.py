"""Patches of version 2: a bad value counts as not given, so it clears nothing."""

from typing import get_args

import pytest

from acp_tui.protocol.model import Model
from acp_tui.protocol.v2.updates import KnownUpdate, Patched

PATCHED = [
    (update, name)
    for update in get_args(KnownUpdate)
    for name, field in update.model_fields.items()
    if get_args(Patched)[1] in field.metadata
]


@pytest.mark.parametrize(("update", "name"), PATCHED)
def test_a_bad_value_is_read_as_one_that_is_missing(update: type[Model], name: str) -> None:
    ids = {id: "x" for id in update.model_fields if update.model_fields[id].is_required()}
    read = update.model_validate({**ids, name: 1.5})
    assert name not in read.model_fields_set
    assert getattr(read, name) is None
    assert update.wire_name(name) not in read.wire()
