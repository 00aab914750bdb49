"""What an agent can tell git, so that it says of a changed file that it is as it was committed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.rewind.against_head import HeadCommit, HeadDifference
from acp_tui.store.same_folder import SameFolder
from tests.unit.rewind.conftest import Scene

OLD, NEW = "$Id$ make test\n", "$Id: a; rm -rf x $ make test\n"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    made = Scene(tmp_path / "work", tmp_path / "state")
    made.write("sub/run.sh", OLD)
    made.write("other", "as it was\n")
    made.commit()
    return made


def changed(scene: Scene) -> dict[str, HeadDifference]:
    return HeadCommit(SameFolder(scene.top)).changed()


@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_a_file_that_git_is_not_to_look_at_is_listed_and_that_is_said(
    scene: Scene, mark: str
) -> None:
    scene.git("update-index", mark, "sub/run.sh", "other")
    before = (scene.top / ".git/index").read_bytes()
    scene.write("sub/run.sh", "evil\n")
    found = changed(scene)
    assert [*found] == ["sub/run.sh"]
    assert found["sub/run.sh"].lines == (1, 1)
    assert "git is set to ignore its changes" in found["sub/run.sh"].note
    assert (scene.top / ".git/index").read_bytes() == before


def test_a_file_that_was_deleted_behind_such_a_mark_is_listed(scene: Scene) -> None:
    scene.git("update-index", "--skip-worktree", "sub/run.sh")
    (scene.top / "sub/run.sh").unlink()
    assert changed(scene)["sub/run.sh"].letter == "D"


def test_what_a_sparse_checkout_leaves_out_is_not_deleted(scene: Scene) -> None:
    scene.write("far/away", "x\n")
    scene.commit()
    scene.git("sparse-checkout", "set", "sub")
    assert not (scene.top / "far").exists()
    assert changed(scene) == {}
    scene.write("far/away", "there all the same\n")
    assert changed(scene)["far/away"].letter == "M"


def same_look(scene: Scene) -> None:
    """Git is told to go by sizes and times that anybody can set."""
    scene.git("config", "core.trustctime", "false")
    scene.git("config", "core.checkStat", "minimal")
    path = scene.top / "sub/run.sh"
    facts = path.stat()
    scene.write("sub/run.sh", "$Id$ make evil\n")
    second = 10**9
    while path.stat().st_ctime_ns // second == facts.st_ctime_ns // second:  # git compares those
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def ident(scene: Scene) -> None:
    scene.write(".git/info/attributes", "* ident\n")
    scene.write("sub/run.sh", NEW)


def ident_in_the_tree(scene: Scene) -> None:
    scene.write("sub/.gitattributes", "* ident\n")
    scene.write(".git/info/exclude", ".gitattributes\n")
    scene.write("sub/run.sh", NEW)


def encoding(scene: Scene) -> None:
    scene.write(".git/info/attributes", "* working-tree-encoding=UTF-16LE\n")
    scene.write("sub/run.sh", OLD.encode("utf-16le"))


@pytest.mark.parametrize("hide", [same_look, ident, ident_in_the_tree, encoding])
def test_no_setting_of_the_repository_hides_a_change(
    scene: Scene, hide: Callable[[Scene], None]
) -> None:
    old = (scene.top / "sub/run.sh").stat().st_mtime_ns - 10**10
    os.utime(scene.top / "sub/run.sh", ns=(old, old))
    scene.git("update-index", "--refresh")
    hide(scene)
    [(path, change)] = changed(scene).items()
    assert (path, change.letter) == ("sub/run.sh", "M")


def test_no_file_of_rules_elsewhere_hides_a_new_one(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("*\n")
    scene.git("config", "core.excludesFile", str(tmp_path / "rules"))
    scene.write("new.sh")
    assert [*changed(scene)] == ["new.sh"]


def test_what_is_staged_is_converted_as_its_attributes_say(scene: Scene) -> None:
    scene.write(".gitattributes", "* ident\n")
    scene.commit()
    scene.write("sub/run.sh", f"{NEW}more\n")
    assert HeadCommit(SameFolder(scene.top)).toggle_file("sub/run.sh")
    assert scene.git("show", ":sub/run.sh") == f"{OLD}more\n"
