"""Numbers of recordings can be added up, and written down."""

import json
from collections import Counter

import pytest

from acp_tui.wire.numbers import Histogram, sparkline
from acp_tui.wire.recorded_numbers import Numbers, read_news, read_numbers


def some(seconds: float) -> Numbers:
    found = Numbers(sums=Counter(recordings=1, inputTokens=5, outputTokens=0))
    found.failed["edit"] = 1
    found.tools = {"edit": Histogram(), "read": Histogram()}
    found.tools["edit"].add(seconds)
    return found


def test_those_of_two_are_added_up() -> None:
    whole = some(1.0)
    whole.merge(some(3.0))
    assert whole.sums["recordings"] == whole.tools["edit"].count == 2
    assert whole.tools["edit"].percentile(1.0) == pytest.approx(3.0, rel=0.02)
    assert whole.tokens == {"input": 10}
    assert (whole.tool("edit"), whole.tool("read")) == ("edit (2 failed)", "read")


def test_they_are_read_as_they_were_written() -> None:
    written = json.loads(json.dumps(some(1.0).plain()))
    read = read_numbers(written)
    assert (read.plain(), read.tools["edit"].count) == (some(1.0).plain(), 1)
    with pytest.raises(KeyError):
        read_numbers({})


def test_news_tell_how_far_it_is_and_the_numbers_so_far() -> None:
    plain = {"done": 1, "due": 9, "agents": ["a 1"], "parts": [[7.0, some(1.0).plain()]]}
    news = read_news(plain)
    assert (news.done, news.due, news.agents) == (1, 9, ["a 1"])
    assert news.parts is not None
    assert news.parts[0][0] == 7.0
    assert read_news({**plain, "agents": None, "parts": None})[2:] == ([], None)


def test_a_part_without_values_is_a_gap_between_the_bars() -> None:
    assert sparkline([4, None, 8], 5) == "▅ █"
    assert sparkline([None], 5) == " "


def test_of_many_names_those_that_came_most_are_kept_and_the_others_put_together() -> None:
    found = some(1.0)
    found.messages = Counter({f"m{at}": at for at in range(10)} | {"x" * 500: 99})
    found.bound(2, 5)
    assert found.messages == {"xxxxx…": 99, "m9": 9, "other names": 36}
    found.bound(1, 10)
    assert found.messages == {"xxxxx…": 99, "other names": 45}
    found.tools["write"] = found.tools["edit"]
    found.bound(1, 10)
    assert (list(found.tools), found.sums["inputTokens"]) == (["edit", "other names"], 5)
