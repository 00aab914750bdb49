"""The list of kept runs."""

import pytest

from acp_tui.cli.ps import _format_table, _make_rows

TOLD = {
    "name": "tea",
    "screens": ["pts/1", "pts/2"],
    "sessions": [
        {
            "agent": "Demo agent",
            "session": "s1",
            "title": "Teapot",
            "state": "waits for you: execute: rm -r build",
            "seconds": 180.0,
            "waiting": 2,
        },
        {
            "agent": "Bread",
            "session": None,
            "title": "",
            "state": "starting",
            "seconds": None,
            "waiting": 0,
        },
    ],
}


def test_a_row_for_each_session_says_what_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert list(_format_table(list(_make_rows(TOLD)))) == [
        "name  agent       session  for     screens  state",
        "tea   Demo agent  Teapot   3m 00s  2        waits for you: execute: rm -r build; 2 prompts waiting",
        "tea   Bread                        2        starting",
    ]


def test_rows_fit_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert max(map(len, _format_table(list(_make_rows(TOLD))))) <= 40
