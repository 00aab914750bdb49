"""Where a setting's value comes from, and what projects can't do."""

import os
from pathlib import Path

import pytest

from acp_tui.config.layers import (
    LARGEST,
    OPTION_VALUES,
    load_settings,
    parse_setting_text,
    project_of,
    setting_values,
    unused_lines,
)
from acp_tui.config.settings import PROJECT_FILE
from acp_tui.config.settings_table import all_settings, settings_by_name
from acp_tui.config.settings_text import remove_setting, save_setting
from acp_tui.config.themes import theme_in_settings
from acp_tui.config.toml_files import ConfigError

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.toml"


def project(text: str) -> None:
    PROJECT_FILE.parent.mkdir(exist_ok=True)
    PROJECT_FILE.write_text(text)


def trust() -> None:
    found = project_of(PROJECT_FILE)
    assert found is not None
    found.trust()


def test_each_setting_says_what_it_does_and_each_variable_is_one_settings() -> None:
    assert all(len(one.words) > 3 and one.kind for one in all_settings())
    variables = [one.variable for one in all_settings() if one.variable]
    assert len(variables) == len(set(variables)) > 30


def test_the_last_of_default_file_project_variable_and_option_wins(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def origin() -> tuple[int, str, str]:
        found = setting_values(file, os.environ)
        [one] = [each for each in found if each.setting.name == "prose_width"]
        assert load_settings(file).prose_width == one.value
        return one.value, one.origin, one.place

    assert origin() == (110, "default", "")
    file.write_text("bell = false\n  prose_width = 21\n")
    assert origin() == (21, "user", f"{file}:2:3")
    project("prose_width = 22")
    assert origin()[1] == "user"
    trust()
    assert origin() == (22, "project", f"{PROJECT_FILE.absolute()}:1:1")
    monkeypatch.setenv("ACP_TUI_PROSE_WIDTH", "23")
    assert origin() == (23, "environment", "ACP_TUI_PROSE_WIDTH")
    monkeypatch.setitem(OPTION_VALUES, "prose_width", "24")
    assert origin() == (24, "option", "--setting prose_width")
    assert load_settings(file).bell is False


def test_a_file_that_sets_what_was_removed_can_be_read_and_changed(file: Path) -> None:
    file.write_text("vim_mode = true\nbell = false\n")
    assert load_settings(file).bell is False
    assert len(unused_lines(file)) == 1
    save_setting(file, ("bell",), True)
    assert file.read_text() == "vim_mode = true\nbell = true\n"
    assert unused_lines(file.with_name("none.toml")) == []
    with pytest.raises(ConfigError, match="there is no setting 'vim_mode'"):
        parse_setting_text("vim_mode", "true", "set")


def test_a_project_that_changes_is_not_trusted_any_more(file: Path) -> None:
    project("bell = false")
    trust()
    assert load_settings(file).bell is False
    project("bell = false # and more")
    assert load_settings(file).bell is True


@pytest.mark.parametrize(
    "text",
    [
        "notify.command = ['sh', '-c', 'evil']",
        "[agents.claude]\ncommand = ['evil']",
        "[[permissions]]\nanswer = 'allow'",
        "files.changed = 'write'",
        "otel = true",
        "[places.x]\nwhere = 'evil'",
        "restart.when = 'on-failure'",
    ],
)
def test_what_runs_or_allows_something_never_comes_from_a_project(file: Path, text: str) -> None:
    project(text)
    trust()
    with pytest.raises(ConfigError, match=r"settings.toml:[12]:1: .*a project can't set this"):
        load_settings(file)


def test_a_projects_system_prompt_is_used_only_once_its_text_is_trusted(file: Path) -> None:
    project('system_prompt = "Use tabs."')
    assert load_settings(file).system_prompt == ""
    trust()
    assert load_settings(file).system_prompt == "Use tabs."
    project('system_prompt = "Use spaces."')
    assert load_settings(file).system_prompt == ""


@pytest.mark.parametrize("where", ["", "agents.a."])
def test_a_system_prompt_in_a_file_of_settings_is_its_text_and_no_other_files(
    where: str, file: Path
) -> None:
    file.write_text(f'agents.a.command = ["a"]\n{where}system_prompt = "@prompt.md"\n')
    with pytest.raises(ConfigError, match="give the text itself"):
        load_settings(file)


def test_a_projects_file_that_is_no_plain_file_is_never_read(file: Path) -> None:
    project("#" * (LARGEST + 1))
    with pytest.raises(ConfigError, match="not read"):
        project_of(PROJECT_FILE)
    PROJECT_FILE.unlink()
    os.mkfifo(PROJECT_FILE)
    with pytest.raises(ConfigError, match="not read"):
        project_of(PROJECT_FILE)
    assert load_settings(file).bell is True
    PROJECT_FILE.unlink()
    PROJECT_FILE.mkdir()
    with pytest.raises(ConfigError, match="not read"):
        project_of(PROJECT_FILE)
    PROJECT_FILE.rmdir()
    PROJECT_FILE.symlink_to("settings.toml")
    with pytest.raises(ConfigError, match="can't be read"):
        project_of(PROJECT_FILE)
    assert load_settings(file).bell is True


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("bel", "true", "no setting 'bel'.*did you mean bell"),
        ("bell", "perhaps", "X: bell: must be true or false"),
        ("prose_width", "-1", "must be at least 20, or 0: as wide as the window"),
        ("prose_width", "5", "must be at least 20, or 0: as wide as the window"),
        ("prose_width", "'19'", "must be at least 20, or 0: as wide as the window"),
        ("limits.new", "inf", "must be a finite number"),
        ("restart.within", "nan", "must be"),
        ("notify.when", "now", "must be 'unfocused'"),
        ("bell", "true\nindex = false", "bell: must be true or false"),
    ],
)
def test_a_wrong_value_says_where_it_was_given(name: str, text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        parse_setting_text(name, text, "X")


def test_a_theme_that_there_is_not_is_told_where_it_was_given(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("theme = 'day'\n")
    monkeypatch.setenv("ACP_TUI_THEME", "../day")
    with pytest.raises(ConfigError, match=r"^ACP_TUI_THEME: theme: there is no theme"):
        theme_in_settings(file)


@pytest.mark.parametrize(
    "text",
    ["x = " + "[" * 9000, "\ufeffbell = true", "a.b = 1\n[a]\nc = 2", "\x00", "bell = 1979-05-27"],
)
def test_odd_toml_is_told_in_a_line(file: Path, text: str) -> None:
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=f"^{file}:") as told:
        load_settings(file)
    assert len(str(told.value)) < 1000


def test_a_list_is_written_as_in_toml() -> None:
    assert parse_setting_text("notify.about", '["turn"]', "X") == ["turn"]
    assert parse_setting_text("theme", "3", "X") == "3"


@pytest.mark.parametrize(
    ("before", "name", "value", "after"),
    [
        ("", "theme", "day", 'theme = "day"\n'),
        ("# a\n\n[notify]\n", "bell", False, "# a\nbell = false\n\n[notify]\n"),
        ("theme = 'x'  # why\n", "theme", "a # b", 'theme = "a # b"  # why\n'),
        ("theme = 'a # b'# why", "theme", "day", 'theme = "day"# why'),
        (
            "[notify] # n\nhow='auto'\n",
            "notify.after",
            3.0,
            "[notify] # n\nhow='auto'\nafter = 3.0\n",
        ),
        ("bell = true", "limits.new", 3, "bell = true\n[limits]\nnew = 3\n"),
        ("bell = true\r\n# b\r\n", "bell", False, "bell = false\r\n# b\r\n"),
        ("notify = { how = 'auto' }\n", "notify.after", 3, "notify = { how = 'auto', after = 3}\n"),
        (
            "[notify]\nabout = [\n  'turn',\n]\n",
            "notify.about",
            ["end"],
            '[notify]\nabout = ["end"]\n',
        ),
    ],
)
def test_one_value_is_changed_and_all_else_stays(
    file: Path, before: str, name: str, value: object, after: str
) -> None:
    file.write_bytes(before.encode())
    save_setting(file, settings_by_name()[name].keys, value)
    assert file.read_bytes().decode() == after


@pytest.mark.parametrize(
    ("before", "name"),
    [
        ("bell = \n", "bell"),
        ("bel = 1\n", "bell"),
    ],
)
def test_a_file_that_cant_be_read_is_left_as_it_is(file: Path, before: str, name: str) -> None:
    file.write_text(before)
    with pytest.raises(ConfigError):
        save_setting(file, settings_by_name()[name].keys, settings_by_name()[name].default)
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("before", "name", "after"),
    [
        ("# a\nbell = true # b\nhints = false\n", "bell", "# a\nhints = false\n"),
        ("[notify]\n# a\nhow = 'auto'\nafter = 3\n", "notify.how", "[notify]\n# a\nafter = 3\n"),
        ("notify.how = 'auto'\nhints = true\n", "notify.how", None),
        ("[notify]\nabout = [\n  'turn',\n]\n", "notify.about", "[notify]\n"),
        ("notify = { how = 'auto' }\n", "notify.how", "notify = {  }\n"),
        ("hints = true\n", "bell", "hints = true\n"),
    ],
)
def test_a_setting_is_removed_and_all_else_stays_or_nothing_is_changed(
    before: str, name: str, after: str | None, file: Path
) -> None:
    file.write_text(before)
    if after is None:
        with pytest.raises(ConfigError, match="can't be removed on its own"):
            remove_setting(file, settings_by_name()[name].keys)
    else:
        remove_setting(file, settings_by_name()[name].keys)
    assert file.read_text() == (before if after is None else after)


def test_a_link_to_the_settings_stays_one(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.toml"
    file.write_text("# mine\n")
    link.symlink_to(file)
    save_setting(link, ("bell",), False)
    assert link.is_symlink()
    assert file.read_text() == "# mine\nbell = false\n"


def test_a_link_in_a_circle_is_told_and_stays(file: Path) -> None:
    file.symlink_to(file.name)
    with pytest.raises(OSError, match="symbolic links"):
        save_setting(file, ("bell",), False)
    assert file.is_symlink()


def test_a_table_stands_where_the_first_one_within_it_does(file: Path) -> None:
    file.write_text('theme = "day"\n\n[keys.prompt]\n"Ctrl+G" = "F11"\n\n[keys.lists]\n')
    found = {one.setting.name: one.place for one in setting_values(file, {})}
    assert found["keys"] == f"{file}:3:1"
