"""Every command that the documents show is one that the program takes.

What is run here is only the reading of the arguments. The commands themselves are run, too:
`tests/e2e/test_documented_runs.py`, and those of docs/debugging.md with their output
(`tests/e2e/test_debugging_page.py`).
"""

import re
import shlex
from collections.abc import Iterator

import pytest

from acp_tui.cli import main
from acp_tui.cli.commands import COMMANDS, DEFAULT
from acp_tui.cli.parser import Parser
from tests.installed import ROOT

CALL = re.compile(r"acp-tui(?! \w+:)(\s|$)")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def shown() -> Iterator[tuple[str, str]]:
    """Each line of code that calls the program, and the page that it stands on."""
    for page in PAGES:
        fenced = False
        for line in page.read_text("utf-8").splitlines():
            if line.startswith("```"):
                fenced = not fenced
            code = line.strip().removeprefix("$ ")
            if (fenced or line.startswith("    ")) and CALL.match(code):
                yield page.name, re.split(r"\s{2,}|\s#\s", code)[0]
    for name in COMMANDS:
        yield from ((f"{name} --help", line) for line in examples(name))


def examples(name: str) -> list[str]:
    """The calls that a command shows in its help."""
    commands = Parser("acp-tui", allow_abbrev=False).add_subparsers()
    parser = main.add_command(commands, name, main.load_command(name))
    lines = [line.strip() for line in (parser.epilog or "").splitlines()]
    lines += [line.strip() for line in (parser.usage or "").splitlines() if name == DEFAULT]
    return [re.split(r"\s{2,}|\s#\s|, ", line)[0] for line in lines if CALL.match(line)]


LINES = sorted(set(shown()))


class Stub:
    """A command that only takes its arguments."""

    def __init__(self, command: main.Command) -> None:
        self.configure = command.configure

    def execute(self, _: object) -> int:
        return 0


def words(line: str) -> list[str]:
    """The arguments, as far as they are the program's own."""
    found = shlex.split(line)[1:]
    end = next((at for at, one in enumerate(found) if one in ("|", ">", "&&")), len(found))
    some = [one for one in found[:end] if not re.fullmatch(r"\[.*\]?|.*\]|\.\.\.", one)]
    return ["bash" if one == "SHELL" else one.split("|")[0] for one in some]


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"mcp", "completion"}))
def test_each_command_shows_how_it_is_called(name: str) -> None:
    """The two others show what stands in settings, and what a shell is told."""
    assert examples(name)


def test_each_line_that_is_shown_is_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(LINES) > 80
    command = main.load_command
    monkeypatch.setattr(main, "load_command", lambda name: Stub(command(name)))
    for page, line in LINES:
        try:
            code = main.run(words(line))
        except SystemExit as error:
            code = 0 if error.code in (None, 0) else 2
        assert code == 0, f"{page}: {line}: {capsys.readouterr().err}"
