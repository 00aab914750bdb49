import pytest

from acp_tui.policy.evaluation import suggestions
from acp_tui.policy.rules import Rule, read_rule
from acp_tui.policy.shell import read_line
from acp_tui.policy.shell_words import Commands


def words(rules: list[Rule]) -> list[str]:
    assert all(read_rule(rule.plain()) == rule for rule in rules)
    return [rule.words for rule in rules]


def of_line(line: str) -> list[str]:
    return words(suggestions("execute", "x", (), read_line(line)))


def of_paths(*paths: str) -> list[str]:
    return words(suggestions("edit", "x", paths, None))


def test_commands_from_this_one_to_all_that_begin_so() -> None:
    assert of_line("git status -s 'a b' && ls '*.py'") == [
        "allow kind execute, command git status -s 'a b' or ls '[*].py'",
        "allow kind execute, command git status -s * or ls *",
        "reject kind execute, command git status -s 'a b' or ls '[*].py'",
    ]


def test_no_rule_is_about_exactly_what_the_shell_has_yet_to_expand() -> None:
    assert of_line("git status && ls ./*.py") == [
        "reject kind execute, command git status or ls './[*].py'",
    ]
    assert of_line("ls *.py") == ["reject kind execute, command ls '[*].py'"]


def test_a_place_in_the_folder_may_be_named_by_its_whole_path() -> None:
    (_, wider, _) = suggestions("execute", "x", (), read_line("cat /w/a"), ("/w",))
    assert wider.commands == ("cat *",)
    assert len(of_line("cat /w/a")) == 2


@pytest.mark.parametrize("line", ["sudo ls", "bash x.sh", "A=b ls", "python3.11 x.py"])
def test_of_a_program_that_runs_others_only_this_very_command(line: str) -> None:
    assert len(of_line(line)) == 2


@pytest.mark.parametrize("line", ["ls > x", "echo $X", ";".join("ab" * 9)])
def test_what_cant_be_read_makes_no_rule(line: str) -> None:
    assert of_line(line) == []
    assert suggestions("execute", "x", (), Commands((), clear=False)) == []


def test_paths_from_this_one_to_the_whole_folder() -> None:
    assert of_paths("src/a[1].py", "src/b.py") == [
        "allow kind edit, path src/a[[]1].py or src/b.py",
        "allow kind edit, path src/**",
        "allow kind edit, path **",
        "reject kind edit, path src/a[[]1].py or src/b.py",
    ]
    assert of_paths("a.py")[1] == "allow kind edit, path **"
    assert of_paths("/etc/hosts")[1] == "allow kind edit, path /etc/**"
    assert len(of_paths("/etc/hosts")) == 3
    assert of_paths(*map(str, range(9))) == []


def test_where_there_is_nothing_else_the_title_counts() -> None:
    assert words(suggestions("fetch", "Fetch *", (), None)) == [
        "allow kind fetch, title Fetch [*]",
        "reject kind fetch, title Fetch [*]",
    ]
    assert suggestions("other", "", (), None) == []
