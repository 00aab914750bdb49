"""Hunks are taken back, and become patches that git takes."""

import subprocess
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.edits.hunks import (
    LineHunk,
    NotThereError,
    format_patch,
    has_surroundings,
    revert_hunk,
    revert_hunk_in,
    split_lines,
)

TEXTS = st.lists(st.sampled_from("abcde"), max_size=14).map("\n".join) | st.lists(
    st.sampled_from(["a\n", "b\r\n", "c\n"]), max_size=20
).map("".join)


def hunks_of(old: str, new: str) -> list[LineHunk]:
    matcher = SequenceMatcher(None, split_lines(old), split_lines(new), autojunk=False)
    return [LineHunk(*places) for tag, *places in matcher.get_opcodes() if tag != "equal"]


@given(TEXTS, TEXTS)
def test_taking_all_back_from_the_last_on_is_the_old_text(old: str, new: str) -> None:
    left = new
    for hunk in reversed(hunks_of(old, new)):
        left = revert_hunk(old, left, hunk)
    assert left == old


def git(folder: Path, *args: str, given: str = "") -> str:
    done = subprocess.run(
        ["git", *args], cwd=folder, input=given.encode(), capture_output=True, check=True
    )
    return done.stdout.decode()


@pytest.mark.parametrize("name", ["a.txt", "sub/with space.txt", 'odd"name\\é.txt', "tab\there"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a\n" * 30, "x\n" + "a\n" * 28 + "y\n"),
        ("a\nb\nc\nd\n", "A\nb\nC\nd\n"),
        ("a\nb", "a\nb\n"),
        ("a\nb\n", "a\nb"),
        ("a\r\nb\r\n", "a\r\nB\r\n"),
        ("a\n", ""),
        ("", "a\n"),
        (None, "a\nb"),
        ("a\nb", None),
    ],
)
def test_git_applies_a_patch(tmp_path: Path, name: str, old: str | None, new: str | None) -> None:
    git(tmp_path, "init", "-q")
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    if old is not None:
        file.write_bytes(old.encode())
    made = format_patch(name, old, new, hunks_of(old or "", new or ""))
    git(tmp_path, "apply", "--whitespace=nowarn", "-", given=made)
    assert (file.read_bytes().decode() if file.exists() else None) == new


@settings(max_examples=25, deadline=None)
@given(TEXTS, TEXTS, st.data())
def test_git_applies_any_single_hunk(old: str, new: str, data: st.DataObject) -> None:
    hunks = hunks_of(old, new)
    if not hunks:
        return
    hunk = data.draw(st.sampled_from(hunks))
    made = format_patch("f", old, new, [hunk])
    lines = split_lines(old)
    wanted = [*lines[: hunk.old_start], *split_lines(new)[hunk.new_start : hunk.new_end]]
    wanted += lines[hunk.old_end :]
    if any(not line.endswith("\n") for line in wanted[:-1]):
        return  # the end of one text would stand in the middle of the other
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        file = Path(folder, "f")
        file.write_bytes(old.encode())
        git(Path(folder), "apply", "--unidiff-zero", "--whitespace=nowarn", "-", given=made)
        assert file.read_bytes().decode() == "".join(wanted)


def test_a_part_of_a_file_is_taken_back_only_where_it_stands_once() -> None:
    hunk = LineHunk(0, 1, 0, 1)
    assert revert_hunk_in("x\nB\ny\n", "b\n", "B\n", hunk) == "x\nb\ny\n"
    with pytest.raises(NotThereError, match="more than once"):
        revert_hunk_in("B\nx\nB\n", "b\n", "B\n", hunk)
    with pytest.raises(NotThereError, match="isn't in it anymore"):
        revert_hunk_in("x\n", "b\n", "B\n", hunk)
    with pytest.raises(NotThereError, match="isn't in it anymore"):
        revert_hunk_in("x\n", "b\n", "", LineHunk(0, 1, 0, 0))
    assert revert_hunk_in("", "b\n", "", LineHunk(0, 1, 0, 0)) == "b\n"


def test_nothing_to_patch_is_an_empty_file_that_comes_or_goes() -> None:
    assert format_patch("a", None, "", []) == "diff --git a/a b/a\nnew file mode 100644\n"


@pytest.mark.parametrize("runs", [False, True])
def test_a_new_program_can_be_run_after_its_patch(tmp_path: Path, runs: bool) -> None:
    git(tmp_path, "init", "-q")
    made = format_patch("a.sh", None, "true\n", hunks_of("", "true\n"), runs=runs)
    git(tmp_path, "apply", "-", given=made)
    assert bool((tmp_path / "a.sh").stat().st_mode & 0o100) is runs


@pytest.mark.parametrize(
    ("old", "hunks", "found"),
    [
        ("a\nb\nc\n", [LineHunk(1, 2, 1, 2)], True),
        ("a\nb\n", [LineHunk(1, 2, 1, 2)], False),
        ("b\nc\n", [LineHunk(0, 1, 0, 1)], False),
        ("a\n", [], False),
    ],
)
def test_a_part_is_found_by_what_stands_around(
    old: str, hunks: list[LineHunk], found: bool
) -> None:
    assert has_surroundings(old, hunks) == found


def test_a_patch_of_a_part_is_applied_in_any_folder(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    folder = tmp_path / "below"
    folder.mkdir()
    (folder / "f").write_text("".join(f"{number}\n" for number in range(30)))
    texts = "10\n11\n12\n", "10\nnew\nmore\n12\n"
    made = format_patch("f", *texts, [LineHunk(1, 2, 1, 3)], from_top=False, skipped=(10, 10))
    assert "@@ -11,3 +11,4 @@" in made
    git(folder, "apply", "-", given=made)
    assert (folder / "f").read_text().splitlines()[10:14] == ["10", "new", "more", "12"]
