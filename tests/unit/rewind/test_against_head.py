"""What differs from the last commit, with both texts, and hunks in the index."""

from pathlib import Path

import pytest

from acp_tui.edits.hunks import LineHunk, format_patch
from acp_tui.git.objects import GitError
from acp_tui.rewind import against_head
from acp_tui.rewind.against_head import (
    HeadCommit,
    HeadDifference,
    Version,
    on_disk,
    seems_in_repository,
)
from acp_tui.store.same_folder import SameFolder
from tests.unit.rewind.conftest import Scene

OLD = "".join(f"{number}\n" for number in range(20))


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    made = Scene(tmp_path / "work", tmp_path / "state")
    made.write("sub/a.txt", OLD)
    made.write("gone.txt", "x\n")
    made.write(".gitignore", "ignored\n")
    made.commit()
    return made


def test_changed_new_and_deleted_files_are_listed_with_their_texts(scene: Scene) -> None:
    scene.write("sub/a.txt", OLD.replace("7\n", "seven\n"))
    (scene.top / "gone.txt").unlink()
    scene.write("new ü.txt", "fresh")
    scene.write("ignored", "x")
    scene.write("picture", b"\x00\xff")
    head = HeadCommit(SameFolder(scene.top / "sub"))
    assert head.changed() == {
        "sub/a.txt": HeadDifference("M", (2, 2)),
        "gone.txt": HeadDifference("D", (0, 1)),
        "new ü.txt": HeadDifference("A", (1, 0)),
        "picture": HeadDifference("A", None),
    }
    assert head.versions("gone.txt") == (Version("x\n"), Version(None))
    assert head.versions("new ü.txt") == (Version(None), Version("fresh"))
    assert head.versions("picture")[1] == Version(None, "it is no text")


def test_a_change_of_line_ends_counts_no_lines(scene: Scene) -> None:
    scene.write("sub/a.txt", OLD.replace("\n", "\r\n"))
    head = HeadCommit(SameFolder(scene.top))
    (change,) = head.changed().values()
    assert (change.letter, change.lines, change.note) == ("M", (0, 0), "only line ends differ")
    scene.write("sub/a.txt", OLD.replace("\n", "\r\n").replace("7", "seven"))
    (change,) = head.changed().values()
    assert (change.note, change.lines is not None and sum(change.lines) > 0) == ("", True)
    scene.write("sub/a.txt", OLD)
    (scene.top / "sub" / "a.txt").chmod(0o755)
    (change,) = head.changed().values()
    assert "line ends" not in change.note


def test_a_repository_is_seen_without_git(scene: Scene, tmp_path: Path) -> None:
    assert seems_in_repository(str(scene.top / "sub"))
    assert not seems_in_repository(str(tmp_path))


def test_of_many_new_files_only_some_are_counted(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(against_head, "MOST_COUNTED", 1)
    for name in "ab":
        scene.write(name, "one\ntwo\n")
    found = HeadCommit(SameFolder(scene.top)).changed()
    assert found == {"a": HeadDifference("A", (2, 0)), "b": HeadDifference("A", None)}


def test_before_the_first_commit_all_is_new(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "fresh", tmp_path / "state")
    scene.write("a", "x")
    scene.git("add", ".")
    head = HeadCommit(SameFolder(scene.top))
    assert head.changed() == {"a": HeadDifference("A", (1, 0))}
    assert head.versions("a") == (Version(None), Version("x"))


def test_a_hunk_is_staged_alone_and_taken_out_again(scene: Scene) -> None:
    new = OLD.replace("3\n", "three\n", 1).replace("17\n", "seventeen\n")
    scene.write("sub/a.txt", new)
    head = HeadCommit(SameFolder(scene.top))
    one, other = [
        format_patch("sub/a.txt", OLD, new, [LineHunk(at, at + 1, at, at + 1)]) for at in (3, 17)
    ]
    head.stage(other)
    assert head.is_staged(other)
    assert not head.is_staged(one)
    assert "+seventeen" in scene.git("diff", "--cached")
    assert "+three" not in scene.git("diff", "--cached")
    head.stage(one)
    head.stage(other, unstage=True)
    assert "+three" in scene.git("diff", "--cached")
    assert "+seventeen" not in scene.git("diff", "--cached")
    assert (scene.top / "sub/a.txt").read_text() == new
    with pytest.raises(GitError):
        head.stage(format_patch("sub/a.txt", "else\n", "x\n", [LineHunk(0, 1, 0, 1)]))


def test_what_takes_the_name_of_the_repository_is_neither_read_nor_staged_into(
    scene: Scene, tmp_path: Path
) -> None:
    scene.write("sub/a.txt", "mine\n")
    head = HeadCommit(SameFolder(scene.top / "sub"))
    other = Scene(tmp_path / "other", tmp_path / "state")
    other.write("sub/a.txt", "theirs\n")
    made = format_patch("sub/a.txt", OLD, "mine\n", [LineHunk(0, 20, 0, 1)])
    with head._git() as git:
        scene.top.rename(tmp_path / "away")
        scene.top.symlink_to(other.top)
        git.run("apply", "--cached", "-", stdin=made.encode())
    with pytest.raises(GitError, match="leads elsewhere"):
        head.stage(made)
    with pytest.raises(GitError, match="leads elsewhere"):
        head.versions("sub/a.txt")
    assert other.git("ls-files", "--cached") == ""
    scene.top = tmp_path / "away"
    assert "+mine" in scene.git("diff", "--cached"), "an open folder goes by another name"


def test_a_folder_that_was_swapped_before_is_in_no_repository(scene: Scene, tmp_path: Path) -> None:
    shown = SameFolder(scene.top / "sub")
    (scene.top / "sub").rename(tmp_path / "away")
    (scene.top / "sub").mkdir()
    with pytest.raises(GitError, match="leads elsewhere"):
        HeadCommit(shown)


def test_what_is_no_text_or_too_large_is_told(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(against_head, "LARGEST_TEXT_FILE", 10)
    (scene.top / "link").symlink_to("sub/a.txt")
    large = f"it is too large to be shown: {len(OLD)} bytes"
    head = HeadCommit(SameFolder(scene.top))
    assert head.versions("sub/a.txt") == (Version(None, large), Version(None, large))
    assert on_disk(scene.top / "link") == Version(None, "it is a link")
    assert on_disk(scene.top / "sub") == Version(None, "it is no file")
    assert on_disk(scene.top / "sub/a.txt/b").trouble == ""


def test_without_a_repository_there_is_no_last_commit(tmp_path: Path) -> None:
    with pytest.raises(GitError):
        HeadCommit(SameFolder(tmp_path))
