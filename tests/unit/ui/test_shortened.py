"""Numbers, names and paths for people."""

from pathlib import Path

import pytest

from acp_tui.ui.toolkit.shortened import cropped_in_middle, from_home, path_end


@pytest.mark.parametrize(
    ("most", "shown"),
    [(9, "abcdefghi"), (8, "abcd…ghi"), (5, "ab…hi"), (2, "a…"), (1, "…"), (0, "")],
)
def test_a_name_that_is_cut_keeps_both_its_ends(most: int, shown: str) -> None:
    assert cropped_in_middle("abcdefghi", most) == shown


@pytest.mark.parametrize(("most", "shown"), [(8, "茶茶茶茶"), (7, "茶…茶"), (2, "…"), (1, "…")])
def test_a_name_of_wide_characters_is_cut_to_its_cells(most: int, shown: str) -> None:
    assert cropped_in_middle("茶茶茶茶", most) == shown


@pytest.mark.parametrize(("most", "shown"), [(8, "/a/b/tea"), (5, "…/tea"), (1, "…")])
def test_a_path_that_is_cut_keeps_its_end(most: int, shown: str) -> None:
    assert path_end("/a/b/tea", most) == shown


def test_the_home_folder_is_short() -> None:
    home = str(Path.home())
    assert [from_home(one) for one in (home, f"{home}/a", f"{home}work")] == [
        "~",
        "~/a",
        f"{home}work",
    ]
