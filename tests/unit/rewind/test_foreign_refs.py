"""Whoever can write into the repository, an agent for one, leads going back nowhere."""

import json
import os
import shutil
import subprocess
import time
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.git.objects import CheckpointError
from acp_tui.rewind import limits
from acp_tui.rewind.checkpoint import Checkpoint
from tests.examples import parametrize
from tests.unit.rewind.conftest import RETURN, TURN, Scene

FACTS = {
    "at": time.time(),
    "kind": "turn",
    "words": "hello",
    "session": "s",
    "entries": 0,
    "late": False,
    "left_out": [],
}


def make(scene: Scene, kind: str, content: bytes) -> str:
    """Write any object, however wrong it is."""
    done = subprocess.run(
        ["git", "hash-object", "--literally", "-t", kind, "-w", "--stdin"],
        input=content,
        capture_output=True,
        cwd=scene.top,
        check=True,
    )
    return done.stdout.decode().strip()


def tree_with(scene: Scene, names: list[bytes], text: bytes = b"*.evil\n") -> str:
    """Make a tree with one file below these folders."""
    id_, mode = make(scene, "blob", text), b"100644"
    for name in reversed(names):
        id_ = make(scene, "tree", mode + b" " + name + b"\0" + bytes.fromhex(id_))
        mode = b"40000"
    return id_


def claim(scene: Scene, tree: str, like: Checkpoint, *, at: int) -> str:
    """Let a ref as ours point to a tree."""
    message = f"acp-tui: the files before turn\n\n{json.dumps(FACTS)}\n"
    commit = scene.git("commit-tree", tree, "-m", message).strip()
    folder, _, name = like.ref.rpartition("/")
    ref = f"{folder}/{at:017}-{name.partition('-')[2]}"
    scene.git("update-ref", ref, commit)
    return ref


def refs(scene: Scene) -> set[str]:
    return set(scene.git("for-each-ref", "--format=%(refname)", "refs/acp-tui/").split())


