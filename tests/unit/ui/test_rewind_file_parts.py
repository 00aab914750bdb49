"""Of what differs between two trees the texts are read, but not of all that is there."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from acp_tui.rewind import limits
from acp_tui.rewind.checkpoint import ChangeType, CheckpointKind, Reason
from acp_tui.rewind.store import Checkpoints
from acp_tui.ui.rewind.file_parts import (
    PLANNED,
    Changed,
    file_parts,
    format_sums,
    height_of,
    read_diffs,
)

NO_WORDS: Mapping[ChangeType, str] = {}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(limits, "LINE_COUNT_TIMEOUT", 60.0)
    folder = tmp_path / "project"
    subprocess.run(["git", "init", "-q", folder], check=True)
    for name in ("gone.txt", "long.txt", "run.sh", "text.txt"):
        (folder / name).write_text("old\n")
    return folder


def changed(folder: Path) -> Changed:
    store = Checkpoints.of(folder, folder.parent / "state", anywhere=False)
    assert store is not None
    before = store.make_checkpoint(Reason(CheckpointKind.TURN, "x")).tree
    (folder / "gone.txt").unlink()
    (folder / "new.txt").write_text("new\n")
    (folder / "text.txt").write_text("new\n")
    (folder / "long.txt").write_text("longer\n" * 9)
    (folder / "run.sh").chmod(0o755)
    after, _ = store.now()
    return read_diffs(store, store.changes(before, after))


def texts(found: Changed) -> dict[str, tuple[str | None, str]]:
    return {one.path: (one.old_text, one.new_text) for one in found.diffs.values()}


def test_both_texts_are_read_of_files_whose_texts_differ(folder: Path) -> None:
    found = changed(folder)
    assert len(found.changes) == 5
    assert texts(found) == {
        "gone.txt": ("old\n", ""),
        "long.txt": ("old\n", "longer\n" * 9),
        "new.txt": (None, "new\n"),
        "text.txt": ("old\n", "new\n"),
    }


def test_texts_are_shown_whose_lines_nobody_counted_in_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LINE_COUNT_TIMEOUT", -1.0)
    (folder / "long.txt").write_bytes(b"\0")
    found = changed(folder)
    assert set(texts(found)) == {"gone.txt", "new.txt", "text.txt"}
    assert format_sums(found.changes) == ("", "")
    assert "M text.txt  not counted" in drawn(found)


def test_what_is_no_count_is_no_count(folder: Path) -> None:
    changes = changed(folder).changes
    assert format_sums(changes) == ("+11", "−3")


def drawn(found: Changed, words: Mapping[ChangeType, str] = NO_WORDS) -> str:
    """Return the rows of the files as text, without their diffs."""
    parts = file_parts(found, words)[: len(found.changes)]
    for part in parts:
        while not part.lines.lay_out(80, 0.0):
            pass
    return "\n".join(part.lines.plain(0) for part in parts)


def test_what_differs_and_what_a_rewind_would_do_is_said_in_words(folder: Path) -> None:
    store = Checkpoints.of(folder, folder.parent / "state", anywhere=False)
    assert store is not None
    before = store.make_checkpoint(Reason(CheckpointKind.TURN, "x")).tree
    (folder / "made").touch()
    after, _ = store.now()
    assert drawn(read_diffs(store, store.changes(before, after))) == "A made  empty"
    one = read_diffs(store, store.changes(after, before))
    assert drawn(one, PLANNED) == "D made  empty  is deleted"  # and called no new file

    (folder / "made").write_text("one\n")
    after, _ = store.now()
    one = read_diffs(store, store.changes(before, after))
    assert drawn(one) == "made  new file  +1 −0"
    one = read_diffs(store, store.changes(after, before))
    assert drawn(one, PLANNED) == "made  deleted  +0 −1"  # it is called so once

    (folder / "empty").touch()
    (folder / "run.sh").chmod(0o755)
    (folder / "picture").write_bytes(b"\0\1")
    (folder / "text.txt").write_text("new\n")
    after, _ = store.now()
    assert drawn(read_diffs(store, store.changes(before, after))).splitlines() == [
        "A empty  empty",
        "A made  +1 −0",
        "A picture  not a text",
        "M run.sh  the permission to run",
        "M text.txt  +1 −1",
    ]
    assert drawn(read_diffs(store, store.changes(after, before)), PLANNED).splitlines() == [
        "D empty  empty  is deleted",
        "D made  +0 −1  is deleted",
        "D picture  not a text  is deleted",
        "M run.sh  the permission to run  is put back",
        "M text.txt  +1 −1  is put back",
    ]


@pytest.mark.parametrize(
    ("limit", "value", "wanted"),
    [
        ("LARGEST", 20, {"gone.txt", "new.txt", "text.txt"}),
        ("MOST_DIFF_BYTES", 20, {"gone.txt"}),
        ("FILES", 2, {"gone.txt", "long.txt"}),
    ],
)
def test_not_too_much_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, wanted: set[str]
) -> None:
    monkeypatch.setattr(f"acp_tui.ui.rewind.file_parts.{limit}", value)
    found = changed(folder)
    assert set(texts(found)) == wanted
    assert len(found.changes) == 5


def test_there_is_room_for_all_that_is_shown(folder: Path) -> None:
    found = changed(folder)
    shown = 0
    for part in file_parts(found, {}):
        while not part.lines.lay_out(80, 0.0):
            pass
        shown += part.gap + part.lines.height
    assert 0 < shown <= height_of(found.changes)
