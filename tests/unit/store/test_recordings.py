"""The folder of recordings: names, order, and what is thrown away."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from subprocess import PIPE

import pytest

from acp_tui.store import recordings as recordings_module
from acp_tui.store.files_in_use import HAS_LOCKS, mark_in_use
from acp_tui.store.recordings import (
    find_by_name,
    new_file,
    new_run_folder,
    prune_recordings,
    recordings_in,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for age in range(5):
        path = tmp_path / f"{age}.jsonl"
        path.write_bytes(b"x" * 100)
        os.utime(path, (1000 - age, 1000 - age))
    return tmp_path


def names(folder: Path) -> list[str]:
    return [path.stem for path in recordings_in(folder)]


def test_the_newest_come_first(folder: Path) -> None:
    assert names(folder) == ["0", "1", "2", "3", "4"]


def test_their_numbers_stay_while_one_of_them_is_written(tmp_path: Path) -> None:
    names_in_order = ["20260102-030406-a-7", "20260102-030405-a-6", "20251231-235959-b-5"]
    for age, name in enumerate(reversed(names_in_order)):
        path = tmp_path / f"{name}.jsonl"
        path.touch()
        os.utime(path, (1000 - age, 1000 - age))
    assert names(tmp_path) == names_in_order


def test_a_recording_is_found_by_its_name_or_its_beginning(tmp_path: Path) -> None:
    for name in ("20260102-030405-a-6", "20260102-030405-a-61", "20260102-030406-b-7"):
        (tmp_path / f"{name}.jsonl").touch()
    found = {
        name: [path.stem for path in find_by_name(tmp_path, name)]
        for name in ("20260102-030405-a-6", "20260102-030406", "20260102", "2027")
    }
    assert found == {
        "20260102-030405-a-6": ["20260102-030405-a-6"],
        "20260102-030406": ["20260102-030406-b-7"],
        "20260102": ["20260102-030406-b-7", "20260102-030405-a-61", "20260102-030405-a-6"],
        "2027": [],
    }


def test_the_oldest_go_beyond_a_count(folder: Path) -> None:
    prune_recordings(folder, kept=2)
    assert names(folder) == ["0", "1"]


def test_the_oldest_go_beyond_a_size(folder: Path) -> None:
    prune_recordings(folder, kept_bytes=350)
    assert names(folder) == ["0", "1", "2"]


@pytest.mark.skipif(not HAS_LOCKS, reason="files have no locks")
def test_one_that_is_being_written_stays(folder: Path) -> None:
    with (folder / "4.jsonl").open("ab") as file:
        mark_in_use(file.fileno())
        prune_recordings(folder, kept=1)
        assert names(folder) == ["0", "4"]


def test_nobody_else_may_look(tmp_path: Path) -> None:
    path = new_file(tmp_path / "state" / "recordings", "/bin/my agent\n", datetime.now())  # noqa: DTZ005
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert "my-agent-" in path.name
    assert recordings_in(path.parent) == []


def test_there_may_be_no_folder_yet(tmp_path: Path) -> None:
    assert recordings_in(tmp_path / "none") == []


@pytest.mark.slow
def test_runs_that_make_room_at_once_do_not_stumble_over_each_other(tmp_path: Path) -> None:
    for number in range(1500):
        (tmp_path / f"{number}.jsonl").touch()
    code = (
        "import sys; from pathlib import Path; from acp_tui.store.recordings import prune_recordings\n"
        "print('ready', flush=True); sys.stdin.readline(); prune_recordings(Path(sys.argv[1]))"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdin=PIPE, stdout=PIPE)
        for _ in range(6)
    ]
    for run in runs:
        assert run.stdout is not None
        run.stdout.readline()
    for run in runs:
        assert run.stdin is not None
        run.stdin.write(b"\n")
        run.stdin.flush()
    for run in runs:
        run.communicate()
    assert [run.returncode for run in runs] == [0] * 6
    assert len(recordings_in(tmp_path)) <= 50


def test_agents_of_one_run_that_start_at_the_same_time_have_files_of_their_own(
    tmp_path: Path,
) -> None:
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    paths = []
    for _ in range(3):
        paths.append(new_file(tmp_path, "agent", now))
        paths[-1].touch()
    assert len(set(paths)) == 3


def runs_of_checks(folder: Path, count: int, age: float) -> list[Path]:
    """Runs that ended so many seconds ago, one after the other."""
    now = datetime.now().astimezone()
    made = [new_run_folder(folder, f"agent-{number}", now) for number in range(count)]
    for run in made:
        (run / "A1.jsonl").write_bytes(b"x" * 100)
        os.utime(run, (now.timestamp() - age,) * 2)
    return made


def test_a_run_loses_no_recordings_of_others_that_go_beside_it(tmp_path: Path) -> None:
    made = runs_of_checks(tmp_path, 15, age=60)
    new_run_folder(tmp_path, "agent", datetime.now().astimezone())
    assert all((run / "A1.jsonl").exists() for run in made)


def test_of_older_runs_the_last_ten_are_kept(tmp_path: Path) -> None:
    runs_of_checks(tmp_path, 15, age=7200)
    new_run_folder(tmp_path, "agent", datetime.now().astimezone())
    assert len(list(tmp_path.iterdir())) == 10


def test_runs_that_are_too_big_together_go_before_their_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = runs_of_checks(tmp_path, 15, age=60)
    monkeypatch.setattr(recordings_module, "KEPT_BYTES", 1150)
    new_run_folder(tmp_path, "agent", datetime.now().astimezone())
    assert len([run for run in made if run.exists()]) == 11
