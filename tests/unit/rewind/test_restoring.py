"""Going back brings all files back, byte by byte, and can itself be taken back."""

import os
from pathlib import Path
from shutil import rmtree

import pytest

from acp_tui.git import gitignore
from acp_tui.git.objects import CheckpointError, NotStorableError
from acp_tui.rewind import limits
from acp_tui.rewind.checkpoint import ChangeType, CheckpointKind, LineCount
from acp_tui.rewind.store import Checkpoints, read_turns
from tests.unit.rewind.conftest import RETURN, TURN, Scene


def test_what_a_turn_changed_made_and_deleted_is_brought_back_and_that_is_taken_back(
    scene: Scene,
) -> None:
    scene.write("kept.txt")
    scene.write("changed.txt", "before\n")
    scene.write("deep/er/gone.txt", "it was here\n")
    before = scene.files()
    scene.store.make_checkpoint(TURN)
    scene.write("changed.txt", "after\nand more\n")
    scene.write("new/of/agent.txt", "x")
    (scene.top / "deep/er/gone.txt").unlink()
    after = scene.files()
    store = scene.store
    plan = store.plan(store.list()[0])
    deeds = {one.shown: (one.change_type, one.added, one.removed) for one in plan.changes}
    assert deeds == {
        "changed.txt": (ChangeType.CHANGED, 1, 2),
        "deep/er/gone.txt": (ChangeType.CREATED, 1, 0),
        "new/of/agent.txt": (ChangeType.DELETED, 0, 1),
    }
    assert scene.files() == after  # planned is not done
    outcome = store.restore(plan, RETURN)
    assert (outcome.done, outcome.skipped) == (3, ())
    assert scene.files() == before
    assert not (scene.top / "new").exists()
    assert store.list()[0] == outcome.before
    assert outcome.before.reason.kind is CheckpointKind.RETURN
    again = store.restore(store.plan(outcome.before), RETURN)
    assert again.skipped == ()
    assert scene.files() == after


def test_strange_names_links_and_modes_come_back(scene: Scene, mask: None) -> None:
    names = [
        b"line\nbreak",
        b"\xff\xfe",
        b" spaces ",
        b'"quoted"\t',
        "übung".encode(),
        b"-n",
    ]
    for name in names:
        (scene.top / os.fsdecode(name)).write_bytes(name)
    (scene.top / "link").symlink_to("/etc/passwd")
    (scene.top / "dangling").symlink_to("nowhere")
    program = scene.write("run.sh", "#!/bin/sh\n")
    program.chmod(0o750)
    (scene.top / "was_a_folder").mkdir()
    scene.write("was_a_folder/inside", "in")
    scene.write("was_a_file", "plain")
    before = scene.files()
    scene.store.make_checkpoint(TURN)
    for name in names:
        (scene.top / os.fsdecode(name)).unlink()
    for name in ("link", "dangling"):
        (scene.top / name).unlink()
    scene.write("link", "a file now")
    (scene.top / "dangling").mkdir()
    scene.write("dangling/inside", "in")
    program.unlink()
    (scene.top / "was_a_folder/inside").unlink()
    (scene.top / "was_a_folder").rmdir()
    (scene.top / "was_a_folder").symlink_to("/tmp")
    (scene.top / "was_a_file").unlink()
    scene.write("was_a_file/below", "deep")
    outcome = scene.back()
    assert outcome.skipped == ()
    assert scene.files() == before
    assert program.stat().st_mode & 0o777 == 0o750
    assert (scene.top / "was_a_file").stat().st_mode & 0o777 == 0o640
    assert Path("/tmp").is_dir()


def test_a_mode_alone_is_brought_back_and_other_permissions_stay(scene: Scene) -> None:
    path = scene.write("run.sh", "#!/bin/sh\n")
    path.chmod(0o600)
    scene.store.make_checkpoint(TURN)
    path.chmod(0o700)
    scene.back()
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_changed_after_it_was_listed_is_left_alone(scene: Scene) -> None:
    scene.write("a", "before")
    scene.write("log", "begun")
    store = scene.store
    store.make_checkpoint(TURN)
    scene.write("a", "after")
    scene.write("log", "goes on")
    plan = store.plan(store.list()[0])
    scene.write("log", "goes on and on")
    scene.write("b", "of a person, just now")
    outcome = store.restore(plan, RETURN)
    assert outcome.skipped == (("log", "it has changed since it was listed"),)
    assert scene.files() == {
        "a": b"before",
        "b": b"of a person, just now",
        "log": b"goes on and on",
    }


