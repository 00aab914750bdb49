"""What is kept without git: as copies that nobody else reads, bounded, and believed only if they are sound."""

import json
import os
import subprocess
import time
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from shutil import copytree
from types import SimpleNamespace

import pytest

from acp_tui.checkpoints import bounds
from acp_tui.checkpoints.checkpoint import Checkpoint, Counted
from acp_tui.checkpoints.errors import CheckpointError, NotKeptError, TooMuchError
from acp_tui.checkpoints.plain import known, objects, reading, walk
from acp_tui.checkpoints.plain.counts import count_lines
from acp_tui.checkpoints.plain.objects import Objects
from acp_tui.checkpoints.store import Checkpoints
from acp_tui.checkpoints.turns import read_turns
from tests.unit.checkpoints.conftest import GIT, RETURN, TURN, Scene

pytestmark = pytest.mark.usefixtures("no_git")


def shown(scene: Scene, before: str, after: str) -> list[str]:
    return [one.shown for one in scene.store.changes(before, after)]


def kept_files(scene: Scene) -> list[str]:
    """All that is kept of what is there now."""
    now, _ = scene.store.now()
    empty = sha256(b"[]").hexdigest()
    Objects(plain(scene) / "objects").put(b"[]")
    return shown(scene, empty, now)


def plain(scene: Scene) -> Path:
    """Return where it lies."""
    [lock] = scene.state.glob("*/lock")
    return lock.parent / "plain"


def files_of_git(scene: Scene) -> dict[str, tuple[bytes, int]]:
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in (scene.top / ".git").rglob("*")
        if path.is_file()
    }


def test_nothing_is_written_into_a_repository(scene: Scene) -> None:
    scene.write("a", "1")
    scene.commit()
    before = files_of_git(scene)
    scene.store.take(TURN)
    scene.write("a", "2")
    scene.back()
    assert scene.files() == {"a": b"1"}
    assert files_of_git(scene) == before


