"""Who made which change: edits are replayed, and what they don't explain has no author."""

from acp_tui.edits.authors import AuthoredEdit, HunkAuthors
from acp_tui.edits.hunks import LineHunk
from acp_tui.edits.line_diff import compare_lines
from acp_tui.edits.steps import finish_steps

TEN = "".join(f"{number}\n" for number in range(10))


def authors(old: str, new: str, *edits: AuthoredEdit) -> list[list[str | None]]:
    """Return the authors of each hunk."""
    found = HunkAuthors(old, new, edits)
    blocks = finish_steps(compare_lines(old.splitlines(), new.splitlines()))
    return [found.authors_of(LineHunk(*one[1:])) for one in blocks if not one.same]


def part(author: str, old: str, new: str) -> AuthoredEdit:
    return AuthoredEdit(author, old, new, is_whole=False)


def test_each_change_has_the_author_of_its_edit() -> None:
    ada = AuthoredEdit("Ada", TEN, TEN.replace("2\n", "two\n"), is_whole=True)
    bo, gone = part("Bo", "7", "seven"), part("", "5\n", "")
    new = TEN.replace("2", "two").replace("5\n", "").replace("7", "seven")
    assert authors(TEN, new, ada, bo, gone) == [["Ada"], [""], ["Bo"]]


def test_a_change_that_no_edit_explains_has_no_known_author() -> None:
    new = TEN.replace("2", "two").replace("7", "seven")
    twice, elsewhere = part("Bo", "\n", ""), part("Bo", "not there", "7")
    assert authors(TEN, new, part("Ada", "2", "two"), twice, elsewhere) == [["Ada"], [None]]
    assert authors(TEN, new) == [[None], [None]]


def test_what_was_there_before_a_write_is_not_its_authors() -> None:
    """A command had changed the file when it was written."""
    between = TEN.replace("2", "two")
    write = AuthoredEdit("Ada", between, between.replace("7", "seven"), is_whole=True)
    assert authors(TEN, between.replace("7", "seven"), write) == [[None], ["Ada"]]


def test_a_line_that_two_changed_has_both() -> None:
    edits = part("Ada", "2\n", "two\n"), part("Bo", "two\n", "zwei\n")
    assert authors(TEN, TEN.replace("2", "zwei"), *edits) == [["Ada", "Bo"]]


def test_an_edit_that_was_taken_back_is_nobodys_change() -> None:
    edits = part("Ada", "2\n", "two\n"), part("Bo", "two\n", "2\n")
    assert authors(TEN, TEN.replace("7", "seven"), *edits) == [[None]]


def test_line_ends_and_a_missing_file_make_no_difference() -> None:
    made = AuthoredEdit("Ada", "", "tea\r\ncoffee\r\n", is_whole=True)
    assert authors("", "tea\ncoffee\n", made) == [["Ada"]]
    assert authors("tea\n", "", AuthoredEdit("Ada", "tea\n", "", is_whole=True)) == [["Ada"]]
