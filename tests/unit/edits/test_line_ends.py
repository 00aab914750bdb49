"""Line ends and byte order marks that differ between two texts are named, and few of them shown."""

import pytest

from acp_tui.edits.line_diff import ends_hidden, ends_note, ends_of, is_dos

LF = "a\nb\nc\nd\ne\n"
CRLF = LF.replace("\n", "\r\n")
MIXED = CRLF.replace("\r\n", "\n", 1)
BOM = "\ufeff"


@pytest.mark.parametrize(
    ("old", "new", "note", "hidden"),
    [
        (LF, LF, "", False),
        (LF, CRLF, "line ends: LF to CRLF", True),
        (CRLF, LF, "line ends: CRLF to LF", True),
        ("a\n", "a\r\n", "line ends: LF to CRLF", False),
        (CRLF, MIXED, "line ends: CRLF to mixed", False),
        (MIXED, LF, "line ends: mixed to LF", True),
        (LF, BOM + LF, "BOM added", True),
        (BOM + CRLF, LF, "line ends: CRLF to LF, BOM removed", True),
        (None, CRLF, "", False),
        (CRLF, "", "", False),
        ("a", "a\r\n", "", False),
    ],
)
def test_what_changes_apart_from_the_words_is_named(
    old: str | None, new: str, note: str, hidden: bool
) -> None:
    assert ends_note(old, new) == note
    assert ends_hidden(old, new) is hidden


def test_line_ends_have_names() -> None:
    assert [ends_of(one) for one in ("a", LF, CRLF, MIXED)] == ["", "LF", "CRLF", "mixed"]
    assert is_dos(CRLF)
    assert not is_dos(MIXED)
    assert not is_dos("a\r\nb\r"), "a carriage return alone ends nothing"
