"""A pipe or a device where git reads files: git would wait for it, or read it, forever."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.git import git as runner
from acp_tui.git import objects
from acp_tui.git.blocking_files import blocking_file, find_blocking_file
from acp_tui.git.git import Git
from acp_tui.git.objects import CheckpointError, GitError
from acp_tui.race.repository import RaceRepository
from acp_tui.rewind.against_head import HeadCommit, changed_since_head
from acp_tui.store.same_folder import SameFolder
from tests.unit.rewind.conftest import TURN, Scene

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def scene(scene: Scene) -> Scene:
    scene.write("a.txt")
    scene.write("sub/b.txt")
    scene.commit()
    scene.write("new.txt")
    return scene


def put_pipe(scene: Scene, name: str) -> None:
    path = scene.top / name
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


ANYWHERE = [
    ".git/HEAD",
    ".git/config",
    ".git/index",
    ".git/commondir",
    ".git/packed-refs",
    ".git/info/exclude",
    ".git/objects/info/alternates",
    ".git/objects/pack/multi-pack-index",
    ".gitignore",
    ".gitattributes",
    "sub/.gitignore",
]


@pytest.mark.parametrize("name", ANYWHERE)
def test_neither_a_checkpoint_nor_the_last_commit_waits_for_a_pipe(scene: Scene, name: str) -> None:
    put_pipe(scene, name)
    words = f"git would wait forever for {name!r}, which is a pipe instead of a file"
    with pytest.raises(CheckpointError, match=words):
        scene.store.make_checkpoint(TURN)
    with pytest.raises(GitError, match=words):
        HeadCommit(SameFolder(scene.top)).changed()
    assert changed_since_head(str(scene.top)) == {}


@pytest.mark.parametrize("name", [".git/HEAD", ".git/config", ".git/refs/heads/main"])
def test_a_race_names_the_pipe_that_git_would_wait_for(scene: Scene, name: str) -> None:
    put_pipe(scene, name)
    with pytest.raises(GitError, match=f"{name!r}, which is a pipe"):
        RaceRepository.around(scene.top).head()


@pytest.mark.parametrize("name", ["sub/.gitattributes", "inner/.git/HEAD"])
def test_a_checkpoint_does_not_wait_for_a_pipe_below(scene: Scene, name: str) -> None:
    if name.startswith("inner"):
        subprocess.run(["git", "init", "-q", "inner"], cwd=scene.top, check=True)
    put_pipe(scene, name)
    with pytest.raises(CheckpointError, match=f"{name!r}, which is a pipe"):
        scene.store.make_checkpoint(TURN)


def test_no_file_is_called_new_where_the_last_commit_cannot_be_read(scene: Scene) -> None:
    put_pipe(scene, ".git/refs/heads/main")
    with pytest.raises(GitError, match="refs/heads/main', which is a pipe"):
        HeadCommit(SameFolder(scene.top)).changed()


def test_a_branch_deeper_than_the_one_checked_out_may_be_the_pipe(scene: Scene) -> None:
    put_pipe(scene, ".git/refs/heads/other/x")
    assert blocking_file(scene.top) is None
    assert "other/x" in str(find_blocking_file(scene.top))


def test_an_index_of_a_pack_may_be_the_pipe(scene: Scene) -> None:
    scene.git("gc", "-q")
    index = next((scene.top / ".git/objects/pack").glob("*.idx"))
    put_pipe(scene, str(index.relative_to(scene.top)))
    with pytest.raises(CheckpointError, match=r"\.idx', which is a pipe"):
        scene.store.make_checkpoint(TURN)


@pytest.mark.parametrize("name", [".git/objects/info/alternates", ".git/refs/heads/main"])
def test_an_endless_file_is_not_read(scene: Scene, name: str) -> None:
    (scene.top / name).unlink(missing_ok=True)
    (scene.top / name).symlink_to("/dev/zero")
    with pytest.raises(CheckpointError, match=f"{name!r}, which is a device"):
        scene.store.make_checkpoint(TURN)


def test_an_empty_device_is_an_empty_file(scene: Scene) -> None:
    (scene.top / ".git/info/exclude").unlink(missing_ok=True)
    (scene.top / ".git/info/exclude").symlink_to("/dev/null")
    assert scene.store.make_checkpoint(TURN).tree


def test_the_pipe_of_a_linked_worktree_is_found_in_its_repository(scene: Scene) -> None:
    scene.git("worktree", "add", "-q", "../linked")
    linked = scene.top.parent / "linked"
    assert blocking_file(linked) is None
    put_pipe(scene, ".git/info/exclude")
    assert "info/exclude', which is a pipe" in str(blocking_file(linked))


def test_a_folder_that_is_a_bare_repository_is_searched(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", "bare"], cwd=tmp_path, check=True)
    (tmp_path / "bare/HEAD").unlink()
    os.mkfifo(tmp_path / "bare/HEAD")
    assert blocking_file(tmp_path / "bare") == (
        "git would wait forever for 'HEAD', which is a pipe instead of a file"
    )


@pytest.mark.parametrize("text", ["elsewhere\n", "gitdir: \0\n", "gitdir: ../nowhere\n", ""])
def test_a_file_that_leads_to_no_repository_blocks_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)
    assert blocking_file(tmp_path) is None
    assert find_blocking_file(tmp_path) is None


def test_a_pipe_that_only_the_settings_name_ends_the_wait(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(scene.top / "settings")
    scene.git("config", "include.path", "../settings")
    monkeypatch.setattr(runner, "IDLE_TIMEOUT", 1.0)
    with pytest.raises(CheckpointError, match="git waited 1 s without doing anything"):
        scene.store.make_checkpoint(TURN)


def test_an_object_whose_name_a_pipe_has_ends_the_wait(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = scene.git("rev-parse", "HEAD:a.txt").strip()
    put_pipe(scene, f".git/objects/{id_[:2]}/{id_[2:]}")
    monkeypatch.setattr(objects, "OBJECT_TIMEOUT", 0.5)
    with (
        Git(scene.top, {}).objects() as reader,
        pytest.raises(CheckpointError, match=f"for object {id_}"),
    ):
        reader.read_object(id_)


def test_a_filter_that_takes_its_time_is_waited_for(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git itself does nothing meanwhile: it waits for its child."""
    monkeypatch.setattr(runner, "IDLE_TIMEOUT", 0.2)
    scene.write(".gitattributes", "*.big filter=slow\n")
    scene.write("x.big")
    slow = (
        f"{sys.executable} -c 'import sys, time; time.sleep(2); sys.stdout.write(sys.stdin.read())'"
    )
    scene.git("config", "filter.slow.clean", slow)
    Git(scene.top, {}).run("add", "x.big")
    assert "x.big" in scene.git("ls-files")


def test_a_command_that_works_for_long_ends_at_its_limit(scene: Scene) -> None:
    with pytest.raises(runner.TooSlowError, match="git took longer than 1 s"):
        Git(scene.top, {}).run("-c", "alias.x=!sleep 3", "x", timeout=1.0)


@pytest.mark.parametrize(
    "head", ["ref: /etc/passwd", "ref: ../../HEAD", "ref: ", "ref: \0", "x" * 9000]
)
def test_an_odd_head_is_no_branch_that_blocks(scene: Scene, head: str) -> None:
    (scene.top / ".git" / "HEAD").write_text(head)
    assert blocking_file(scene.top) is None
    assert find_blocking_file(scene.top) is None
