"""What is done at the paths that a question names, and no tree of a folder shows."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.client.files import named_places
from acp_tui.client.files.named_places import find_differences, read_places
from acp_tui.protocol.file_events import CREATED, RELABELED, REMOVED
from acp_tui.state.unapproved_changes import CLOCK_SLACK

OLD = time.time() - 60.0
Act = Callable[[Path], object]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.txt").write_text("x\n")
    os.utime(tmp_path / "a.txt", (OLD, OLD))
    return tmp_path


def deeds(work: Path, act: Act, *, late: bool = False) -> dict[str, str]:
    """Return what an act does at some places; an agent may be done before they are read."""
    paths = [str(work / name) for name in ("a.txt", "empty", "new", "missing")]
    time.sleep(2 * CLOCK_SLACK)
    epoch = time.time()
    if late:
        act(work)
    places = read_places(paths, 0.0, epoch)
    if not late:
        act(work)
    return {Path(one.path).name: one.deed for one in find_differences(places, 1.0)}


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    ("act", "name", "deed"),
    [
        (lambda work: (work / "new").mkdir(), "new", CREATED),
        (lambda work: (work / "new").write_text("x"), "new", CREATED),
        (lambda work: (work / "new").symlink_to("nowhere"), "new", CREATED),
        (lambda work: (work / "a.txt").chmod(0o600), "a.txt", RELABELED),
    ],
)
def test_what_is_done_at_a_place_since_it_was_asked_about(
    work: Path, act: Act, name: str, deed: str, late: bool
) -> None:
    assert deeds(work, act, late=late) == {name: deed}


def test_what_is_removed_since(work: Path) -> None:
    assert deeds(work, lambda work: (work / "empty").rmdir()) == {"empty": REMOVED}
    assert deeds(work, lambda work: (work / "a.txt").unlink()) == {"a.txt": REMOVED}


def test_a_text_that_is_written_there_is_left_to_others(work: Path) -> None:
    assert deeds(work, lambda work: (work / "a.txt").write_text("y\n")) == {}
    assert deeds(work, lambda work: None) == {}


def test_places_of_the_system_and_the_files_that_the_program_writes_are_left_out(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_places(["/proc/self/status", "/dev/null", "a\0b"], 0.0, 0.0).keys() == {"a\0b"}
    monkeypatch.setattr(named_places, "recordings_folder", lambda: work / "recordings")
    assert deeds(work, lambda work: (work / "new").mkdir()) == {}
