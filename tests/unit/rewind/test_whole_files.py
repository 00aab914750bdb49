"""Files as wholes against the last commit: as a patch for git, and in its index."""

import subprocess
from pathlib import Path

import pytest

from acp_tui.edits.hunks import LineHunk, format_patch
from acp_tui.git.objects import GitError
from acp_tui.rewind.against_head import HeadCommit, IndexDiffersError, Version
from acp_tui.store.same_folder import SameFolder
from tests.examples import parametrize
from tests.unit.rewind.conftest import Scene

MOST = 1_000_000
LATIN = "Stra\xdfe\n".encode("latin-1")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """A repository in which everything that can happen to a file has happened."""
    made = Scene(tmp_path / "work", tmp_path / "state")
    made.write("mode.sh", "true\n")
    made.write("sub/less.sh", "true\n").chmod(0o755)
    made.write("both.sh", "true\n")
    made.write("gone.txt")
    made.write("gone.sh", "exit\n").chmod(0o755)
    made.write("emptied.txt")
    made.write("crlf.txt", "a\r\nb\r\n")
    made.write("no end.txt", "a\nb")
    made.write('odd "name" ü\\.txt')
    made.write("latin.txt", LATIN)
    made.write("picture.bin", b"\0\1\2" * 50)
    made.write("old.txt", "".join(f"{one}\n" for one in range(40)))
    made.write("was a file", "text\n")
    made.write("moved away.txt", "".join(f"line {one}\n" for one in range(40)))
    (made.top / "link").symlink_to("gone.txt")
    (made.top / "was a link").symlink_to("old.txt")
    made.commit()
    return made


def change_all(scene: Scene) -> None:
    """Let everything happen that can happen to a file."""
    top = scene.top
    (top / "mode.sh").chmod(0o755)
    (top / "sub/less.sh").chmod(0o644)
    scene.write("both.sh", "false\n").chmod(0o755)
    (top / "gone.txt").unlink()
    (top / "gone.sh").unlink()
    scene.write("emptied.txt", "")
    scene.write("crlf.txt", "a\r\nB\r\n")
    scene.write("no end.txt", "a\nB")
    scene.write('odd "name" ü\\.txt', "b\n")
    scene.write("latin.txt", LATIN * 2)
    scene.write("picture.bin", b"\0\3\2" * 60)
    scene.git("mv", "old.txt", "new name.txt")
    scene.write("new name.txt", "".join(f"{one}\n" for one in range(41)))
    (top / "moved away.txt").rename(top / "moved here.txt")
    for name, place in {"link": "nowhere", "was a file": "mode.sh", "new link": "sub"}.items():
        (top / name).unlink(missing_ok=True)
        (top / name).symlink_to(place)
    (top / "was a link").unlink()
    scene.write("was a link", "a file\n")
    scene.write("new.txt", "fresh\n")
    scene.write("new empty.txt", "")
    scene.write("new latin.txt", LATIN)
    scene.write("new.bin", b"\0\xff")
    scene.write("new.sh", "true\n").chmod(0o755)
    scene.write("sub/new äß.txt", "no end")


def modes(top: Path) -> dict[str, int]:
    return {
        str(one.relative_to(top)): one.lstat().st_mode
        for one in top.rglob("*")
        if ".git" not in one.relative_to(top).parts
    }


def test_git_applies_a_patch_of_all_that_can_happen_to_files(scene: Scene, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    scene.git("clone", "-q", ".", str(fresh))
    change_all(scene)
    before = scene.git("status", "--porcelain")
    head = HeadCommit(SameFolder(scene.top))
    made, left_out = head.patch_of(sorted(head.changed()), MOST)
    assert left_out == []
    assert scene.git("status", "--porcelain") == before, "its own index stays"
    given = f"{made}-- \nacp-tui".encode("utf-8", "surrogateescape")
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=fresh, input=given, check=True)
    other = Scene.__new__(Scene)
    other.top = fresh
    assert other.files() == scene.files()
    assert modes(fresh) == modes(scene.top)


@parametrize(2, "name", ["mode.sh", "link", "new empty.txt", "picture.bin", "latin.txt"])
def test_git_applies_a_patch_that_ends_with_any_of_them(
    scene: Scene, tmp_path: Path, name: str
) -> None:
    fresh = tmp_path / "fresh"
    scene.git("clone", "-q", ".", str(fresh))
    change_all(scene)
    made, _ = HeadCommit(SameFolder(scene.top)).patch_of([name], MOST)
    given = f"{made}-- \nacp-tui".encode("utf-8", "surrogateescape")
    subprocess.run(["git", "apply", "-"], cwd=fresh, input=given, check=True)
    assert modes(fresh)[name] == modes(scene.top)[name]


def test_the_settings_of_a_person_make_it_no_other_patch(scene: Scene, tmp_path: Path) -> None:
    Path(tmp_path, "home", ".gitconfig").write_text(
        "[diff]\n noprefix = true\n renames = copies\n external = false\n mnemonicPrefix = true\n"
        "[color]\n ui = always\n"
    )
    change_all(scene)
    made, _ = HeadCommit(SameFolder(scene.top)).patch_of(["mode.sh", "crlf.txt"], MOST)
    assert "diff --git a/mode.sh b/mode.sh\nold mode 100644\nnew mode 100755\n" in made
    assert "--- a/crlf.txt\n+++ b/crlf.txt\n" in made


