import pytest

from acp_tui.policy.globs import (
    anchor_pattern,
    escape_glob,
    glob_problem,
    literal_start,
    matches_glob,
    path_matches,
    word_matches,
)


@pytest.mark.parametrize(
    ("pattern", "path", "said"),
    [
        ("/w/src/**", "/w/src/a/b.py", True),
        ("/w/src/**", "/w/src", True),
        ("/w/src/**", "/w/src2/a", False),
        ("/w/*.py", "/w/a.py", True),
        ("/w/*.py", "/w/a/b.py", False),
        ("/w/**/*.py", "/w/b.py", True),
        ("/w/**/*.py", "/w/a/b/c.py", True),
        ("/w/**/a/**/b", "/w/x/a/y/a/b", True),
        ("/w/**/a/**/b", "/w/x/b", False),
        ("/**/.env", "/anywhere/.env", True),
        ("/w/a?", "/w/ab", True),
        ("/w/[ab]", "/w/b", True),
        ("/w/[!ab]", "/w/b", False),
        ("/w/[", "/w/[", True),
        ("/w/a", "/w/a/b", False),
        ("/w/a/b", "/w/a", False),
        ("/w/[^a]x", "/w/bx", True),
        ("C:\\w\\*.py", "C:/w/a.py", True),
    ],
)
def test_paths(pattern: str, path: str, said: bool) -> None:
    assert path_matches(pattern, path) is said


def test_a_bracket_never_stands_for_a_slash() -> None:
    assert not path_matches("/w/[.-0]x", "/w//x")
    assert matches_glob("a[/]b", "a/b")


@pytest.mark.parametrize(("pattern", "word", "matched"), [
    ("?main", "+main", False), ("*", "-f", False), ("[a+]x", "+x", False), ("[!x]f", "-f", False),
    ("+*", "+%s", True), ("-?", "-f", True), ("+*", "-f", False), ("a+*", "a+b", True),
])  # fmt: skip
def test_no_wildcard_begins_an_option(pattern: str, word: str, matched: bool) -> None:
    assert word_matches(pattern, word) is matched


def test_titles_match_as_a_whole() -> None:
    assert matches_glob("Write *", "Write a/b\nc")
    assert not matches_glob("Write", "Write x")


def test_patterns_are_meant_below_the_folder_or_the_home() -> None:
    assert anchor_pattern("src/**", "/w", "/h") == "/w/src/**"
    assert anchor_pattern("./src/", "/w", "/h") == "/w/./src/**"
    assert anchor_pattern("~/x", "/w", "/h") == "/h/x"
    assert anchor_pattern("~", "/w", "/h") == "/h"
    assert anchor_pattern("/etc/*", "/w", "/h") == "/etc/*"
    assert anchor_pattern("C:/x", "/w", "/h") == "C:/x"
    assert anchor_pattern("*", "/w[1]", "/h") == "/w[[]1]/*"
    assert path_matches(anchor_pattern("*", "/w[1]", "/h"), "/w[1]/a")
    assert anchor_pattern("a", "/", "/h") == "/a"


def test_the_literal_start() -> None:
    assert literal_start("/a/b/*/c") == ("/a/b", "*/c")
    assert literal_start("/a/b") == ("/a/b", "")


def test_an_escaped_text_matches_itself() -> None:
    assert matches_glob(escape_glob("a*[b]?"), "a*[b]?")
    assert not matches_glob(escape_glob("a*"), "ab")


@pytest.mark.parametrize(
    ("pattern", "words"),
    [("a**/b", "alone"), ("../x", "not allowed"), ("[z-a]", "bad character range")],
)
def test_what_is_wrong_with_a_glob_is_told(pattern: str, words: str) -> None:
    assert words in (glob_problem(pattern) or "")


def test_a_good_glob() -> None:
    assert glob_problem("src/**/*.py") is None
