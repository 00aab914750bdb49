"""Git in a folder that is open: its name may lead to another one by then."""

import os

import pytest

from acp_tui.git import git as runner
from acp_tui.git.git import Git
from tests.unit.rewind.conftest import Scene


@pytest.mark.parametrize("has_path", [True, False])
def test_git_runs_in_the_open_folder_though_another_has_its_name(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, has_path: bool
) -> None:
    if not has_path:  # as on macOS
        monkeypatch.setattr(runner, "_path_of_open", lambda _: None)
    scene.write("tea")
    scene.commit()
    commit = scene.git("rev-parse", "HEAD").strip()
    moved = scene.top.with_name("moved")
    folder = os.open(scene.top, os.O_DIRECTORY)
    try:
        scene.top.rename(moved)
        scene.top.mkdir()
        git = Git(scene.top, {}, folder=folder)
        assert git.line("rev-parse", "--show-toplevel") == str(moved)
        with git.objects() as objects:
            assert objects.commit(commit)[1] == "all\n"
    finally:
        os.close(folder)