def test_where_is_what_it_says_without_git_too(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (scene.top / "sub").mkdir()
    (tmp_path / "elsewhere").mkdir()
    assert Checkpoints.of(scene.top / "sub", scene.state, anywhere=False)
    assert Checkpoints.of(tmp_path / "elsewhere", scene.state, anywhere=False) is None
    with pytest.raises(NotKeptError, match="git's own"):
        Checkpoints.of(scene.top / ".git", scene.state, anywhere=True)
    monkeypatch.setenv("HOME", str(scene.top))
    with pytest.raises(NotKeptError, match="home"):
        Checkpoints.of(scene.top, scene.state, anywhere=False)


def test_rules_of_all_folders_hold(scene: Scene, tmp_path: Path) -> None:
    outer = tmp_path / "outer-rules"
    outer.write_text("*\n")
    scene.write(".git/info/exclude", "secret\n")
    scene.write(".gitignore", "*.log\n!keep.log\n/root\nbuild/\nsub/**/gen\n")
    scene.write("sub/.gitignore", "!deep.log\nlocal\n")
    (scene.top / "linked").mkdir()
    (scene.top / "linked/.gitignore").symlink_to(outer)
    ignored = ["secret", "a.log", "root", "build/x", "sub/x/y/gen", "sub/local", "sub/d/local"]
    kept = ["keep.log", "sub/root", "sub/build", "sub/deep.log", "linked/a", "sub/x/y/gen2"]
    for name in [*ignored, *kept]:
        scene.write(name)
    rules = [".gitignore", "sub/.gitignore", "linked/.gitignore"]
    told = subprocess.run(
        [GIT, "ls-files", "-o", "--exclude-standard"], cwd=scene.top, capture_output=True, text=True
    )
    assert sorted(kept_files(scene)) == sorted([*kept, *rules]) == sorted(told.stdout.split())


@pytest.mark.parametrize(
    ("told", "is_one"),
    [
        ("", False),
        ("gitdir: nowhere\n", False),
        ("gitdir: a\0b\n", False),
        ("../.git\n", False),
        ("gitdir: ../.git\n", True),
    ],
)
def test_a_file_is_a_repository_only_if_it_leads_to_one(
    scene: Scene, told: str, is_one: bool
) -> None:
    scene.write("src/a", "1")
    scene.write("src/.git", told)
    kept = scene.store.take(TURN)
    assert kept.left_out.has("src/a") is is_one
    assert kept_files(scene) == ([] if is_one else ["src/a"])


def test_a_link_is_a_repository_only_if_it_leads_to_one(scene: Scene) -> None:
    for name, leads in (("one", scene.top / ".git"), ("none", scene.top), ("itself", ".git")):
        scene.write(f"{name}/a", "1")
        (scene.top / name / ".git").symlink_to(leads)
    os.mkfifo(scene.write("pipe/a").with_name(".git"))
    assert kept_files(scene) == ["itself/a", "none/a", "pipe/a"]


def test_files_of_what_becomes_a_repository_are_not_listed_as_deleted(scene: Scene) -> None:
    scene.write("src/a", "1")
    scene.store.take(TURN)
    scene.git("init", "-q", "src")
    [turn] = read_turns(scene.store)
    assert (turn.changes, turn.unkept) == ((), (("src/", "a repository of its own"),))


def test_rules_that_are_too_large_to_be_read_stop_all(scene: Scene) -> None:
    for rules in ("a" * 300_000, "a" * 70_000, "*a*a*a*a*b\n" * 3001):
        scene.write("sub/.gitignore", rules)
        with pytest.raises(TooMuchError, match=r"rules in 'sub/\.gitignore'"):
            scene.store.now()


def test_the_clock_is_looked_at_within_a_folder(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(10):
        scene.write(f"{number}")
    times = iter(range(1000))
    monkeypatch.setattr(walk, "time", SimpleNamespace(monotonic=lambda: next(times)))
    monkeypatch.setattr(bounds, "PATIENCE", 5.0)
    with pytest.raises(TooMuchError, match="longer than 5 s"):
        scene.store.now()


def test_only_what_has_changed_is_read_again(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "RACY", 0)
    read = list[str]()
    real = reading._read_file

    def noted(name: str, folder: int) -> tuple[os.stat_result, bytes]:
        read.append(name)
        return real(name, folder)

    monkeypatch.setattr(reading, "_read_file", noted)
    for name in "abc":
        scene.write(name)
    scene.store.now()
    scene.write("b", "longer than before")
    (scene.top / "c").chmod(0o755)
    read.clear()
    scene.store.now()
    assert read == ["b", "c"]
    (plain(scene) / "looks").write_text("damaged")
    read.clear()
    scene.store.now()
    assert read == ["a", "b", "c"]


def test_a_change_that_looks_like_none_is_seen(scene: Scene) -> None:
    """It is as long as before, and has the same time: right after the look, or set back."""
    path = scene.write("a", "1")
    before, _ = scene.store.now()
    times = path.stat()
    path.write_text("2")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    after, _ = scene.store.now()
    assert shown(scene, before, after) == ["a"]


def test_what_is_kept_is_for_its_owner_alone_and_each_content_once(
    scene: Scene, mask: None
) -> None:
    for name in ("a", "b", "sub/c"):
        scene.write(name, "the same in all of them" * 1000)
    scene.store.take(TURN)
    scene.store.take(TURN)
    found = list(plain(scene).rglob("*"))
    assert {one.stat().st_mode & 0o777 for one in found if one.is_dir()} == {0o700}
    assert {one.stat().st_mode & 0o777 for one in found if one.is_file()} == {0o600}
    assert len(list(plain(scene).glob("objects/*/*"))) == 4  # a content, two lists, their list
    assert sum(one.stat().st_size for one in plain(scene).glob("objects/*/*")) < 1000


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5])


def swap(path: Path) -> None:
    path.write_bytes(zlib.compress(b"something else"))


