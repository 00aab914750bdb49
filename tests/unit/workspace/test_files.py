"""The files of a folder, as git sees them, and how they are found again."""

import os
import subprocess
from pathlib import Path

import pytest

from acp_tui.git.gitignore import (
    LARGEST_RULES,
    MOST_RULES,
    IgnoreFile,
    parse_gitignore,
    read_gitignore,
)
from acp_tui.workspace.files import FileIndex, scan_files

RULES = """\
# a comment
*.log
!keep.log
build/
/dist
sub/**/gen
**/cache/
doc/*.txt
foo[0-9]?.c
\\#x
a/**/b
everything/**
*.tmp<trailing>
*.tab\t
spaced\\ name
[!a]z
[
!
/
""".replace("<trailing>", "  ")
NAMES = [
    "a.log",
    "keep.log",
    "build/x",
    "build2/x",
    "z/build",
    "dist/y",
    "q/dist/y",
    "sub/gen/1",
    "sub/a/b/gen/2",
    "sub/ok.py",
    "sub/no.py",
    "sub/only",
    "sub/d/only",
    "k/cache/z",
    "sub/cache",
    "doc/a.txt",
    "doc/b/c.txt",
    "foo12.c",
    "foo1.c",
    "#x",
    "a/b",
    "a/x/y/b",
    "n.tmp",
    "az",
    "bz",
    "sub/d/no.py",
    "plain.txt",
    "sub/keep.log",
    "everything/below/it",
    "mine.secret",
    "theirs",
    "spaced name",
]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for name in NAMES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / ".gitignore").write_text(RULES)
    (tmp_path / "sub/.gitignore").write_text("*.py\n!ok.py\n/only\n")
    (tmp_path / ".git/info/exclude").write_text("*.secret\n")
    (tmp_path / "link").symlink_to("sub")
    return tmp_path


def by_git(folder: Path) -> set[str]:
    """What git itself lists."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return set(listed.stdout.split("\0")) - {""}


@pytest.mark.parametrize("below", [".", "sub", "sub/d", "doc"])
def test_what_git_ignores_is_left_out(repository: Path, below: str) -> None:
    folder = repository / below
    assert set(scan_files(str(folder))) == by_git(folder)


LINES = [
    *("?", "/?", "a?", "*\\", "a\\", "\\a", "\\\\", "[[:alpha:]]", "[![:digit:]b]", "[[:none:]]"),
    *("[^a]", "[!]a]", "[]a]", "[\\]a]", "[a\\]", "[a-]", "[-a]", "[[a]", "[a&&b]", "[]"),
    *(
        "//a",
        "a//b",
        "a//",
        "**/",
        "**\\/",
        "/**",
        "**",
        "a/**",
        "**/a",
        "a/*",
        "!a",
        "\\!a",
        "a\\ ",
        "?",
        "??",
        "[!a]",
        "é",
        "[é][é]",
    ),
]
PLAIN_NAMES = (
    "a",
    "b",
    "ab",
    "1",
    "!a",
    "]",
    "a ",
    "a\\",
    "\\",
    "-",
    "[",
    "&",
    "^",
    "a/b",
    "b/a",
    "b/]/a",
    "é",
    "é/a",
)


@pytest.mark.parametrize("line", LINES)
def test_a_line_means_what_it_means_to_git(tmp_path: Path, line: str) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbf" + line.encode())
    asked = "".join(f"./{name}\0" for name in PLAIN_NAMES)
    command = ["git", "check-ignore", "--no-index", "-z", "--stdin"]
    told = subprocess.run(command, cwd=tmp_path, input=asked, capture_output=True, text=True)
    rules = read_gitignore(tmp_path / ".gitignore")
    ours = [name for name in PLAIN_NAMES if rules is not None and ignores(rules, name)]
    assert "".join(f"./{name}\0" for name in ours) == told.stdout


def ignores(rules: IgnoreFile, path: str) -> bool:
    """Whether a file is ignored, by itself or with a folder that it lies in."""
    names = path.split("/")
    above = ("/".join(names[:end]) for end in range(1, len(names)))
    return any(rules.decide(one, folder=True) for one in above) or bool(
        rules.decide(path, folder=False)
    )


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 20 + "b", "a" * 200),
        ("**/a/**/a/**/a/**/a/**/b", "a/" * 1000 + "c"),
        ("**/*a*a/**/*a*a/**/*a*a/b", "aaaa/" * 500 + "c"),
    ],
)
def test_no_pattern_of_a_project_takes_long(pattern: str, path: str) -> None:
    rules = parse_gitignore(pattern)
    assert rules is not None
    assert rules.decide(path, folder=False) is None
    assert rules.decide(f"{path[:-1]}b", folder=False) is True


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_what_is_no_file_of_rules_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.gitignore").write_text("a" * LARGEST_RULES + "\n*")
    (tmp_path / "sub/file").touch()
    (tmp_path / "many").mkdir()
    (tmp_path / "many/.gitignore").write_text("*\n" * (MOST_RULES + 1))
    assert set(scan_files(str(tmp_path))) == {
        ".gitignore",
        "many/.gitignore",
        "sub/.gitignore",
        "sub/file",
    }


def test_nearer_files_come_first_and_never_too_many(tmp_path: Path) -> None:
    for name in ("deep/er/c", "deep/b", "a"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert scan_files(str(tmp_path)) == ["a", "deep/b", "deep/er/c"]
    assert scan_files(str(tmp_path), most=2) == ["a", "deep/b"]
    assert scan_files(str(tmp_path), stop=lambda: True) == []
    stops = iter([False, True])
    assert len(scan_files(str(tmp_path / "deep"), stop=lambda: next(stops))) <= 1
    assert scan_files(str(tmp_path / "missing")) == []


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("app", "src/app.py"),
        ("APP", "src/app.py"),
        ("test", "tests/test_app.py"),
        ("src/app", "src/app.py"),
        ("tsap", "tests/test_app.py"),
        ("readme", "README.md"),
        ("rm", "README.md"),
    ],
)
def test_a_few_letters_find_a_file(query: str, first: str) -> None:
    paths = ["src/application.py", "src/app.py", "tests/test_app.py", "README.md", "docs/x.roam.py"]
    index = FileIndex(paths)
    assert index.search(query)[0] == first


def test_typing_on_narrows_and_going_back_widens() -> None:
    index = FileIndex(["abc", "abd", "xyz"])
    assert index.search("ab") == ["abc", "abd"]
    assert index.search("abd") == ["abd"]
    assert index.search("a") == ["abc", "abd"]
    assert index.search("") == ["abc", "abd", "xyz"]
    assert index.search("zz") == []
    assert index.search("b", limit=1) == ["abc"]
