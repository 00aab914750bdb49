"""What a person has in a repository stays as it is, whatever state it is in."""

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

from acp_tui.git.objects import CheckpointError
from acp_tui.rewind import limits, store
from acp_tui.rewind.checkpoint import ChangeType, CheckpointKind, Reason
from acp_tui.rewind.store import Checkpoints, changed_since
from tests.unit.rewind.conftest import RETURN, TURN, Scene


def everything_of(scene: Scene) -> dict[str, bytes]:
    """All of the repository's own files but objects, and refs of ours."""
    folder = scene.top / ".git"
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).parts[0] != "objects"
        if path.relative_to(folder).parts[:2] != ("refs", "acp-tui")
    }


def in_a_rebase(scene: Scene) -> None:
    scene.diverge("a")
    subprocess.run(["git", "rebase", "-q", "other"], cwd=scene.top, capture_output=True)
    assert (scene.top / ".git/rebase-merge").exists()


def intending_to_add(scene: Scene) -> None:
    scene.write("intended")
    scene.git("add", "-N", "intended")


def staged_and_changed_again(scene: Scene) -> None:
    scene.write("a", "staged\n")
    scene.git("add", "a")
    scene.write("a", "and not\n")
    scene.git("rm", "-q", "--cached", "b")
    scene.git("stash", "-q")
    scene.write("a", "dirty\n")


@pytest.mark.parametrize("prepare", [in_a_rebase, intending_to_add, staged_and_changed_again])
def test_index_branches_reflog_and_stash_are_untouched(
    scene: Scene, prepare: Callable[[Scene], None]
) -> None:
    scene.write("a", "1\n")
    scene.write("b", "1\n")
    scene.commit()
    scene.git("config", "core.logAllRefUpdates", "always")
    prepare(scene)
    scene.git("status", "--short")  # it refreshes the index for itself
    before, files = everything_of(scene), scene.files()
    scene.store.make_checkpoint(TURN)
    scene.write("b", "agent\n")
    scene.write("c", "agent\n")
    scene.back()
    assert scene.files() == files
    assert everything_of(scene) == before
    assert scene.git("fsck", "--strict") == ""


