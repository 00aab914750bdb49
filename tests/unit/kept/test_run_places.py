"""How kept runs are found, and that nobody else gets to them."""

import os
import stat
from pathlib import Path

import pytest

from acp_tui.kept.run_places import (
    KeptRunError,
    RunPlace,
    claim_name,
    find_run,
    is_valid_name,
    leftover_logs,
    living_runs,
    name_for,
)


def test_a_run_is_found_by_its_name_as_long_as_it_lives(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    assert living_runs(folder) == []
    with claim_name(folder, "/work/tea", None) as (place, listener):
        assert find_run(folder, None).name == find_run(folder, "tea").name == place.name == "tea"
        with place.connect():
            listener.accept()[0].close()
    assert list(folder.iterdir()) == []
    with pytest.raises(KeptRunError, match="no run is kept; start one"):
        find_run(folder, None)


def test_nobody_else_can_open_the_folder_or_the_socket(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    folder.chmod(0o755)
    with claim_name(folder, "/work/tea", None) as (place, _):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(place.socket.stat().st_mode) == 0o600
        assert stat.S_IMODE(place.facts.stat().st_mode) == 0o600


def test_a_folder_that_is_a_link_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "kept").symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(KeptRunError, match="is not a folder of yours"),
        claim_name(tmp_path / "kept", "/work", None),
    ):
        pass


def test_a_run_of_another_user_is_asked_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with claim_name(tmp_path, "/work/tea", None) as (place, _):
        monkeypatch.setattr(os, "getuid", lambda: 4711)
        with pytest.raises(KeptRunError, match=r"tea\.sock belongs to another user"):
            place.connect()


def test_a_link_in_a_name_s_place_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "tea.json").symlink_to(tmp_path / "precious")
    with (
        pytest.raises(KeptRunError, match="can't write"),
        claim_name(tmp_path / "kept", "/work/tea", None),
    ):
        pass
    assert (tmp_path / "precious").read_text() == "mine"


def test_names_are_free_or_refused(tmp_path: Path) -> None:
    with (
        claim_name(tmp_path, "/work/tea", None),
        claim_name(tmp_path, "/work/tea", None) as (second, _),
    ):
        assert second.name == "tea-2"
        with (
            pytest.raises(KeptRunError, match="acp-tui attach tea"),
            claim_name(tmp_path, "/", "tea"),
        ):
            pass
        with pytest.raises(KeptRunError, match="name one of the kept runs; there are: tea, tea-2"):
            find_run(tmp_path, None)
        with pytest.raises(KeptRunError, match="no kept run is called 'bread'; there are: tea"):
            find_run(tmp_path, "bread")


def test_what_a_killed_run_left_is_cleaned_up_but_for_its_words(tmp_path: Path) -> None:
    place = RunPlace(tmp_path, "tea")
    for path in (place.facts, place.socket):
        path.touch()
    place.log.write_text("a fault")
    assert living_runs(tmp_path) == []
    assert list(tmp_path.iterdir()) == [place.log]
    with claim_name(tmp_path, "/work/tea", None) as (again, _):
        assert again.name == "tea"


def test_a_long_path_is_no_obstacle(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 40)
    if not Path("/proc/self/fd").exists():
        pytest.skip("only Linux has a shorter path for it")
    with claim_name(folder, "/work/tea", None) as (place, _), place.connect():
        assert len(os.fsencode(place.socket)) > 108


def test_a_run_that_does_not_listen_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(KeptRunError, match=r"tea can't be reached: .*; what it wrote: .*tea\.log"):
        RunPlace(tmp_path, "tea").connect()


@pytest.mark.parametrize(
    ("folder", "name"), [("/work/tea", "tea"), ("/", "run"), ("/a b/ü", "run"), ("/.x y", "x-y")]
)
def test_a_run_is_named_by_its_folder(folder: str, name: str) -> None:
    assert name_for(folder) == name
    assert is_valid_name(name)


@pytest.mark.parametrize("name", ["", "../tea", "a/b", "-x", ".x", "x" * 41, "a b", "ü"])
def test_what_is_no_name(name: str) -> None:
    assert not is_valid_name(name)


def test_what_a_fallen_run_wrote_is_found_until_it_is_old(tmp_path: Path) -> None:
    for name, at in (("tea", None), ("old", 1.0)):
        log = RunPlace(tmp_path, name).log
        log.write_text("a fault")
        if at is not None:
            os.utime(log, (at, at))
    with claim_name(tmp_path, "/", "bread") as (place, _):
        place.log.touch()
        assert leftover_logs(tmp_path) == [tmp_path / "tea.log"]
    assert not (tmp_path / "old.log").exists()
