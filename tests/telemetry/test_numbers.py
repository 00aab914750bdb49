"""`acp-tui stats`: many recordings at once, each read once."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from acp_tui.cli import main
from acp_tui.config.paths import archive_file, recordings_folder
from acp_tui.index import index
from tests.telemetry.recordings import Made, make
from tests.unit.debug.scenes import Wire


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The recordings that acp-tui keeps itself: none yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    recordings_folder().mkdir(parents=True)
    return recordings_folder()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve recordings of three agents."""
    made = tmp_path / "made"
    made.mkdir()
    for number in range(12):
        make(made, number)
    return made


def stats(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    code = main.run(["stats", *map(str, argv)])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_numbers_of_many(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = stats(capsys, folder, "--json")
    told = json.loads(out)
    assert told["sums"]["recordings"] == told["sums"]["turns"] == 12
    assert told["agents"]["swift 1.0"] == 3
    assert told["answers"]["session/prompt (agent)"]["count"] == 12
    assert told["answers"]["session/prompt (agent)"]["p50"] == pytest.approx(2.56, rel=0.02)
    assert told["spans"]["first chunk"]["max"] == pytest.approx(0.5, rel=0.02)
    assert told["tools"]["edit"]["count"] == 12
    assert told["failed"] == {"edit": 1}
    assert told["sums"]["outputTokens"] == 1200
    assert told["findings"]["error schema swift 1.0"] == 1
    assert told["models"] == {"large": 2000}
    assert told["quota"]["5-hour limit"]["max"] >= 50


def test_people_get_a_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = stats(capsys, folder)
    lines = out.splitlines()
    assert lines[0] == "12 recordings, 12 turns, 46s"
    assert any(line.startswith("edit (1 failed)") for line in lines)
    assert any(line.startswith("tokens by model: large (") for line in lines)
    assert "quota, at most: 60% of the 5-hour limit" in lines
    assert (
        "answered                                     count       p50       p95       p99       max"
        in lines
    )


def test_of_all_that_was_recorded_here_only_what_is_new_is_read(
    own_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        newest = make(own_folder, number)
    first = stats(capsys)
    assert first[1].startswith("6 recordings, 6 turns")
    read: list[str] = []
    real = index.RecordedRun
    monkeypatch.setattr(index, "RecordedRun", lambda path: read.append(path.name) or real(path))
    assert stats(capsys) == first
    assert read == []
    with newest.open("a") as file:
        file.write("\n")
    assert stats(capsys) == first
    assert read == [newest.name]
    newest.unlink()
    os.utime(next(own_folder.iterdir()), (1, 1))
    assert stats(capsys)[1].startswith("5 recordings")
    assert stats(capsys, "--since", "7d")[1].startswith("4 recordings")


def test_files_that_are_named_make_no_index(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stats(capsys, folder)[1].startswith("12 recordings")
    assert not archive_file().exists()
    assert stats(capsys)[0] == 2


def test_an_index_that_cant_be_used_is_named(
    own_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make(own_folder, 1)
    stats(capsys)
    monkeypatch.setattr(index, "_WRITE_TIMEOUT", 0.0)
    with closing(sqlite3.connect(archive_file())) as other:
        other.execute("begin immediate")
        make(own_folder, 2)
        code, _, err = stats(capsys)
    assert (code, "acp-tui find --forget removes the index" in err) == (2, True)


def test_a_count_that_no_database_has_room_for_stops_nothing(
    own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make(own_folder, 1)
    path.write_text(
        path.read_text().replace(r"\"outputTokens\": 100", rf"\"outputTokens\": {10**300}")
    )
    assert json.loads(stats(capsys, "--json")[1])["sums"]["outputTokens"] == 10**18


def test_what_can_t_be_read_is_told_and_left_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "none.jsonl").write_text('{"acp-tui": 99}\n')
    code, out, err = stats(capsys, folder, folder / "missing.jsonl")
    assert (code, out.startswith("12 recordings")) == (0, True)
    assert "version 99" in err
    assert "missing.jsonl: No such file" in err
    assert stats(capsys, folder / "none.jsonl")[0] == 2


def test_a_pipe_among_the_recordings_is_not_waited_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(folder / "pipe.jsonl")
    assert stats(capsys, folder)[1].startswith("12 recordings")


def test_only_what_is_new_enough_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = sorted(folder.iterdir())[:5]
    for path in old:
        os.utime(path, (1, 1))
    assert stats(capsys, folder, "--since", "7d")[1].startswith("7 recordings")
    assert stats(capsys, *old, "--since", "2w")[0] == 2
    with pytest.raises(SystemExit):
        main.run(["stats", "--since", "soon"])


def test_permissions_and_chunks_are_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    wire = Wire().prompted().chunk("a").chunk("b").chunk("c")
    wire.ask(5, "session/request_permission", toolCall={"toolCallId": "t"}, options=options).later(
        2
    )
    wire.out(id=5, result={"outcome": {"outcome": "selected", "optionId": "y"}})
    wire.ask(6, "session/request_permission", toolCall={"toolCallId": "t"}, options=options).ended()
    path = tmp_path / "it.jsonl"
    path.write_text("\n".join(one.raw.decode() for one in wire.records), "utf-8")  # type: ignore[union-attr]
    out = stats(capsys, path)[1]
    assert "permissions: allow_once (1), no answer (1)" in out.splitlines()
    assert "p50" not in out  # such a log has no times


def test_subagents_are_named_with_their_time_and_tokens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    it = Made()
    it.call(1, "session/prompt", {"sessionId": "s1", "prompt": []})
    for id, used in (("c", {"totalTokens": 1200}), ("d", {})):
        running, idle = {"state": "running"}, {"state": "idle", "usage": used}
        it.update("subagent_update", sessionId=id, title="Ada", state=running)
        it.update("subagent_update", 2.0, sessionId=id, state=idle)
    it.answer(1, {"stopReason": "end_turn", "usage": {"totalTokens": 5}})
    path = tmp_path / "it.jsonl"
    path.write_text("\n".join(it.lines), "utf-8")
    out = stats(capsys, path)[1]
    assert "tokens of subagents: Ada (1,200)" in out.splitlines()
    assert "tokens: 5 total" in out.splitlines()
    (row,) = (one.split() for one in out.splitlines() if one.startswith("Ada "))
    assert row[1] == "2"
    numbers = json.loads(stats(capsys, "--json", path)[1])
    assert numbers["subagent_tokens"] == {"Ada": 1200}
    assert numbers["subagents"]["Ada"]["count"] == 2
