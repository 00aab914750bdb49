"""Help begins with one page, and what is wrong is told in two lines with what may have been meant."""

import re

import pytest

from acp_tui.cli import main
from acp_tui.cli.commands import COMMANDS, DEFAULT
from acp_tui.cli.completion import whole_parser
from acp_tui.cli.parser import SHORT_HELP


def printed(capsys: pytest.CaptureFixture[str], *given: str) -> str:
    """Run with these arguments, and return what stands on stdout."""
    code: object = 0
    try:
        code = main.run(given)
    except SystemExit as error:
        code = error.code
    assert code in (None, 0)
    return capsys.readouterr().out


def test_the_first_page_fits_a_screen_and_has_all_commands() -> None:
    lines = SHORT_HELP.splitlines()
    assert 25 <= len(lines) <= 40
    assert max(map(len, lines)) <= 80
    words = set(re.findall(r"[\w-]+", SHORT_HELP))
    assert set(COMMANDS) - {DEFAULT} <= words


def test_the_options_of_the_first_page_are_options() -> None:
    options = re.findall(r"(?<![\w-])--[a-z-]+", SHORT_HELP)
    known = {name for one in whole_parser()._actions for name in one.option_strings}
    assert len(options) > 10
    assert set(options) <= {*known, "--help"}


@pytest.mark.parametrize("given", [["--help"], ["-h"], ["help"], ["--theme", "day", "--help"]])
def test_help_is_the_first_page(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, *given) == SHORT_HELP


@pytest.mark.parametrize("given", [["--help", "all"], ["-h", "all"], ["help", "all"]])
def test_all_of_it_is_printed_when_asked(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    told = printed(capsys, *given)
    for option in ("--agent-log", "--max-cost", "--watch"):
        assert option in told


def test_help_of_a_command_is_found_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "help", "log") == printed(capsys, "log", "--help")
    assert "usage: acp-tui policy test" in printed(capsys, "policy", "test", "--help")


@pytest.mark.parametrize("given", ["lgo --help", "lgo -h", "help lgo"])
def test_help_of_a_word_that_is_nothing_says_so_with_what_is_like_it(
    given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(given.split()) == 2
    told = capsys.readouterr()
    assert told.out == ""
    first, second, *_ = told.err.splitlines()
    assert first == "acp-tui: no agent or command is called 'lgo', and no program on PATH is"
    assert second.startswith("did you mean: log")


def test_a_word_that_is_nothing_is_taken_for_no_name_that_is_unlike_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main.run(["halp"])
    assert "did you mean: help\n" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main.run(["review"])
    told = capsys.readouterr().err
    assert "did you mean" not in told
    assert "to see what there is: acp-tui --help" in told


def test_a_prompt_in_place_of_an_agent_is_told_where_it_belongs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main.run(["fix the bug"])
    told = capsys.readouterr().err
    assert "to send a prompt: acp-tui run 'fix the bug' --agent NAME\n" in told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("--thene day", "acp-tui: unknown argument: --thene; did you mean --theme?"),
        ("log --filtr=x", "acp-tui log: unknown argument: --filtr=x; did you mean --filter?"),
        ("log --wholly-new", "acp-tui log: unknown argument: --wholly-new"),
        ("run hi --permision x", "acp-tui run: unknown argument: --permision; did you mean --per"),
    ],
)
def test_what_is_wrong_is_told_in_two_lines(
    given: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main.run(given.split())
    assert left.value.code == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(told)
    command = "" if given.startswith("--") else f"{given.split(maxsplit=1)[0]} "
    assert second == f"to see what there is: acp-tui {command}--help"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["--plain", "demo"], ["demo", "--plain"]),
        (["--theme", "day", "demo", "--plain"], ["demo", "--theme", "day", "--plain"]),
        (["--cwd", "/", "run", "hi"], ["run", "--cwd", "/", "hi"]),
        (["--json", "ps"], ["ps", "--json"]),
        (["--theme", "demo"], ["--theme", "demo"]),  # a value is no command
        (["--theme", "demo", "demo"], ["demo", "--theme", "demo"]),
        (["--plain", "mine"], ["--plain", "mine"]),
    ],
)
def test_a_command_may_stand_behind_its_options(given: list[str], meant: list[str]) -> None:
    assert main._move_command_first(given) == meant


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_no_line_of_a_help_is_wider_than_its_examples(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert [line for line in printed(capsys, name, "--help").splitlines() if len(line) > 115] == []