def test_refs_that_others_made_are_neither_listed_nor_pruned(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.write("a")
    mine = scene.store.make_checkpoint(TURN)
    stamp = int(time.time() * 1e6)
    theirs = {claim(scene, mine.tree, mine, at=at) for at in (1, stamp, stamp * 2)}
    commit = scene.git("rev-parse", mine.ref).strip()
    for race in ("3", "4-turbo", "00000000000000001-00000000"):
        theirs.add(f"refs/acp-tui/races/2026/{race}")
    for ref in theirs:
        scene.git("update-ref", ref, commit)
    monkeypatch.setattr(limits, "MOST_CHECKPOINTS", 1)
    second = scene.store.make_checkpoint(TURN)
    assert [one.ref for one in scene.store.list()] == [second.ref]
    assert refs(scene) == {*theirs, second.ref}


def test_a_ref_of_ours_that_was_led_elsewhere_is_not_followed(scene: Scene) -> None:
    scene.write("a")
    mine = scene.store.make_checkpoint(TURN)
    scene.write("b")
    other = scene.store.make_checkpoint(TURN)
    scene.git("update-ref", mine.ref, scene.git("rev-parse", other.ref).strip())
    assert [(one.ref, one.tree) for one in scene.store.list()] == [
        (other.ref, other.tree),
        (mine.ref, mine.tree),
    ]


def test_a_checkpoint_of_another_state_folder_is_not_ours(scene: Scene) -> None:
    scene.write("a")
    theirs = scene.store.make_checkpoint(TURN)
    scene.state = scene.state.with_name("another state")
    assert scene.store.list() == []
    scene.store.make_checkpoint(TURN)
    assert theirs.ref in refs(scene)
    assert (scene.state / "key").stat().st_mode & 0o777 == 0o600
    (scene.state / "key").write_bytes(b"short")
    with pytest.raises(CheckpointError, match="isn't a key"):
        _ = scene.store


def to_nothing(scene: Scene, folder: Path) -> None:
    (folder / "x").write_text("1234567890" * 4 + "\n")


def to_each_other(scene: Scene, folder: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (folder / name).write_text(f"ref: {(folder / other).relative_to(scene.top / '.git')}\n")


def to_a_large_message(scene: Scene, folder: Path) -> None:
    text = b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\n" + b"x" * 30_000_000
    commit = make(scene, "commit", text)
    for number in range(8):
        (folder / f"{number}").write_text(f"{commit}\n")


def as_a_pipe(scene: Scene, folder: Path) -> None:
    os.mkfifo(folder / "x")


def without_an_end(scene: Scene, folder: Path) -> None:
    (folder / "x").symlink_to("/dev/zero")


def as_garbage(scene: Scene, folder: Path) -> None:
    (folder / "x").write_bytes(os.urandom(5000))
    (folder / os.fsdecode(b"odd \xff..name.lock~")).write_text("")


def in_many_folders(scene: Scene, folder: Path) -> None:
    subprocess.run(["mkdir", "-p", str(folder) + "/d" * 60], check=True)
    (folder / "d/x").write_text("")


def as_a_tag(scene: Scene, folder: Path) -> None:
    blob = make(scene, "blob", b"x")
    tag = make(scene, "tag", f"object {blob}\ntype blob\ntag x\n\nx\n".encode())
    (folder / "x").write_text(f"{tag}\n")


def in_packed_refs(scene: Scene, folder: Path) -> None:
    scene.git("pack-refs", "--all")
    with (scene.top / ".git/packed-refs").open("a") as file:
        file.write("gar bage\n")


def instead_of_the_folder(scene: Scene, folder: Path) -> None:
    shutil.rmtree(folder.parent)
    folder.parent.write_text("1234567890" * 4 + "\n")


@parametrize(
    3,
    "spoil",
    [
        to_nothing,
        to_each_other,
        to_a_large_message,
        as_a_pipe,
        without_an_end,
        as_garbage,
        in_many_folders,
        as_a_tag,
        in_packed_refs,
        instead_of_the_folder,
    ],
)
def test_refs_that_nobody_can_read_keep_nobody_from_going_back(
    scene: Scene, spoil: Callable[[Scene, Path], None]
) -> None:
    """The case: whatever an agent puts below our refs is not read, whoever it leads to."""
    scene.write("a", "1")
    first = scene.store.make_checkpoint(TURN)
    spoil(scene, (scene.top / ".git" / first.ref).parent)
    scene.write("a", "2")
    store = scene.store
    second = store.make_checkpoint(TURN)
    remarks = store.remarks()
    assert len(remarks) == 1
    assert "refs/acp-tui/" in remarks[0]
    assert store.remarks() == ()
    scene.write("a", "3")
    assert [one.ref for one in store.list()] == [second.ref, first.ref]
    store.restore(store.plan(first), RETURN)
    assert scene.files() == {"a": b"1"}


def test_reading_checkpoints_costs_no_memory_for_refs_of_others(scene: Scene) -> None:
    scene.write("a", "1")
    first = scene.store.make_checkpoint(TURN)
    to_a_large_message(scene, (scene.top / ".git" / first.ref).parent)
    store = scene.store
    tracemalloc.start()
    try:
        store.make_checkpoint(TURN)
        assert len(store.list()) == 2
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_checkpoint_whose_commit_is_lost_hides_no_other(scene: Scene) -> None:
    """A swapped commit is none, either: whoever wrote it wants it to be followed."""
    scene.write("a", "1")
    kept = [scene.store.make_checkpoint(TURN) for _ in range(3)]
    for one, text in zip(kept, (None, b"tree 0\n\n\n{}"), strict=False):
        commit = scene.git("rev-parse", one.ref).strip()
        path = scene.top / ".git/objects" / commit[:2] / commit[2:]
        path.unlink()
        if text is not None:
            path.write_bytes(zlib.compress(b"commit %d\0%b" % (len(text), text)))
    store = scene.store
    assert [one.ref for one in store.list()] == [kept[2].ref]
    assert store.remarks() == ("2 checkpoints can't be read: git has lost a part",)


def test_checkpoints_are_there_when_their_refs_in_the_repository_are_gone(scene: Scene) -> None:
    scene.write("a", "1")
    mine = scene.store.make_checkpoint(TURN)
    scene.git("update-ref", "-d", mine.ref)
    scene.write("a", "2")
    scene.back()
    assert scene.files() == {"a": b"1"}


ELSEWHERE = (
    [b"..", b"outside", b".gitignore"],
    [b".", b".gitignore"],
    [b"", b"tmp", b"x"],
    [b".git", b"config"],
    [b"sub", b".GIT", b"hooks", b"post-checkout"],
    [b"sub", b"..", b"x"],
)


def test_a_name_that_leads_elsewhere_refuses_all_of_it(scene: Scene) -> None:
    """The objects of a checkpoint lie where an agent can write."""
    scene.write("a")
    store = scene.store
    kept = store.make_checkpoint(TURN)
    before = scene.files()
    for names in ELSEWHERE:
        bad = Checkpoint(kept.ref, tree_with(scene, names), kept.at, kept.reason)
        with pytest.raises(CheckpointError, match=r"not that of a kept file|empty filename"):
            print(f"planned with {names}: {store.plan(bad)}")
        assert scene.files() == before, names


def test_rules_are_written_nowhere_to_be_obeyed(scene: Scene, tmp_path: Path) -> None:
    """What looks at them writes nothing outside, and nothing through a link of the folder."""
    outside = tmp_path / "outside"
    outside.write_text("of the person\n")
    scene.write("x/.gitignore", "local\n")
    scene.write("x/local", "1")
    scene.store.make_checkpoint(TURN)
    (scene.top / "x/.gitignore").unlink()
    (scene.top / "x/.gitignore").symlink_to(outside)
    scene.write("x/new")
    store = scene.store
    plan = store.plan(store.list()[0])
    assert {one.shown for one in plan.preserved} == {"x/local"}
    assert {one.shown for one in plan.changes} == {"x/.gitignore", "x/new"}
    assert outside.read_text() == "of the person\n"
