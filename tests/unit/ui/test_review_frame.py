"""The keys that the review names."""

import pytest

from acp_tui.state.session import Session
from acp_tui.ui.review.frame import ReviewPlace, offered_keys, review_heading
from acp_tui.ui.review.scopes import ReviewScope

PLACE = ReviewPlace(
    in_diff=False,
    is_file=True,
    has_diff=True,
    is_last=False,
    can_undo=True,
    can_stage=False,
    can_split=True,
    is_split=False,
    has_comments=False,
)


@pytest.mark.parametrize(("is_split", "words"), [(False, "side by side"), (True, "one column")])
def test_the_other_way_to_draw_diffs_is_named(is_split: bool, words: str) -> None:
    assert ("v", words) in offered_keys(PLACE._replace(is_split=is_split), [])


def test_the_folder_is_named_as_one_would_type_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    heading = review_heading(ReviewScope(), Session("s", "/home/ada/tea"), is_empty=False)
    assert heading.plain.endswith("  ~/tea")


@pytest.mark.parametrize("in_diff", [False, True])
def test_comments_are_sent_by_one_of_the_first_keys(in_diff: bool) -> None:
    place = PLACE._replace(in_diff=in_diff, has_comments=True)
    assert ("w", "to prompt") in offered_keys(place, [])[:2]
    assert ("w", "to prompt") not in offered_keys(place._replace(has_comments=False), [])


@pytest.mark.parametrize(
    ("left_out", "words"),
    [
        ((), "changes on disk  /tea"),
        (("sub/",), "changes on disk  without sub/  /tea"),
        (("sub/", "big.bin"), "changes on disk  without sub/ and 1 more  /tea"),
    ],
)
def test_it_is_said_what_the_list_does_not_see(left_out: tuple[str, ...], words: str) -> None:
    scope = ReviewScope()
    scope.left_out = left_out
    assert words in review_heading(scope, Session("s", "/tea"), is_empty=False).plain