def test_ignored_files_are_never_touched(scene: Scene) -> None:
    scene.write(".gitignore", "*.log\nbuild/\n")
    scene.write("build/out", "1")
    scene.store.make_checkpoint(TURN)
    scene.write("build/out", "2")
    scene.write("x.log", "logged")
    scene.write("new", "x")
    outcome = scene.back()
    assert outcome.done == 1
    assert scene.files() == {
        ".gitignore": b"*.log\nbuild/\n",
        "build/out": b"2",
        "x.log": b"logged",
    }


def test_a_file_that_is_not_kept_now_is_not_overwritten(scene: Scene) -> None:
    """It was kept once, and git ignores it by now: its content is in no checkpoint."""
    scene.write("notes", "old")
    scene.store.make_checkpoint(TURN)
    scene.write("notes", "only here")
    scene.write("other", "x")
    scene.write(".gitignore", "other\n")
    store = scene.store
    store.warm_up()
    big = scene.write("notes", b"x" * 21_000_000)
    plan = store.plan(store.list()[0])
    assert plan.unstored == (("notes", "21.0 MB, over 20.0 MB"),)
    assert "notes" not in [one.shown for one in plan.changes]
    outcome = store.restore(plan, RETURN)
    assert big.stat().st_size == 21_000_000
    assert outcome.before.left_out.names == (("notes", "21.0 MB, over 20.0 MB"),)


