"""Prompts in a file: what each run sends, every run finds."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.store import prompts
from acp_tui.store.prompts import LONGEST_PROMPT, PromptFile

ADD = """
import sys
from pathlib import Path
from acp_tui.store.prompts import PromptFile
file = PromptFile(Path(sys.argv[1]))
for number in range(100):
    file.add_prompt("/work", f"{sys.argv[2]} {number} " + "x" * 3000)
"""


def texts(file: PromptFile) -> list[str]:
    return [one.text for one in file.load()]


def test_each_text_of_a_folder_is_found_once_where_it_was_sent_last(tmp_path: Path) -> None:
    file = PromptFile(tmp_path / "state" / "prompts.jsonl")
    assert file.load() == []
    for folder, text in [
        ("/a", "one"),
        ("/a", "two\nlines \ud800 ☕"),
        ("/a", "one"),
        ("/b", "one"),
    ]:
        file.add_prompt(folder, text)
    assert [(one.folder, one.text) for one in file.load()] == [
        ("/a", "two\nlines \ud800 ☕"),
        ("/a", "one"),
        ("/b", "one"),
    ]


def test_it_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    PromptFile(path).add_prompt("/a", "one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_space_before_it_keeps_a_prompt_out_and_so_does_its_length(tmp_path: Path) -> None:
    file = PromptFile(tmp_path / "prompts.jsonl")
    for text in (" secret", "\tsecret", "x" * (LONGEST_PROMPT + 1), "kept"):
        file.add_prompt("/a", text)
    assert texts(file) == ["kept"]


@pytest.mark.parametrize(
    "line", [b"{", b"[]", b"\xff", b'{"at": 1}', b'{"at": "x", "folder": "/a", "text": "y"}']
)
def test_lines_that_cant_be_read_are_skipped(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "prompts.jsonl"
    path.write_bytes(line + b"\n")
    file = PromptFile(path)
    file.add_prompt("/a", "one")
    assert texts(file) == ["one"]


def test_a_file_that_grew_too_large_keeps_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompts, "LARGEST_HISTORY_FILE", 10_000)
    path = tmp_path / "prompts.jsonl"
    file = PromptFile(path)
    for number in range(100):
        file.add_prompt("/a", f"{number} {'x' * 200}")
        assert path.stat().st_size < 10_500
    assert texts(file)[-1].startswith("99 ")
    assert len(texts(file)) > 5


def test_two_runs_lose_nothing_of_each_other(
    tmp_path: Path,
) -> None:
    path = tmp_path / "prompts.jsonl"
    runs = [
        subprocess.Popen([sys.executable, "-c", ADD, str(path), name]) for name in ("tea", "milk")
    ]
    assert [run.wait(60) for run in runs] == [0, 0]
    assert len(texts(PromptFile(path))) == 200
