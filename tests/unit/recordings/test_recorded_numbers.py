"""Numbers of recordings can be added up."""

from collections import Counter

from acp_tui.debug.numbers import sparkline
from acp_tui.recordings.recorded_numbers import Numbers


def some(seconds: float) -> Numbers:
    found = Numbers(sums=Counter(recordings=1, inputTokens=5, outputTokens=0))
    found.failed["edit"] = 1
    found.tools = {"edit": [seconds], "read": []}
    return found


def test_those_of_two_are_added_up() -> None:
    whole = some(1.0)
    whole.merge(some(3.0))
    assert whole.sums["recordings"] == 2
    assert whole.tools == {"edit": [1.0, 3.0], "read": []}
    assert whole.tokens == {"input": 10}
    assert (whole.tool("edit"), whole.tool("read")) == ("edit (2 failed)", "read")


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
