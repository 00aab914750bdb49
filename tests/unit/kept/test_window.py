"""A run with a window of its own, when it is to be kept."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from acp_tui.config.paths import kept_folder
from acp_tui.kept.run_places import KeptRunError, claim_name, living_runs
from acp_tui.kept.window import KeepableRun


def test_it_is_called_after_its_folder_and_like_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with claim_name(kept_folder(), "/work/tea", None), ExitStack() as claims:
        run = KeepableRun("/work/tea", claims, str)
        assert run.name == "tea-2"
        run.keep()
        assert [one.name for one in living_runs(kept_folder())] == ["tea", "tea-2"]
    assert living_runs(kept_folder()) == []


def test_where_nothing_can_be_kept_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with ExitStack() as claims:
        run = KeepableRun("/work/tea", claims, str)
        assert run.name == "tea"
        with pytest.raises(KeptRunError, match=r"nothing can be kept in .*: Not a directory"):
            run.keep()
        assert run.claimed is None
