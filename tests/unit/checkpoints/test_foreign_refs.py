"""Whoever can write into the repository, an agent for one, leads going back nowhere."""

import json
import subprocess
import time
from pathlib import Path

import pytest

from acp_tui.checkpoints import bounds
from acp_tui.checkpoints.checkpoint import Checkpoint
from acp_tui.checkpoints.errors import CheckpointError
from tests.unit.checkpoints.conftest import TURN, Scene

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
    mine = scene.store.take(TURN)
    stamp = int(time.time() * 1e6)
    theirs = {claim(scene, mine.tree, mine, at=at) for at in (1, stamp, stamp * 2)}
    commit = scene.git("rev-parse", mine.ref).strip()
    for race in ("3", "4-turbo", "00000000000000001-00000000"):
        theirs.add(f"refs/acp-tui/races/2026/{race}")
    for ref in theirs:
        scene.git("update-ref", ref, commit)
    monkeypatch.setattr(bounds, "KEPT", 1)
    second = scene.store.take(TURN)
    assert [one.ref for one in scene.store.list()] == [second.ref]
    assert refs(scene) == {*theirs, second.ref}


def test_a_ref_of_ours_that_was_led_elsewhere_is_not_followed(scene: Scene) -> None:
    scene.write("a")
    mine = scene.store.take(TURN)
    scene.write("b")
    other = scene.store.take(TURN)
    scene.git("update-ref", mine.ref, scene.git("rev-parse", other.ref).strip())
    assert [one.ref for one in scene.store.list()] == [other.ref]


def test_a_checkpoint_of_another_state_folder_is_not_ours(scene: Scene, tmp_path: Path) -> None:
    scene.write("a")
    scene.store.take(TURN)
    assert len(scene.store.list()) == 1
    (scene.state / "key").write_bytes(b"0" * 32)
    assert scene.store.list() == []
    assert (scene.state / "key").stat().st_mode & 0o777 == 0o600
    (scene.state / "key").write_bytes(b"short")
    with pytest.raises(CheckpointError, match="isn't a key"):
        _ = scene.store


@pytest.mark.parametrize(
    "names",
    [
        [b"..", b"outside", b".gitignore"],
        [b".", b".gitignore"],
        [b"", b"tmp", b"x"],
        [b".git", b"config"],
        [b"sub", b".GIT", b"hooks", b"post-checkout"],
        [b"sub", b"..", b"x"],
    ],
)
def test_a_name_that_leads_elsewhere_refuses_all_of_it(scene: Scene, names: list[bytes]) -> None:
    """The objects of a checkpoint lie where an agent can write."""
    scene.write("a")
    store = scene.store
    kept = store.take(TURN)
    bad = Checkpoint(kept.ref, tree_with(scene, names), kept.at, kept.reason)
    before = scene.files()
    with pytest.raises(CheckpointError, match=r"not that of a kept file|empty filename"):
        store.plan(bad)
    assert scene.files() == before


def test_rules_are_written_nowhere_to_be_obeyed(scene: Scene, tmp_path: Path) -> None:
    """What looks at them writes nothing outside, and nothing through a link of the folder."""
    outside = tmp_path / "outside"
    outside.write_text("of the person\n")
    scene.write("x/.gitignore", "local\n")
    scene.write("x/local", "1")
    scene.store.take(TURN)
    (scene.top / "x/.gitignore").unlink()
    (scene.top / "x/.gitignore").symlink_to(outside)
    scene.write("x/new")
    store = scene.store
    plan = store.plan(store.list()[0])
    assert {one.shown for one in plan.spared} == {"x/local"}
    assert {one.shown for one in plan.changes} == {"x/.gitignore", "x/new"}
    assert outside.read_text() == "of the person\n"
