"""`acp-tui man`: a page that man can show, with every command and option."""

import shutil
import subprocess

import pytest

from acp_tui.cli.commands import COMMANDS, DEFAULT
from tests.e2e.test_run_arguments import acp_tui


def test_it_has_every_command_and_its_options() -> None:
    page = acp_tui("man").stdout
    sections = [line for line in page.splitlines() if line.startswith(".SS ")]
    assert sections == [f".SS acp\\-tui {name}" for name in COMMANDS if name != DEFAULT]
    assert ".B \\-\\-plain" in page
    assert ".B \\-\\-judge COMMAND" in page


def test_all_that_can_be_written_begins_at_the_same_column() -> None:
    _, _, rest = acp_tui("man").stdout.partition(".SH SYNOPSIS\n.nf\n")
    lines = rest.partition("\n\n")[0].splitlines()
    assert len(lines) > 10
    assert all(line.startswith("acp\\-tui ") for line in lines)


def test_no_text_is_a_request_of_roffs() -> None:
    requests = {line.split()[0] for line in acp_tui("man").stdout.splitlines() if line[:1] == "."}
    assert requests <= {".TH", ".SH", ".SS", ".TP", ".B", ".PP", ".nf", ".fi", ".RS", ".RE"}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
def test_man_shows_it_without_a_warning() -> None:
    shown = subprocess.run(
        ["man", "--warnings", "-l", "-"],
        input=acp_tui("man").stdout,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Agent Client Protocol" in shown.stdout
