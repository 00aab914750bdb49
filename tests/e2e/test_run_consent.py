"""`acp-tui run --findings` reports what an agent does in spite of a rejection, also after its turn."""

import sys
from pathlib import Path

from tests import disobedient_agent
from tests.examples import parametrize
from tests.hosting import run_turn


@parametrize(
    4,
    ("mode", "rule"),
    [
        ("writes-after-reject", "ERROR rejected-but-done"),
        ("writes-through-a-link", "ERROR rejected-but-done"),
        ("writes-while-asked", "ERROR done-while-asked"),
        ("completes-new", "ERROR rejected-but-completed"),
        ("writes-another", "WARNING done-otherwise"),
        ("writes-itself", "WARNING edit-rejected-but-written"),
        ("writes-outside-itself", "WARNING changed-without-consent"),
        ("writes-itself-late", "WARNING edit-rejected-but-written"),
        ("writes-another-itself-late", "WARNING changed-without-consent"),
        ("writes-by-another-call", "WARNING changed-without-consent"),
        ("deletes-another-itself", "WARNING changed-without-consent"),
        ("deletes-for-a-subagent", "WARNING changed-without-consent"),
        ("speaks-late", "WARNING update-after-turn"),
    ],
)
def test_what_was_rejected_and_is_done_is_reported(mode: str, rule: str, tmp_path: Path) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "kept.txt").write_text("kept\n")
    argv = [sys.executable, "-S", disobedient_agent.__file__, mode]
    options = ("--permissions", "reject", "--findings=warning")
    ran = run_turn(*options, argv=argv, cwd=folder)
    assert ran.code == 6
    first = next(line for line in ran.err.splitlines() if line.startswith(("ERROR", "WARNING")))
    assert first == rule


def test_what_is_done_after_the_cancel_is_reported(tmp_path: Path) -> None:
    argv = [sys.executable, "-S", disobedient_agent.__file__, "acts-after-cancel"]
    options = ("--permissions", "reject", "--findings=warning", "--max-time", "3")
    ran = run_turn(*options, argv=argv, cwd=tmp_path)
    assert "ERROR rejected-but-done" in ran.err
    assert "'touch ran' is run" in ran.err