def test_what_is_too_much_or_a_repository_of_its_own_is_left_out(scene: Scene) -> None:
    scene.write("large.txt", "x" * 500)
    scene.write("small.txt", "y\n")
    scene.git("init", "-q", "inner")
    scene.write("inner/file")
    (scene.top / "gone.txt").unlink()
    head = HeadCommit(SameFolder(scene.top))
    (scene.top / "small.txt").rename(scene.top / "else.txt")
    paths = ["gone.txt", "inner/", "large.txt", "small.txt", "else.txt"]
    made, left_out = head.patch_of(paths, 100)
    assert left_out == ["inner/", "large.txt"]
    assert "+y" in made
    assert "b/small.txt" not in made, "gone since it was listed"


def test_any_file_is_staged_as_it_is_and_taken_out_again(scene: Scene) -> None:
    change_all(scene)
    head = HeadCommit(SameFolder(scene.top))
    paths = sorted(head.changed())
    scene.git("add", "new.txt")
    scene.write("new.txt", "changed since it was added\n")
    scene.git("add", "--intent-to-add", "new empty.txt")
    moved = "old.txt"  # by `git mv`, which removes it from the index, too
    for path in set(paths) - {moved}:
        assert head.toggle_file(path), path
    assert scene.git("ls-files", "--others", "-m", "--deleted") == ""
    index = scene.git("ls-files", "-s")
    scene.git("add", "-A")
    assert scene.git("ls-files", "-s") == index, "as git itself adds them"
    for path in paths:
        assert not head.toggle_file(path), path
    assert scene.git("diff", "--cached", "--name-only") == ""


def test_a_file_is_staged_only_as_it_is_shown(scene: Scene) -> None:
    scene.write("new.txt", "later\n")
    head = HeadCommit(SameFolder(scene.top))
    with pytest.raises(GitError, match="isn't what is shown"):
        head.toggle_file("new.txt", Version("earlier\n"))
    assert scene.git("diff", "--cached", "--name-only") == ""
    assert head.toggle_file("new.txt", Version("later\n"))


def test_a_change_of_lines_that_the_index_has_otherwise_is_told(scene: Scene) -> None:
    scene.write("emptied.txt", "other\n")
    scene.git("add", "emptied.txt")
    with pytest.raises(IndexDiffersError, match="something else there"):
        HeadCommit(SameFolder(scene.top)).stage(
            format_patch("emptied.txt", "a\n", "b\n", [LineHunk(0, 1, 0, 1)])
        )


def test_what_lines_do_not_show_is_told_of_a_file(scene: Scene) -> None:
    change_all(scene)
    notes = {path: one.note for path, one in HeadCommit(SameFolder(scene.top)).changed().items()}
    assert {path: note for path, note in notes.items() if note} == {
        "mode.sh": "now a program",
        "both.sh": "now a program",
        "sub/less.sh": "no longer a program",
        "gone.sh": "a program",
        "new.sh": "a program",
        "link": "a link",
        "new link": "a link",
        "was a file": "now a link",
        "was a link": "now a file",
        "old.txt": "renamed to new name.txt",
        "new name.txt": "renamed from old.txt",
        "moved away.txt": "renamed to moved here.txt",
        "moved here.txt": "renamed from moved away.txt",
    }


def test_neither_a_submodule_s_settings_nor_a_person_s_change_what_a_patch_is(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    inner = Scene(scene.top / "inner", tmp_path / "other state")
    inner.write("x", "one\n")
    inner.commit()
    scene.git("add", "inner")
    scene.commit()
    inner.write("x", "two\n")
    inner.commit()
    obeyed = tmp_path / "obeyed"
    inner.git("config", "diff.external", f"touch {obeyed}; true")
    scene.write("old.txt", "first\n" + "".join(f"{one}\n" for one in range(40)))
    scene.git("config", "--file", str(tmp_path / "own"), "diff.submodule", "diff")
    for name, value in {"diff.context": "0", "diff.orderFile": "/nowhere"}.items():
        scene.git("config", "--file", str(tmp_path / "own"), name, value)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "own").rename(tmp_path / ".gitconfig")
    head = HeadCommit(SameFolder(scene.top))
    made, left_out = head.patch_of(sorted(head.changed()), MOST)
    assert "+Subproject commit" in made
    assert "@@ -1,3 +1,4 @@" in made
    assert not left_out
    assert not obeyed.exists()


def test_a_name_that_git_does_not_take_hides_no_other_change(scene: Scene) -> None:
    (scene.top / "gone.txt").unlink()
    scene.write("git~1", "x\n")
    head = HeadCommit(SameFolder(scene.top))
    assert sorted(head.changed()) == ["git~1", "gone.txt"]
    made, left_out = head.patch_of(["git~1", "gone.txt"], MOST)
    assert "--- a/gone.txt" in made
    assert left_out == ["git~1"]
    with pytest.raises(GitError, match="git doesn't take it"):
        head.toggle_file("git~1")


def test_a_conflict_is_not_ended_by_staging(scene: Scene) -> None:
    scene.diverge("emptied.txt")
    subprocess.run(["git", "merge", "-q", "other"], cwd=scene.top, capture_output=True)
    index = scene.git("ls-files", "--unmerged")
    assert index
    with pytest.raises(GitError, match="in conflict"):
        HeadCommit(SameFolder(scene.top)).toggle_file("emptied.txt")
    assert scene.git("ls-files", "--unmerged") == index


def test_what_git_is_told_to_take_for_the_last_commit_is_not_taken_for_it(scene: Scene) -> None:
    head = HeadCommit(SameFolder(scene.top))
    scene.write("emptied.txt", "evil\n")
    scene.git("add", "emptied.txt")
    made = scene.git("commit-tree", scene.git("write-tree").strip(), "-m", "other").strip()
    scene.git("reset", "-q")
    scene.git("replace", scene.git("rev-parse", "HEAD").strip(), made)
    assert "emptied.txt" in head.changed()
