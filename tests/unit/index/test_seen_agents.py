"""What recordings tell of an agent without starting it: its version, and when it worked."""

import json
from pathlib import Path

import pytest

from acp_tui.cli import main
from acp_tui.config.paths import archive_file, settings_file
from acp_tui.index.index import SeenAgent, seen_agents
from tests.unit.debug.scenes import Wire
from tests.unit.index.test_index import STARTED, find, record, state, wire

__all__ = ["state"]


def test_the_last_version_and_the_last_turn_count() -> None:
    assert seen_agents(archive_file()) == {}
    record("20260101-000000-tea-1", wire())
    record("20260102-000000-tea-1", Wire(), started=STARTED + 86400)
    record("20260102-000000-mute-1", Wire().initialized(), argv=["mute"])
    find("teapot")
    assert seen_agents(archive_file()) == {
        ("tea-agent", "--acp"): SeenAgent("1", STARTED),
        ("mute",): SeenAgent("1", None),
    }
    archive_file().unlink()
    archive_file().mkdir()
    assert seen_agents(archive_file()) == {}


def test_the_list_of_agents_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    settings_file().parent.mkdir(parents=True)
    settings_file().write_text(
        '[agents.tea]\ncommand = ["tea-agent", "--acp"]\n[agents.new]\ncommand = ["new-agent"]\n'
    )
    record("20260101-000000-tea-1", wire())
    find("teapot")
    main.run(["agents"])
    head, *rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert head[-2:] == ["SIGNED", "IN"]
    told = {row[0]: row[1:] for row in rows}
    assert told["tea"][0] == "1"
    assert told["tea"][-2:] == ["worked", "2023-11-14"]
    assert told["new"][-2:] == ["not", "known"]
    main.run(["agents", "--json"])
    facts = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert (facts["tea"]["version"], facts["tea"]["worked"]) == ("1", STARTED)
    assert (facts["new"]["version"], facts["new"]["worked"]) == (None, None)
