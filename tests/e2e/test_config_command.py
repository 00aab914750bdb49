"""`acp-tui config` as it is typed."""

import json
from pathlib import Path

import pytest

from tests.e2e.terminal import terminal
from tests.examples import parametrize
from tests.hosting import Ran
from tests.in_process import run_program


def folders(tmp_path: Path) -> dict[str, str]:
    return {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CONFIG", "STATE")}


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, folder in folders(tmp_path).items():
        monkeypatch.setenv(name, folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VISUAL", raising=False)
    return tmp_path / "CONFIG" / "acp-tui" / "settings.toml"


def config(*words: str) -> Ran:
    ran = run_program("config", *words)
    out, err = ran.stdout.decode(), ran.stderr.decode()
    assert "Traceback" not in err, err
    return Ran(ran.returncode, out, err)


def test_each_setting_says_where_its_value_comes_from(
    settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert config("set", "theme", "day").code == 0
    assert settings.read_text() == 'theme = "day"\n'
    monkeypatch.setenv("ACP_TUI_BELL", "false")
    rows = {
        row["name"]: row for row in json.loads(config("--json", "--setting", "index=false").out)
    }
    assert (rows["theme"]["value"], rows["theme"]["place"]) == ("day", f"{settings}:1:1")
    assert (rows["bell"]["value"], rows["bell"]["from"]) == (False, "environment")
    assert (rows["index"]["value"], rows["index"]["from"]) == (False, "option")
    assert (rows["drafts"]["value"], rows["drafts"]["from"]) == (True, "default")
    shown = config("theme").out.splitlines()
    assert [line.split()[0] for line in shown] == ["SETTING", "theme"]
    assert "  day  (default automatic)  user: " in shown[1]
    assert config("limits.load").out.splitlines()[1].split() == [
        *("limits.load", "300", "s", "default"),
    ]


@pytest.mark.usefixtures("settings")
def test_a_setting_of_a_command_line_is_not_one_of_the_next_in_the_same_process() -> None:
    assert "--setting" in config("--setting", "bell=false").out
    assert "--setting" not in config().out


def test_the_table_of_settings_fits_a_terminal(settings: Path, tmp_path: Path) -> None:
    assert config("set", "theme", "day").code == 0
    for size in ((80, 60), (200, 60)):
        with terminal("config", env=folders(tmp_path), size=size, cwd=tmp_path) as window:
            window.wait_for("permissions")
            assert window.wait_for_exit() == 0
            lines = window.text.splitlines()
            assert lines[0].split() == ["SETTING", "VALUE", "FROM"]
            at = next(n for n, line in enumerate(lines) if line.startswith("theme "))
            assert lines[at].startswith("theme                     day  (default automatic)")
            names = [line.split()[0] for line in lines if line[:1].isalpha()]
            assert {"theme", "limits.load", "notify.about", "keys"} <= set(names)
            assert b"\x1b[1mSETTING" in window.written


@pytest.mark.parametrize("name", ["nope", ""])
def test_a_theme_that_there_is_not_is_not_set(settings: Path, name: str) -> None:
    ran = config("set", "theme", name)
    assert ran.code == 2
    assert f"there is no theme {name!r}; there are: " in ran.err
    assert not settings.exists()


def test_a_mistake_in_the_editor_is_told_by_line_and_column_and_nothing_is_lost(
    settings: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nprintf '# mine\\n[notify]\\n  wen = 1\\n' > \"$1\"\n")
    editor.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(editor))
    ran = config("edit")
    assert ran.code == 2
    assert f"{settings}:3:3: notify.wen: there is no such key; did you mean when" in ran.err
    assert settings.read_text() == "# mine\n[notify]\n  wen = 1\n"


def test_a_new_rule_that_would_allow_nothing_is_refused_in_the_editor_an_old_one_is_reported(
    settings: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = "[[permissions]]\nanswer = 'allow'\ncommand = 'git *'\n"
    settings.parent.mkdir(parents=True)
    settings.write_text(old)
    editor, wanted = tmp_path / "editor", tmp_path / "wanted"
    editor.write_text(f"#!/bin/sh\ncp '{wanted}' \"$1\"\n")
    editor.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(editor))
    wanted.write_text(f"bell = false\n{old}")
    ran = config("edit")
    assert ran.code == 0
    assert f"{settings}:4: 'git *' allows nothing: a * can't stand for what git is" in ran.err
    wanted.write_text(f"{old}[[permissions]]\nanswer = 'allow'\ncommand = ['ls', 'npm *']\n")
    ran = config("edit")
    assert ran.code == 2
    assert f"{settings}:6: 'npm *' allows nothing: a * can't stand for what npm is" in ran.err
    assert "as in `npm test *`" in ran.err
    assert "the file is as you left it" in ran.err
    assert "git *" not in ran.err


@parametrize(
    1,
    ("text", "words"),
    [
        (
            '[keys.prompt]\n  "Ctrl+G" = "Ctrl+R"\n',
            "2:3: keys.prompt.Ctrl+G: Ctrl+R is taken",
        ),
        ('[keys.prompt]\n"Foo" = "F5"\n', "2:1: keys.prompt.Foo: there is no key 'Foo'"),
        ("\n[keys.bar]\n", "2:1: keys.bar: there is no such place; there are: everywhere"),
    ],
)
def test_keys_that_cannot_be_used_are_told_wherever_settings_are(
    settings: Path, tmp_path: Path, text: str, words: str
) -> None:
    mistake, editor, edits = tmp_path / "mistake", tmp_path / "editor", tmp_path / "edits"
    mistake.write_text(text)
    editor.write_text(
        f"#!/bin/sh\necho \"$@\" >> '{edits}'\ncp '{mistake}' '{settings}'\n: > '{mistake}'\n"
    )
    editor.chmod(0o700)
    env = {**folders(tmp_path), "EDITOR": str(editor)}
    with terminal("config", "edit", env=env, size=(300, 24)) as it:
        it.wait_for("edit it again? [y/N]")
        assert f"{settings}:{words}" in it.text
        it.send("y\r")
        assert it.wait_for_exit() == 0
    assert len(edits.read_text().splitlines()) == 2  # it went back to the editor
    settings.write_text(text)
    listed = config()
    assert (listed.code, f"{settings}:{words}" in listed.err) == (2, True)


def test_a_preset_whose_keys_are_taken_is_not_set(settings: Path) -> None:
    settings.parent.mkdir(parents=True)
    settings.write_text('[keys.transcript]\n"s" = "Ctrl+P"\n')
    ran = config("set", "key_preset", "emacs")
    assert ran.code == 2
    assert f"{settings}:2:1: keys.transcript.s: Ctrl+P is taken" in ran.err
    assert "key_preset" not in settings.read_text()


def test_a_project_is_used_after_a_yes_to_what_it_says(settings: Path, tmp_path: Path) -> None:
    assert not settings.exists()
    (tmp_path / ".acp-tui").mkdir()
    (tmp_path / ".acp-tui/settings.toml").write_text("bell = false # hush\n")
    assert "acp-tui config trust" in config("bell").err
    assert config("trust").code == 1  # nobody is there to say yes
    with terminal("config", "trust", env=folders(tmp_path)) as it:
        it.send("n\r")  # before there is a question: it answers none
        it.wait_for("as shown above? [y/N]")
        assert "  bell = false # hush" in it.text
        it.send("y\r")
        assert it.wait_for_exit() == 0
    [row] = json.loads(config("bell", "--json").out)
    assert (row["value"], row["from"]) == (False, "project")