def inflate(path: Path) -> None:
    path.write_bytes(zlib.compress(b"\0" * 3_000_000))


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("damage", [cut, swap, inflate, link, pipe])
@pytest.mark.parametrize("which", ["content", "tree"])
def test_what_is_damaged_is_refused_before_anything_is_written(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], None], which: str
) -> None:
    monkeypatch.setattr(objects, "LARGEST", 1_000_000)
    scene.write("a", "1 of a")
    scene.write("b", "1 of b")
    kept = scene.store.take(TURN)
    scene.write("a", "2 of a")
    scene.write("b", "2 of b")
    before, plan = scene.files(), scene.store.plan(kept)
    content = next(one.id for one in plan.changes if one.shown == "b")
    id_ = content if which == "content" else kept.tree
    damage(plain(scene) / "objects" / id_[:2] / id_[2:])
    with pytest.raises(CheckpointError, match="damaged"):
        scene.store.restore(scene.store.plan(kept), RETURN)
    assert scene.files() == before
    scene.store.take(TURN)  # what is there now can be kept all the same


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("..", "x"),
        ("sub/..", "x"),
        ("/etc", "x"),
        ("", "/etc/x"),
        ("", ".."),
        ("", "."),
        ("", ""),
        ("sub", "../../x"),
        (".git", "config"),
        ("sub/.GIT/hooks", "post-checkout"),
        ("", ".Git"),
        ("", "a\0b"),
        ("", "\ud800"),
    ],
)
def test_a_name_that_leads_elsewhere_refuses_all_of_it(
    scene: Scene, folder: str, name: str
) -> None:
    scene.write("a")
    kept = scene.store.take(TURN)
    before = scene.files()
    lies = Objects(plain(scene) / "objects")
    rows = [[name, ["100644", lies.put(b"evil"), 4]]]
    files = lies.put(json.dumps(rows).encode())
    tree = lies.put(json.dumps([[folder, files]]).encode())
    with pytest.raises(CheckpointError, match=r"not that of a kept file|damaged"):
        scene.store.plan(Checkpoint(kept.ref, tree, kept.at, kept.reason))
    assert scene.files() == before


@pytest.mark.parametrize(
    "rows",
    [
        b"{}",
        b"1",
        b"[[1]]",
        b"no JSON",
        b"[" * 100_000,
        b'[["", "../../key"]]',
        b'[["a", ["x", 1]]]',
    ],
)
def test_what_is_no_list_of_files_is_refused(scene: Scene, rows: bytes) -> None:
    scene.write("a")
    kept = scene.store.take(TURN)
    tree = Objects(plain(scene) / "objects").put(rows)
    with pytest.raises(CheckpointError, match="damaged"):
        scene.store.plan(Checkpoint(kept.ref, tree, kept.at, kept.reason))


def test_only_what_we_signed_is_listed(scene: Scene) -> None:
    scene.write("a")
    first, second = scene.store.take(TURN), scene.store.take(TURN)
    path = plain(scene) / "turns" / first.ref
    path.write_bytes(path.read_bytes().replace(b"Mend it", b"Mend me"))
    (path.parent / f"{'1' * 17}-{'a' * 32}").write_text("{}")
    assert [one.ref for one in scene.store.list()] == [second.ref]


def test_the_oldest_are_deleted_with_what_only_they_need(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "KEPT", 3)
    for number in range(5):
        scene.write("a", f"{number}")
        scene.store.take(TURN)
    assert len(scene.store.list()) == 3
    for one in plain(scene).glob("objects/*/*"):
        os.utime(one, (0, 0))
    (plain(scene) / "objects" / "00").mkdir(exist_ok=True)
    (plain(scene) / "objects" / "00" / "of a run that was killed.new").write_text("x")
    os.utime(plain(scene) / "objects" / "00" / "of a run that was killed.new", (0, 0))
    os.utime(plain(scene) / "swept", (0, 0))
    scene.store.take(TURN)
    assert len(list(plain(scene).glob("objects/*/*"))) == 6  # two trees, with a list and a content
    scene.back()
    monkeypatch.setattr(bounds, "DAYS", -1)
    scene.store.warm_up()
    assert scene.store.list() == []


def test_what_was_lost_of_a_file_that_is_as_it_was_is_kept_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known, "RACY", 0)
    scene.write("a", "1")
    scene.store.warm_up()
    for one in plain(scene).glob("objects/*/*"):
        one.unlink()
    scene.store.take(TURN)
    scene.write("a", "2")
    scene.back()
    assert scene.files() == {"a": b"1"}


