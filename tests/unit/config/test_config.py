from itertools import product
from pathlib import Path

import pytest
from textual.color import Color

from acp_tui.config.layers import load_settings
from acp_tui.config.limits import Limits
from acp_tui.config.paths import own_themes
from acp_tui.config.settings import (
    DEFAULT_THEME,
    FEW_COLORS_THEME,
    AgentSettings,
    RestartSettings,
    Settings,
)
from acp_tui.config.themes import load_theme, theme_files, theme_in_settings
from acp_tui.config.toml_files import ConfigError
from acp_tui.ui.colors.contrast import TEXT, contrast_of
from acp_tui.ui.colors.theme import theme_called, to_textual

COLORED = [name for name in theme_files() if not load_theme(name).ansi]
BACKGROUNDS = ("background", "surface", "panel")
WORDS = ("foreground", "muted", "primary", "secondary", "accent", "success", "warning", "error")


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def test_there_are_eight_themes_of_every_kind() -> None:
    themes = {name: load_theme(name) for name in theme_files()}
    assert len(themes) >= 8
    assert {theme.dark for theme in themes.values()} == {True, False}
    assert any(theme.ansi for theme in themes.values())
    assert {DEFAULT_THEME, FEW_COLORS_THEME} <= set(themes)


@pytest.mark.parametrize("name", COLORED)
def test_words_can_be_read_on_every_background(name: str) -> None:
    theme = load_theme(name)
    faint = [
        (word, ground)
        for word, ground in product(WORDS, BACKGROUNDS)
        if contrast_of(
            Color.parse(getattr(theme, word)).rgb, Color.parse(getattr(theme, ground)).rgb
        )
        < TEXT
    ]
    assert faint == []


@pytest.mark.parametrize("name", theme_files())
def test_textual_takes_every_theme(name: str) -> None:
    theme = to_textual(name, load_theme(name))
    generated = theme.to_color_system().generate()
    got, meant = Color.parse(generated["primary"]), Color.parse(theme.primary)
    assert all(abs(one - other) <= 1 for one, other in zip(got.rgb, meant.rgb, strict=True))
    assert theme.variables["muted"] == load_theme(name).muted


def test_terminal_theme_uses_nothing_but_the_terminals_colors() -> None:
    theme = load_theme("terminal")
    named = [getattr(theme, part) for part in (*BACKGROUNDS, *WORDS)]
    assert all(color.startswith("ansi_") for color in [*named, *theme.variables.values()])


def test_own_theme_wins_over_a_shipped_one() -> None:
    shipped = theme_files()["night"].read_text("utf-8")
    own_themes().mkdir(parents=True)
    (own_themes() / "night.toml").write_text(shipped.replace("Calm blue gray", "Mine"), "utf-8")
    assert load_theme("night").description.startswith("Mine")
    assert theme_files()["night"].parent == own_themes()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('error = "red"', r"sea\.toml:\d+:1: error: must be a color: #RRGGBB"),
        ('[variables]\nborder = "zzz"', r"sea\.toml:\d+:1: variables\.border: 'zzz' is no color"),
        ('[variables]\nborder = "red of it"', "no color with a share"),
        ('[variables]\ntranscript-link = "on on"', "is no style, such as"),
        ('[variables]\nlink-style = "#ff0000"', "is no style of text"),
    ],
)
def test_a_mistake_in_a_theme_is_told_with_its_line(line: str, told: str) -> None:
    text = theme_files()["night"].read_text("utf-8")
    name = line.split(" ", maxsplit=1)[0]
    kept = [one for one in text.splitlines() if not one.startswith(f"{name} =")]
    own_themes().mkdir(parents=True)
    (own_themes() / "sea.toml").write_text("\n".join([*kept, line]), "utf-8")
    with pytest.raises(ConfigError, match=told):
        theme_called("sea")


def test_a_theme_may_set_any_style() -> None:
    text = theme_files()["night"].read_text("utf-8")
    own = {
        "text-disabled": "auto 38%",
        "link-background": "initial",
        "link-style": "bold underline",
        "input-selection-background": "#82aaf0 35%",
        "transcript-link": "bold #ffd479",
    }
    lines = ["[variables]", *(f'{name} = "{value}"' for name, value in own.items())]
    own_themes().mkdir(parents=True)
    (own_themes() / "sea.toml").write_text("\n".join([text, *lines]), "utf-8")
    assert own.items() <= theme_called("sea").variables.items()


def test_unknown_theme_names_those_that_there_are() -> None:
    with pytest.raises(ConfigError, match=r"no theme 'nacht'.*day.*night"):
        load_theme("nacht")


def test_no_settings_file_gives_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none.toml") == Settings()


def test_settings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('theme = "day"\n[restart]\nwhen = "on-failure"\nmost = 3\n', "utf-8")
    settings = load_settings(path)
    assert settings.theme == "day"
    assert settings.restart == RestartSettings(when="on-failure", most=3)


def test_agents_are_named_in_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[agents.tea]\ncommand = ["brew", "--acp"]\nenv = { CUP = "big" }\n', "utf-8")
    agents = load_settings(path).agents
    assert agents == {"tea": AgentSettings(command=["brew", "--acp"], env={"CUP": "big"})}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[agents.tea]\nenv = {}", ":1:1: agents.tea: give the command"),
        ("\n[agents.tea]\ncommand = []", ":2:1: agents.tea: give the command"),
        ("[agents.tea]\ncommand = 'brew'", ":2:1: agents.tea.command: must be a list"),
        (
            "[agents.tea]\ncommand = ['brew']\ncmd = 1",
            ":3:1: agents.tea.cmd: there is no such key; did you mean .*there are: command, env, cwd",
        ),
        ("theme = day", "settings.toml:1:9: not valid TOML: Invalid value"),
        (
            "bell = true\nthem = 'day'",
            ":2:1: them: there is no such key; did you mean theme.*there are: theme, icons",
        ),
        ("theme = 3", ":1:1: theme: must be a string"),
        ("[restart]\nwhen = 'always'", ":2:1: restart.when: must be 'never' or 'on-failure'"),
        ("restart.most = 0", ":1:1: restart.most: must be at least 1"),
        ("limits = { new = 0 }", ":1:1: limits.new: must be over 0"),
        ("[limits]\n'new' = 'x'", ":2:1: limits.new: must be a number"),
        ("limits = 3", ":1:1: limits: must be a table"),
        (b"theme = '\xff'", "not valid TOML"),
    ],
)
def test_bad_settings_say_which_file_where_and_what(
    tmp_path: Path, text: str | bytes, words: str
) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(ConfigError, match=words) as caught:
        load_settings(path)
    assert str(path) in str(caught.value)


def test_every_request_but_a_prompt_has_a_limit() -> None:
    limits = Limits(other=7, list=8)
    assert limits.of("session/list") == 8
    assert limits.of("_vendor/of") == 7
    assert limits.of("session/prompt") is None
    assert limits.to_start(3).of("session/load") == 3
    assert limits.to_start(3).of("session/close") == limits.close


def test_settings_that_cannot_be_read_say_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"can't be read: .*directory"):
        load_settings(tmp_path)


def test_a_theme_that_there_is_not_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    assert theme_in_settings(path) is None
    path.write_text('bell = false\n\ntheme = "nigth"\n')
    with pytest.raises(ConfigError, match=r"there is no theme 'nigth'; there are: .*night") as told:
        theme_in_settings(path)
    assert str(told.value).startswith(f"{path}:3:1: theme: ")
    path.write_text('theme = "night"\n')
    assert theme_in_settings(path) == "night"
