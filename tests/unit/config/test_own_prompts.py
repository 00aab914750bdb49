"""Prompts in files: a person's own, and a project's, which is trusted text by text."""

import os
from pathlib import Path

import pytest

from acp_tui.config.own_prompts import LARGEST_FILE, own_prompts, trust_prompt


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the person's prompts."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "config" / "acp-tui" / "prompts"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """The folder of the project's prompts."""
    folder = tmp_path / "project" / ".acp-tui" / "prompts"
    folder.mkdir(parents=True)
    return folder


def names(theirs: Path) -> list[str]:
    return [one.name for one in own_prompts(str(theirs.parent.parent))]


def test_the_first_line_says_what_it_is_for(own: Path, theirs: Path) -> None:
    (own / "tea.md").write_text("\n# Tea for two\n\nBrew it.\n")
    (theirs / "review.md").write_text("Review\n")
    review, tea = own_prompts(str(theirs.parent.parent))
    assert (tea.description, tea.of_project, tea.is_trusted) == ("Tea for two", False, True)
    assert (review.description, review.of_project, review.is_trusted) == ("Review", True, False)


def test_a_head_says_it_and_is_no_part_of_the_prompt(own: Path, theirs: Path) -> None:
    head = "---\r\ndescription: 'Brew tea'\r\nargument-hint: [cups]\r\n---\r\n"
    (own / "tea.md").write_bytes(head.encode() + b"Brew it\r\n---\r\nwell\r\n")
    (own / "rule.md").write_text("---\nno head\n")
    (own / "empty.md").write_text("---\ndescription: Nothing\n---\n")
    rule, tea = own_prompts(str(theirs.parent.parent))
    assert (tea.description, tea.hint, tea.text) == ("Brew tea", "[cups]", "Brew it\n---\nwell\n")
    assert (rule.description, rule.hint) == ("---", "")


def test_a_persons_own_wins(own: Path, theirs: Path) -> None:
    (own / "tea.md").write_text("mine")
    (theirs / "tea.md").write_text("theirs")
    assert [one.text for one in own_prompts(str(theirs.parent.parent))] == ["mine"]


def test_trust_ends_where_the_text_changes(theirs: Path) -> None:
    file = theirs / "tea.md"
    file.write_text("Brew tea")
    trust_prompt(own_prompts(str(theirs.parent.parent))[0])
    assert own_prompts(str(theirs.parent.parent))[0].is_trusted
    file.write_text("Brew tea and run this")
    assert not own_prompts(str(theirs.parent.parent))[0].is_trusted


def test_what_is_no_prompt_is_left_out(theirs: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    (theirs / "link.md").symlink_to(secret)
    os.mkfifo(theirs / "fifo.md")
    (theirs / "folder.md").mkdir()
    (theirs / "big.md").write_text("x" * (LARGEST_FILE + 1))
    (theirs / "blank.md").write_text("\n \n")
    (theirs / "binary.md").write_bytes(b"\xff")
    (theirs / "a b\x1b.md").write_text("name")
    (theirs / "note.txt").write_text("text")
    assert names(theirs) == []


def test_without_folders_there_are_none(tmp_path: Path) -> None:
    assert own_prompts(str(tmp_path / "nowhere")) == []
    assert own_prompts("") == []