def test_no_link_leads_a_restore_elsewhere(scene: Scene, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a").write_text("not ours")
    scene.write("folder/a", "ours")
    store = scene.store
    store.make_checkpoint(TURN)
    scene.write("folder/a", "changed")
    plan = store.plan(store.list()[0])
    (scene.top / "folder").rename(tmp_path / "away")
    (scene.top / "folder").symlink_to(outside)
    assert store.restore(plan, RETURN).done == 0
    assert (outside / "a").read_text() == "not ours"
    outcome = store.restore(store.plan(store.list()[-1]), RETURN)
    assert outcome.skipped == ()
    assert (outside / "a").read_text() == "not ours"
    assert scene.files() == {"folder/a": b"ours"}


def test_ignored_files_behind_a_link_in_the_way_stay_and_it_is_said(
    scene: Scene, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    scene.write("folder/a", "ours")
    store = scene.store
    store.make_checkpoint(TURN)
    (scene.top / "folder/a").unlink()
    (scene.top / "folder").rmdir()
    scene.write(".git/info/exclude", "folder\n")
    (scene.top / "folder").symlink_to(outside)
    outcome = store.restore(store.plan(store.list()[0]), RETURN)
    assert [name for name, _ in outcome.skipped] == ["folder/a"]
    assert list(outside.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_that_cant_be_written_is_told_and_the_rest_is_done(scene: Scene) -> None:
    scene.write("closed/a", "1")
    scene.write("open", "1")
    scene.store.make_checkpoint(TURN)
    scene.write("closed/a", "2")
    scene.write("open", "2")
    (scene.top / "closed").chmod(0o500)
    outcome = scene.back()
    (scene.top / "closed").chmod(0o700)
    assert outcome.skipped == (("closed/a", "Permission denied"),)
    assert scene.files() == {"closed/a": b"2", "open": b"1"}


def test_a_folder_without_a_repository_is_kept_only_where_that_is_wanted(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a").write_text("1")
    state = tmp_path / "state"
    assert Checkpoints.of(folder, state, anywhere=False) is None
    store = Checkpoints.of(folder, state, anywhere=True)
    assert store is not None
    store.make_checkpoint(TURN)
    (folder / "a").write_text("2")
    outcome = store.restore(store.plan(store.list()[0]), RETURN)
    assert outcome.done == 1
    assert (folder / "a").read_text() == "1"
    assert [one.name for one in folder.iterdir()] == ["a"]


def plain(tmp_path: Path) -> tuple[Path, Checkpoints]:
    """Make a folder without a repository."""
    folder = tmp_path / "plain"
    folder.mkdir()
    store = Checkpoints.of(folder, tmp_path / "state", anywhere=True)
    assert store is not None
    return folder, store


def test_copies_of_a_folder_without_a_repository_are_for_their_owner_alone(tmp_path: Path) -> None:
    folder, store = plain(tmp_path)
    empty, _ = store.now()
    (folder / ".env").write_text("TOKEN=x")
    store.make_checkpoint(TURN)
    assert [one.shown for one in store.changes(empty, store.now()[0])] == [".env"]
    closed = [tmp_path / "state", *(path.parent for path in tmp_path.glob("state/*/lock"))]
    assert [path.stat().st_mode & 0o777 for path in closed] == [0o700] * 2


def test_copies_of_a_folder_without_a_repository_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, store = plain(tmp_path)
    monkeypatch.setattr(limits, "STORE_BYTES", 300_000)
    sizes = []
    for _ in range(9):
        (folder / "data").write_bytes(os.urandom(50_000))
        store.make_checkpoint(TURN)
        sizes.append(sum(one.stat().st_size for one in (tmp_path / "state").rglob("*/objects/*/*")))
    assert max(sizes) < 350_000
    kept = store.list()
    assert 2 <= len(kept) < 9
    (folder / "data").unlink()
    assert store.restore(store.plan(kept[0]), RETURN).done == 1
    monkeypatch.setattr(limits, "MOST_NEW_FILES", 2)
    for number in range(4):
        (folder / f"{number}").write_text("x")
    with pytest.raises(
        CheckpointError, match=r"too much: .* files .* that no \.gitignore leaves out"
    ):
        store.make_checkpoint(TURN)
    monkeypatch.setattr(limits, "LISTING_TIMEOUT", 0.0)
    with pytest.raises(CheckpointError, match=r"too much: .* took longer"):
        store.make_checkpoint(TURN)


@pytest.mark.parametrize("bound", ["room", "number", "days"])
def test_what_is_gone_back_to_gives_way_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    folder, store = plain(tmp_path)
    (folder / "thesis").write_text("a year of work")
    (folder / "code").write_text("good")
    first = store.make_checkpoint(TURN)
    (folder / "thesis").unlink()
    (folder / "code").write_text("bad")
    for _ in range(3):
        (folder / "data").write_bytes(os.urandom(50_000))
        store.make_checkpoint(TURN)
    (folder / "data").write_bytes(os.urandom(50_000))
    plan = store.plan(first)
    if bound == "room":
        monkeypatch.setattr(limits, "STORE_BYTES", 180_000)
    elif bound == "number":
        monkeypatch.setattr(limits, "MOST_CHECKPOINTS", 3)
    else:
        monkeypatch.setattr(limits, "CHECKPOINT_DAYS", 0)
    outcome = store.restore(plan, RETURN)
    assert outcome.skipped == ()
    assert {one.name: one.read_text() for one in folder.iterdir()} == {
        "thesis": "a year of work",
        "code": "good",
    }
    kept = [one.ref for one in store.list()]
    assert [kept[0], kept[-1]] == [outcome.before.ref, first.ref]
    assert len(kept) < 5
    assert store.restore(store.plan(outcome.before), RETURN).skipped == ()
    assert {one.name for one in folder.iterdir()} == {"code", "data"}
    assert (folder / "code").read_text() == "bad"


def test_no_home_folder_nor_what_it_lies_in_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "link").symlink_to(tmp_path / "home")
    for folder in (Path("/"), tmp_path, tmp_path / "home", tmp_path / "link"):
        with pytest.raises(NotStorableError):
            Checkpoints.of(folder, tmp_path / "state", anywhere=True)
    (tmp_path / "home/project").mkdir()
    assert Checkpoints.of(tmp_path / "home/project", tmp_path / "state", anywhere=True)


def test_what_is_lost_stops_all_before_anything_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a").write_text("1")
    (folder / "b").write_text("1 of b")
    store = Checkpoints.of(folder, tmp_path / "state", anywhere=True)
    assert store is not None
    store.make_checkpoint(TURN)
    (folder / "a").write_text("2")
    (folder / "b").write_text("2 of b")
    plan = store.plan(store.list()[0])
    [lost] = [one.id for one in plan.changes if one.shown == "b"]
    [path] = tmp_path.glob(f"state/*/*/objects/{lost[:2]}/{lost[2:]}")
    path.unlink()
    with pytest.raises(CheckpointError, match="lost"):
        store.restore(plan, RETURN)
    assert (folder / "a").read_text() == "2"


def test_what_was_ignored_then_is_not_deleted_where_the_agent_unignored_it(scene: Scene) -> None:
    scene.write(".gitignore", ".env\nnode_modules/\n")
    scene.write("sub/.gitignore", "/local\n")
    scene.write(".env", "secret")
    scene.write("node_modules/x/index.js", "x")
    scene.write("sub/local", "x")
    scene.store.make_checkpoint(TURN)
    before = scene.files()
    scene.write(".gitignore", "\n")
    (scene.top / "sub/.gitignore").unlink()
    scene.write("new", "of the agent")
    store = scene.store
    plan = store.plan(store.list()[0])
    assert {one.shown for one in plan.preserved} == {".env", "node_modules/x/index.js", "sub/local"}
    assert {one.shown for one in plan.changes} == {".gitignore", "sub/.gitignore", "new"}
    assert store.restore(plan, RETURN).skipped == ()
    assert scene.files() == before


@pytest.mark.parametrize("is_repository", [True, False])
def test_what_is_ignored_by_rules_that_ignore_themselves_is_not_deleted(
    scene: Scene, is_repository: bool
) -> None:
    if not is_repository:
        rmtree(scene.top / ".git")
    rules = {
        ".gitignore": b"\xef\xbb\xbf.env\n.gitignore\n/caf\xe9\n",
        "data/.gitignore": b"*\n",
        "deep/er/.gitignore": b"local\n",
        "deep/er/\udcff/.gitignore": b"*\n",
    }
    ignored = {".env", os.fsdecode(b"caf\xe9"), "data/a.csv", "data/in/b.csv", "deep/er/local/x"}
    ignored.add("deep/er/\udcff/x")
    for name, text in rules.items():
        scene.write(name, text)
    for name in ignored:
        scene.write(name, "never to be measured again")
    scene.write("deep/er/kept", "then")
    scene.store.make_checkpoint(TURN)
    for name in rules:
        (scene.top / name).unlink()
    scene.write("deep/er/kept", "now")
    scene.write("deep/er/made", "by the agent")
    store = scene.store
    plan = store.plan(store.list()[0])
    assert {one.shown for one in plan.preserved} == ignored
    assert {one.shown for one in plan.changes} == {"deep/er/kept", "deep/er/made"}
    assert store.restore(plan, RETURN).skipped == ()
    assert set(scene.files()) == {*ignored, "deep/er/kept"}


def test_too_many_rules_that_are_not_kept_stop_all(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gitignore, "LARGEST_RULES", 100)
    for folder in "abc":
        scene.write(f"{folder}/.gitignore", "*\n" * 20)
    with pytest.raises(CheckpointError, match=r"of rules in \.gitignore files that are ignored"):
        scene.store.make_checkpoint(TURN)


def test_what_comes_into_the_way_after_the_plan_is_not_overwritten(scene: Scene) -> None:
    scene.write("notes", "old")
    scene.store.make_checkpoint(TURN)
    (scene.top / "notes").unlink()
    store = scene.store
    plan = store.plan(store.list()[0])
    assert ([one.shown for one in plan.changes], plan.unstored) == (["notes"], ())
    big = scene.write("notes", b"x" * 21_000_000)
    outcome = store.restore(plan, RETURN)
    assert outcome.skipped == (("notes", "something stands there that is not kept"),)
    assert big.stat().st_size == 21_000_000


def test_what_was_left_out_then_is_not_deleted_now(scene: Scene) -> None:
    scene.write("big", b"\0" * 20_000_001)
    scene.write("inner/a", "1")
    scene.git("init", "-q", "inner")
    scene.store.make_checkpoint(TURN)
    scene.write("big", "small now")
    rmtree(scene.top / "inner/.git")
    store = scene.store
    plan = store.plan(store.list()[0])
    assert plan.changes == ()
    assert {one.shown for one in plan.preserved} == {"big", "inner/a"}


def test_what_was_not_kept_and_is_gone_is_named(scene: Scene) -> None:
    scene.write("big", b"\0" * 20_000_001)
    scene.write("sub/big", b"\0" * 20_000_001)
    scene.write("a", "1")
    scene.store.make_checkpoint(TURN)
    (scene.top / "big").unlink()
    scene.write("a", "2")
    store = scene.store
    gone = (("big", "20.0 MB, over 20.0 MB"),)
    assert store.plan(store.list()[0]).lost == gone
    [turn] = read_turns(store)
    assert (turn.lost, turn.unstored) == (gone, ())
    scene.write("big", "kept now")
    assert store.plan(store.list()[0]).lost == ()
    assert read_turns(store)[0].lost == ()


def test_what_is_left_out_since_then_is_named_and_not_listed_as_deleted(scene: Scene) -> None:
    scene.write("grows", "1")
    scene.write("b", "1")
    scene.write("gone", "1")
    scene.store.make_checkpoint(TURN)
    scene.write("grows", b"\0" * 20_000_001)
    (scene.top / "gone").unlink()
    scene.store.make_checkpoint(TURN)
    scene.write("b", "2")
    newest, first = read_turns(scene.store)
    assert [one.shown for one in first.changes] == ["gone"]
    assert first.unstored == (("grows", "20.0 MB, over 20.0 MB"),)
    assert ([one.shown for one in newest.changes], newest.unstored) == (["b"], ())


def test_an_empty_folder_gives_way_and_one_with_ignored_files_does_not(scene: Scene) -> None:
    scene.write(".gitignore", "*.log\n")
    scene.write("a", "1")
    scene.write("b", "1")
    scene.store.make_checkpoint(TURN)
    for name in ("a", "b"):
        (scene.top / name).unlink()
        (scene.top / name / "deep").mkdir(parents=True)
    scene.write("b/deep/x.log", "ignored")
    outcome = scene.back()
    assert outcome.skipped == (("b", "something stands there that is not kept"),)
    assert scene.files() == {".gitignore": b"*.log\n", "a": b"1", "b/deep/x.log": b"ignored"}


def test_a_change_of_line_ends_counts_no_lines(scene: Scene) -> None:
    scene.write("a", "1\n2\n")
    scene.write("b", b"\x00\n")
    scene.store.make_checkpoint(TURN)
    scene.write("a", "1\r\n2\r\n")
    scene.write("b", b"\x00\r\n")
    [turn] = read_turns(scene.store)
    assert [(one.shown, one.added, one.removed, one.counted) for one in turn.changes] == [
        ("a", 0, 0, LineCount.EXACTLY),
        ("b", None, None, LineCount.NO_TEXT),
    ]


def test_lines_that_cant_be_counted_in_time_are_not(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.write("a", "1\n")
    scene.store.make_checkpoint(TURN)
    scene.write("a", "2\n")
    monkeypatch.setattr(limits, "LINE_COUNT_TIMEOUT", 60.0)
    [turn] = read_turns(scene.store)
    assert [(one.added, one.removed) for one in turn.changes] == [(1, 1)]
    monkeypatch.setattr(limits, "LINE_COUNT_TIMEOUT", -1.0)
    [turn] = read_turns(scene.store)
    assert [(one.shown, one.added, one.counted) for one in turn.changes] == [
        ("a", None, LineCount.NOT_IN_TIME)
    ]


def test_without_git_nothing_is_kept(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "no programs"))
    with pytest.raises(NotStorableError, match="git isn't installed"):
        Checkpoints.of(scene.top, scene.state, anywhere=True)
    assert not scene.state.exists()