def test_no_program_of_the_settings_is_run(scene: Scene, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 $* >> {ran}\ncat\n")
    program.chmod(0o755)
    scene.write("a.bin", "content\r\n")
    scene.commit()
    scene.write(".gitattributes", "* filter=ours diff=ours text eol=crlf ident\n")
    for name in (
        "filter.ours.clean",
        "filter.ours.smudge",
        "filter.ours.process",
        "diff.ours.textconv",
        "diff.external",
        "core.fsmonitor",
        "gpg.program",
    ):
        scene.git("config", name, str(program))
    for name in ("filter.ours.required", "commit.gpgSign", "core.autocrlf"):
        scene.git("config", name, "true")
    hooks = scene.top / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("reference-transaction", "post-index-change", "pre-commit", "post-checkout"):
        (hooks / name).write_bytes(program.read_bytes())
        (hooks / name).chmod(0o755)
    files = scene.files()
    scene.store.warm_up()
    scene.store.make_checkpoint(TURN)
    scene.write("a.bin", "$Id$ changed\n")
    scene.back()
    assert scene.files() == files
    assert not ran.exists()


def test_variables_of_git_lead_nowhere_else(
    scene: Scene, scenes: Callable[[str], Scene], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = scenes("other")
    scene.write("a", "1")
    for name, value in {
        "GIT_DIR": other.top / ".git",
        "GIT_WORK_TREE": other.top,
        "GIT_INDEX_FILE": other.top / "index",
        "GIT_OBJECT_DIRECTORY": other.top / "objects",
    }.items():
        monkeypatch.setenv(name, str(value))
    scene.store.make_checkpoint(TURN)
    scene.write("a", "2")
    scene.back()
    assert scene.files() == {"a": b"1"}
    assert other.files() == {}
    assert not (other.top / ".git/refs/acp-tui").exists()


def test_a_worktree_has_its_own_and_leaves_the_main_one_alone(scene: Scene, tmp_path: Path) -> None:
    scene.write("a", "1")
    scene.commit()
    scene.git("worktree", "add", "-q", str(tmp_path / "tree"))
    tree = Checkpoints.of(tmp_path / "tree", scene.state, anywhere=False)
    assert tree is not None
    tree.make_checkpoint(TURN)
    assert scene.store.list() == []
    (tmp_path / "tree/a").write_text("2")
    plan = tree.plan(tree.list()[0])
    assert [one.shown for one in plan.changes] == ["a"]


def test_a_bare_repository_has_no_files_to_keep(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "bare"], check=True)
    assert Checkpoints.of(tmp_path / "bare", tmp_path / "state", anywhere=False) is None


def test_other_ids_than_usual_are_no_matter(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    subprocess.run(["git", "init", "-q", "--object-format=sha256", folder], check=True)
    (folder / "a").write_text("1")
    store = Checkpoints.of(folder, tmp_path / "state", anywhere=False)
    assert store is not None
    assert len(store.make_checkpoint(TURN).tree) == 64


def test_what_is_tracked_though_it_is_ignored_is_kept(scene: Scene) -> None:
    scene.write("forced.log", "1")
    scene.git("add", "forced.log")
    scene.git("commit", "-q", "-m", "forced")
    scene.write(".gitignore", "*.log")
    scene.store.make_checkpoint(TURN)
    scene.write("forced.log", "2")
    scene.back()
    assert scene.files()["forced.log"] == b"1"


def test_repositories_inside_big_files_and_pipes_are_left_out_and_named(scene: Scene) -> None:
    scene.write("inner/a", "1")
    scene.git("init", "-q", "inner")
    os.mkfifo(scene.top / "pipe")
    scene.write("big", b"\0" * 20_000_001)
    empty = scene.store.now()[0]
    scene.write("small", b"\0\xff" * 1000)
    kept = scene.store.make_checkpoint(TURN)
    assert kept.left_out.names == (
        ("big", "20.0 MB, over 20.0 MB"),
        ("inner/", "a repository of its own"),
    )
    assert [one.shown for one in scene.store.changes(empty, kept.tree)] == ["small"]
    before = scene.files()
    scene.write("inner/a", "2")
    scene.write("small", b"\0\xfe")
    scene.back()
    assert scene.files() == {**before, "inner/a": b"2"}


def test_too_much_that_git_does_not_have_is_refused(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_NEW_FILES", 10)
    for number in range(20):
        scene.write(f"{number}")
    scene.commit()
    scene.store.make_checkpoint(TURN)  # git has them all
    for number in range(20, 40):
        scene.write(f"{number}")
    with pytest.raises(CheckpointError, match="too much: 20 files"):
        scene.store.make_checkpoint(TURN)


def test_the_oldest_are_deleted_and_git_collects_them(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_CHECKPOINTS", 3)
    for number in range(5):
        scene.write("a", f"{number}")
        scene.store.make_checkpoint(TURN)
    assert len(scene.store.list()) == 3
    scene.git("gc", "-q", "--prune=now")
    assert scene.git("fsck", "--unreachable", "--no-reflogs") == ""
    assert scene.git("count-objects", "-v").count("in-pack: 9\n") == 1  # three of each
    monkeypatch.setattr(limits, "CHECKPOINT_DAYS", -1)
    scene.store.warm_up()
    assert scene.store.list() == []


def test_no_ref_but_a_checkpoint_is_ever_deleted(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.write("a")
    scene.commit()
    key = "refs/acp-tui/" + "0" * 24
    old = f"{key}/{'0' * 17}-{'a' * 8}"
    link = f"{key}/{'0' * 17}-{'b' * 8}"
    others = {
        old,  # not signed by us
        link,
        "refs/acp-tui/races/20260101-000000/3",
        "refs/acp-tui/races/20260101-000000/4-turbo",
        f"refs/acp-tui/races/{'0' * 17}-{'a' * 8}",
        "refs/acp-tui/17/kept-by-a-person",
        f"{key}/more/{'0' * 17}-{'a' * 8}",
        f"{key}/{'0' * 17}-{'a' * 8}-mine",
        f"refs/acp-tui/{'A' * 24}/{'0' * 17}-{'a' * 8}",
    }
    for ref in others - {link}:
        scene.git("update-ref", ref, "HEAD")
    scene.git("symbolic-ref", link, "refs/heads/main")
    monkeypatch.setattr(limits, "MOST_CHECKPOINTS", 1)
    scene.store.make_checkpoint(TURN)
    newest = scene.store.make_checkpoint(TURN)
    scene.store.warm_up()
    told = scene.git("for-each-ref", "--format=%(refname)").split()
    assert set(told) == {*others, newest.ref, "refs/heads/main"}


def test_collecting_garbage_leaves_what_is_kept(scene: Scene) -> None:
    scene.write("a", "only in a checkpoint")
    scene.store.make_checkpoint(TURN)
    scene.write("a", "2")
    scene.git("gc", "-q", "--prune=now", "--aggressive")
    scene.back()
    assert scene.files() == {"a": b"only in a checkpoint"}


def test_two_programs_at_once_keep_all(scene: Scene) -> None:
    for number in range(50):
        scene.write(f"{number}")
    keeps = (
        "import sys; from pathlib import Path; from acp_tui.rewind.store import Checkpoints;"
        "from acp_tui.rewind.checkpoint import *;"
        "s = Checkpoints.of(Path(sys.argv[1]), Path(sys.argv[2]), anywhere=False);"
        "[s.make_checkpoint(Reason(CheckpointKind.TURN, 'other')) for _ in range(5)]"
    )
    other = subprocess.Popen([sys.executable, "-c", keeps, scene.top, scene.state])
    here = [threading.Thread(target=scene.store.make_checkpoint, args=(TURN,)) for _ in range(5)]
    for one in here:
        one.start()
    for one in here:
        one.join()
    assert other.wait() == 0
    kept = scene.store.list()
    assert len(kept) == 10
    assert len({one.tree for one in kept}) == 1


def test_a_run_that_was_killed_leaves_nothing_in_the_way(scene: Scene) -> None:
    scene.write("a")
    scene.store.make_checkpoint(TURN)
    [place] = [lock.parent for lock in scene.state.glob("*/lock")]
    (place / "index.lock").touch()
    (place / "index").write_bytes((place / "index").read_bytes()[:20])
    scene.store.make_checkpoint(TURN)
    assert len(scene.store.list()) == 2


def test_our_own_state_inside_the_folder_is_no_work_of_anybody(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "project", tmp_path / "project" / ".state" / "checkpoints")
    empty = scene.store.now()[0]
    scene.write("a", "1")
    kept = scene.store.make_checkpoint(TURN)
    changes = scene.store.changes(empty, kept.tree)
    assert [one.shown for one in changes] == ["a"]


def test_a_repository_whose_name_has_a_line_break_is_told(
    scenes: Callable[[str], Scene],
) -> None:
    with pytest.raises(CheckpointError, match="has a line break"):
        assert scenes("a\nb").store


def test_a_folder_that_git_ignores_as_a_whole_is_told(scene: Scene) -> None:
    scene.write(".gitignore", "*\n")
    scene.write("project/a")
    store = Checkpoints.of(scene.top / "project", scene.state, anywhere=False)
    assert store is not None
    with pytest.raises(CheckpointError, match="git ignores this whole folder"):
        store.make_checkpoint(TURN)


def test_an_empty_folder_is_kept_as_such(scene: Scene) -> None:
    scene.store.make_checkpoint(TURN)
    scene.write("new")
    scene.back()
    assert scene.files() == {}


def test_what_git_has_only_pointers_to_counts_as_new(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.git("config", "filter.large.clean", "echo pointer; cat >/dev/null")
    scene.write(".gitattributes", "*.bin filter=large\n")
    for number in range(10):
        scene.write(f"{number}.bin", b"\0" * 1000)
    scene.commit()
    monkeypatch.setattr(limits, "MOST_NEW_BYTES", 5000)
    with pytest.raises(CheckpointError, match=r"too much: 10 files \(10\.0 kB\)"):
        scene.store.make_checkpoint(TURN)


def test_a_repository_whose_files_are_elsewhere_is_left_alone(
    scene: Scene, scenes: Callable[[str], Scene]
) -> None:
    scene.git("config", "core.worktree", str(scenes("other").top))
    with pytest.raises(CheckpointError, match="elsewhere"):
        Checkpoints.of(scene.top, scene.state, anywhere=False)


def test_names_of_no_folder_are_told_as_errors(tmp_path: Path) -> None:
    for folder in (tmp_path / "missing", Path("a\0b")):
        with pytest.raises(CheckpointError):
            Checkpoints.of(folder, tmp_path / "state", anywhere=True)


def test_what_git_collected_before_a_turn_is_read_again(scene: Scene) -> None:
    scene.write("folder/a", "nobody else has it")
    scene.store.warm_up()  # no ref keeps that
    scene.git("gc", "-q", "--prune=now")
    assert scene.git("count-objects").startswith("0 objects")
    scene.store.make_checkpoint(TURN)
    scene.write("folder/a", "2")
    scene.back()
    assert scene.files() == {"folder/a": b"nobody else has it"}
    assert scene.git("fsck", "--strict") == ""


def test_nothing_is_restored_into_another_folder_than_the_one_that_was_shown(
    scene: Scene, tmp_path: Path
) -> None:
    scene.write("a.txt", "evil")
    store = scene.store
    store.make_checkpoint(TURN)
    scene.write("a.txt", "safe")
    plan = store.plan(store.list()[0])
    copytree(scene.top, tmp_path / "outside")
    scene.top.rename(tmp_path / "away")
    scene.top.symlink_to(tmp_path / "outside")
    outcome = store.restore(plan, RETURN)
    assert (outcome.done, outcome.skipped) == (0, (("a.txt", "it leads elsewhere now"),))
    assert (tmp_path / "outside" / "a.txt").read_text() == "safe"


def test_only_the_folder_of_the_session_is_kept_not_all_of_its_repository(scene: Scene) -> None:
    scene.write("beside", "1")
    scene.write("sub/.keep", "")
    scene.write("sub/a", "1")
    store = Checkpoints.of(scene.top / "sub", scene.state, anywhere=False)
    assert store is not None
    store.make_checkpoint(Reason(CheckpointKind.TURN, "In a part", "s", 3))
    scene.write("beside", "2")
    scene.write("sub/a", "2")
    [kept] = store.list()
    assert kept.reason == Reason(CheckpointKind.TURN, "In a part", "s", 3)
    plan = store.plan(kept)
    assert [one.shown for one in plan.changes] == ["sub/a"]
    store.restore(plan, RETURN)
    assert scene.files() == {"beside": b"2", "sub/.keep": b"", "sub/a": b"1"}


def test_what_changed_since_a_turn_began_is_read_from_its_tree(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.write(".gitignore", "ignored\n")
    for name in ("kept", "changed", "deleted", "grows"):
        scene.write(name, "1")
    store = scene.store
    before = store.make_checkpoint(TURN)
    assert changed_since(store, before.tree)[0] == ()
    scene.write("changed", "2")
    scene.write("ignored", "2")
    scene.write("new", "2")
    scene.write("grows", "2" * 20)
    (scene.top / "deleted").unlink()
    monkeypatch.setattr(limits, "LARGEST_STORED_FILE", 10)  # leaves out `grows`, which still exists
    found = {one.shown: one.change_type for one in changed_since(store, before.tree)[0]}
    assert found == {
        "changed": ChangeType.CHANGED,
        "deleted": ChangeType.DELETED,
        "new": ChangeType.CREATED,
    }


def test_a_lock_that_another_program_never_lets_go_of_is_named(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.write("a")
    scene.store.make_checkpoint(TURN)
    [lock] = scene.state.glob("*/lock")
    monkeypatch.setattr(store, "LOCK_TIMEOUT", 0.2)
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(CheckpointError, match=f"another program has had it locked .*{lock}"):
            scene.store.make_checkpoint(TURN)
    assert scene.store.make_checkpoint(TURN).tree