def test_nothing_is_restored_into_another_folder(scene: Scene, tmp_path: Path) -> None:
    scene.write("a", "evil")
    store = scene.store
    store.take(TURN)
    scene.write("a", "safe")
    plan = store.plan(store.list()[0])
    copytree(scene.top, tmp_path / "outside")
    scene.top.rename(tmp_path / "away")
    scene.top.symlink_to(tmp_path / "outside")
    with pytest.raises(CheckpointError, match="leads elsewhere"):
        store.restore(plan, RETURN)
    assert (tmp_path / "outside/a").read_text() == "safe"


def test_only_the_folder_of_the_session_is_kept(scene: Scene) -> None:
    scene.write("beside", "1")
    scene.write("sub/a", "1")
    store = Checkpoints.of(scene.top / "sub", scene.state, anywhere=False)
    assert store is not None
    store.take(TURN)
    scene.write("beside", "2")
    scene.write("sub/a", "2")
    assert store.restore(store.plan(store.list()[0]), RETURN).done == 1
    assert scene.files() == {"beside": b"2", "sub/a": b"1"}


def test_lines_are_counted_as_by_git(tmp_path: Path) -> None:
    texts = [
        b"",
        b"a",
        b"a\n",
        b"a\r\n",
        b"a\nb\nc\n",
        b"a\nx\nc",
        b"\n\n",
        b"\0",
        b"z" * 9000 + b"\0",
    ]
    random = Random(1)
    texts += [b"".join(random.choice((b"1\n", b"2\n", b"3\n")) for _ in range(6)) for _ in range(2)]
    for old in texts:
        for new in texts:
            (tmp_path / "old").write_bytes(old)
            (tmp_path / "new").write_bytes(new)
            command = [GIT, "diff", "--no-index", "--numstat", "--minimal", "old", "new"]
            told = subprocess.run(command, cwd=tmp_path, capture_output=True).stdout.split()[:2]
            by_git = tuple(int(one) if one.isdigit() else None for one in told) or (0, 0)
            how = Counted.NO_TEXT if by_git[0] is None else Counted.EXACTLY
            assert old == new or count_lines(old, new) == (*by_git, how)


RANDOM = Random(1)
MANY = [b"".join(b"%d\n" % RANDOM.randrange(9) for _ in range(50_000)) for _ in "ab"]


@pytest.mark.parametrize(
    ("old", "new", "most"),
    [
        (*MANY, (50_000, 50_000)),
        (b"x\ny\n" * 4000, b"y\ny\nx\n" * 3000, (9000, 8000)),
        (b"\n" * 9_000_000 + b"a", b"b" + b"\n" * 9_000_000, (9_000_000, 9_000_001)),
        (b"a" * 9_000_000 + b"\n", b"\n".join([b"a" * 3_000] * 3_000), (3000, 1)),
    ],
)
def test_lines_are_counted_quickly_whatever_they_are(
    old: bytes, new: bytes, most: tuple[int, int]
) -> None:
    begin = time.process_time()
    added, removed, how = count_lines(old, new)
    assert time.process_time() - begin < 5  # to compare each line with each takes hours
    assert how is Counted.AT_MOST
    assert (added, removed) <= most


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_all_lines_of_a_large_file_count_where_few_have_changed(end: bytes) -> None:
    lines = [b"%d" % number for number in range(500_000)]
    old = b"\n".join(lines) + end
    lines[250_000:250_001] = [b"new"] * 3
    assert count_lines(old, b"\n".join(lines) + end) == (3, 1, Counted.EXACTLY)


def test_what_git_ignores_now_is_not_brought_back_and_named(scene: Scene) -> None:
    scene.write("notes", "old")
    scene.store.take(TURN)
    scene.write("notes", "new")
    scene.write(".gitignore", "notes\n")
    plan = scene.store.plan(scene.store.list()[0])
    assert [one.shown for one in plan.changes] == [".gitignore"]
    assert plan.unkept == (("notes", "git ignores it now"),)
