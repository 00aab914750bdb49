"""`acp-tui stats`: many recordings at once, each read once."""

import json
import os
from pathlib import Path

import pytest

from acp_tui.cli import main
from acp_tui.telemetry import number_cache
from tests.telemetry.recordings import make
from tests.unit.wire.scenes import Wire


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/acp-tui/numbers.json"


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


def test_people_get_a_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = stats(capsys, folder)
    lines = out.splitlines()
    assert lines[0] == "12 recordings, 12 turns, 46s"
    assert any(line.startswith("edit (1 failed)") for line in lines)
    assert (
        "answered                                     count       p50       p95       p99       max"
        in lines
    )


def test_what_was_read_is_not_read_again_until_it_changes(
    folder: Path, cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = stats(capsys, folder)
    assert cache.stat().st_mode & 0o777 == 0o600
    read: list[str] = []
    real = number_cache._read
    monkeypatch.setattr(number_cache, "_read", lambda path: read.append(path.name) or real(path))
    assert stats(capsys, folder) == first
    assert read == []
    changed = next(folder.iterdir())
    with changed.open("a") as file:
        file.write("\n")
    stats(capsys, folder)
    assert read == [changed.name]
    cache.write_text('{"form": 1}')
    stats(capsys, folder)
    assert len(read) == 13


@pytest.mark.parametrize("kept", ["", "[]", "null", '{"files": []}'])
def test_a_damaged_cache_is_made_again(
    folder: Path, cache: Path, kept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first = stats(capsys, folder)
    cache.write_text(kept)
    assert stats(capsys, folder) == first
    told = json.loads(cache.read_text())
    told["files"] = {name: [*one[:2], {}] for name, one in told["files"].items()}
    cache.write_text(json.dumps(told))
    assert stats(capsys, folder) == first


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
