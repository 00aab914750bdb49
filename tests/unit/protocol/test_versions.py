"""docs/versions.md against the official schemas, and against the table that it is made of."""

import runpy
from collections.abc import Iterable
from pathlib import Path

import pytest

from acp_tui.protocol import versions, versions_page
from acp_tui.protocol.schema import Edition, load
from acp_tui.protocol.versions import Entry, counterpart

PAGE = Path(__file__).parents[3] / "docs" / "versions.md"
FIRST, SECOND = load(Edition.UNSTABLE)["$defs"], load(Edition.UNSTABLE_2)["$defs"]
NAMES = versions_page.names(FIRST), versions_page.names(SECOND)


def told(entries: Iterable[Entry]) -> tuple[set[str], set[str]]:
    """The names of both versions that a table has."""
    listed = list(entries)
    return {one.v1 for one in listed if one.v1}, {one.v2 for one in listed if one.v2}


def test_the_page_is_what_its_program_writes(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(versions_page.__file__, run_name="__main__")
    assert capsys.readouterr().out == PAGE.read_text("utf-8")


@pytest.mark.parametrize("heading", versions_page.ENTRIES)
def test_what_only_one_version_has_is_told(heading: str) -> None:
    first, second = set(NAMES[0][heading]), set(NAMES[1][heading])
    in_1, in_2 = told(versions_page.ENTRIES[heading])
    assert first - second <= in_1 <= first
    assert second - first <= in_2
    assert in_2 - second <= {"session"}, "names that no schema has"


@pytest.mark.parametrize(
    ("of", "table"),
    [(versions_page.fields, versions.FIELDS), (versions_page.values, versions.VALUES)],
)
def test_parts_that_only_one_version_has_are_told(of, table) -> None:  # type: ignore[no-untyped-def]
    first, second = of(FIRST), of(SECOND)
    untold = []
    for owner in {*first, *(versions_page.renamed(2, one) for one in second)} - {None}:
        other = versions_page.renamed(1, owner)
        if other is None:
            continue  # its row says that there is none such
        old, new = set(first.get(owner, [])), set(second.get(other, []))
        in_1, in_2 = told(table.get(owner, ()))
        assert in_1 <= old, owner
        assert in_2 <= new, owner
        untold += [(owner, one) for one in (old - new - in_1) | (new - old - in_2)]
    assert untold == []
    known = {*first, *(versions_page.renamed(2, one) for one in second)}
    assert table.keys() <= known


@pytest.mark.parametrize(
    ("called", "words"),
    [
        (
            "session/load",
            'in version 2 it is session/resume: with {"type": "start"} as replayFrom',
        ),
        ("authenticate", "in version 2 it is auth/login"),
        ("auth/login", "in version 1 it is authenticate"),
        ("session/list", ""),
        ("session/prompt", ""),
        (
            "tool_call",
            "in version 2 it is tool_call_update: the first update with an id begins the tool call",
        ),
        (
            "terminal/kill",
            "not in version 2: terminal/cancel stops a terminal of the agent's",
        ),
        (
            "tool_call/cancel",
            "not in version 1: only a whole turn can be canceled, with session/cancel",
        ),
    ],
)
def test_a_frame_is_told_what_it_would_be(called: str, words: str) -> None:
    assert counterpart(called) == words


def test_what_differs_in_an_answer_is_told_of_the_answer() -> None:
    told = counterpart("session/prompt", is_answer=True)
    assert told.startswith("version 1 answers with the stop reason when the turn is over; ")
    assert counterpart("session/new", is_answer=True) == (
        "version 2 answers without modes, and with the commands that there are"
    )
    assert counterpart("fs/read_text_file", is_answer=True) == ""
    assert counterpart("session/list", is_answer=True) == ""


@pytest.mark.parametrize(
    ("called", "content", "other", "words"),
    [
        (
            "tool_call_update",
            {"status": None},
            {"status": "completed"},
            "null leaves a field as it is in version 1, and clears it in version 2",
        ),
        ("agent_message_chunk", {}, {"messageId": "m"}, "version 2 requires a messageId"),
        (
            "session/new",
            {"mcpServers": [{"name": "one"}]},
            {"mcpServers": []},
            "version 2 gives each MCP server a type",
        ),
        (
            "config_option_update",
            {"configOptions": [{"id": "one"}]},
            "nonsense",
            "id and group are called configId and groupId in version 2",
        ),
    ],
)
def test_a_difference_is_told_of_what_has_it(
    called: str, content: object, other: object, words: str
) -> None:
    assert counterpart(called, content) == words
    assert counterpart(called, other) == ""
