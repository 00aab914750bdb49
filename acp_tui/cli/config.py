"""`acp-tui config`: list the settings with their values and where these come from, or change them."""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from acp_tui.cli.options import launch_options
from acp_tui.cli.output import USAGE, Painted, Style, finish_command, out, out_data, print_error
from acp_tui.cli.screen import check_moved_keys
from acp_tui.config.layers import (
    SettingValue,
    load_settings,
    parse_setting_text,
    project_of,
    setting_values,
    unused_lines,
    unused_project,
)
from acp_tui.config.paths import settings_file
from acp_tui.config.private_files import make_folder, write_new
from acp_tui.config.settings import PROJECT_FILE, Settings
from acp_tui.config.settings_table import PREFIX, Setting, settings_by_name
from acp_tui.config.toml_files import ConfigError, read_toml

_EPILOG = """\
acp-tui config                    list all settings, and where each value comes from
acp-tui config NAME               only those whose names begin with NAME
acp-tui config edit               open your settings in $EDITOR, and check them afterward
acp-tui config set NAME VALUE     change one in your file; comments stay
acp-tui config trust              show this project's .acp-tui/settings.toml, and use it after you say yes

What comes later wins: defaults, your settings.toml, the project's, variables ACP_TUI_*, options.
exit codes: 0 done; 1 there is none, or the project's file isn't trusted; 2 usage, or a file is wrong"""
_NAME, _VALUE = 30, 40
"""Widest cells of the first two columns; a longer one shifts the rest of its row."""
_HEADER = "# Settings of acp-tui; acp-tui config lists all of them.\n"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = "List the settings and where their values come from, or change them."
    parser.epilog = _EPILOG
    parser.add_argument("what", nargs="?", metavar="NAME|edit|set|trust", help="what to do")
    parser.add_argument("name", metavar="NAME", nargs="?", help="with set: the setting")
    parser.add_argument(
        "value", metavar="VALUE", nargs="?", help="with set: the value, as it would stand in TOML"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    launch_options.add_setting_option(parser)


def execute(options: argparse.Namespace) -> int:
    """List or change the settings."""
    acts = {"edit": _edit_settings, "set": _change_setting, "trust": _trust_project}
    act = acts.get(options.what, _list_settings)
    return finish_command("config", "the settings", lambda: act(options))


def _list_settings(options: argparse.Namespace) -> int:
    found = setting_values(settings_file(), os.environ)
    check_moved_keys(load_settings(settings_file()), settings_file())
    shown = [one for one in found if one.setting.name.startswith(options.what or "")]
    if options.json:
        rows = [_make_object(one) for one in shown]
        out_data(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    else:
        _print_table(shown)
    _report_unused()
    _report_unknown_variables()
    if not shown:
        print_error(f"no setting begins with {options.what!r}", "config")
    return 0 if shown else 1


def _print_table(shown: list[SettingValue]) -> None:
    """Print settings as a table; if the terminal is too narrow, a value's origin goes on the next
    line.
    """
    heads = ("SETTING", "VALUE", "FROM")
    rows = [(one.setting.name, _format_value(one), _format_origin(one)) for one in shown]
    name, value = (
        min(most, max(len(row[column]) for row in (heads, *rows)) + 2)
        for column, most in ((0, _NAME), (1, _VALUE))
    )
    cells = zip(heads, (name, value, 0), strict=True)
    out(*(Painted(head.ljust(cell), Style.BOLD) for head, cell in cells))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    for (called, formatted, place), one in zip(rows, shown, strict=True):
        is_default = one.origin == "default"
        written = formatted if is_default else Painted(formatted, Style.GOOD)
        gap = " " * max(2, value - len(formatted))
        if max(name, len(called) + 2) + len(formatted) + len(gap) + len(place) <= width:
            out(Painted(called.ljust(name), Style.NAME), written, gap, Painted(place, Style.FAINT))
        else:
            out(Painted(called.ljust(name), Style.NAME), written)
            out("  ", Painted(place, Style.FAINT))


def _format_value(one: SettingValue) -> str:
    """Format a value with its unit, and the default if it differs."""
    formatted = _format_setting(one.value, one.setting)
    default = _format_setting(one.setting.default, one.setting)
    return formatted if formatted == default else f"{formatted}  (default {default})"


def _format_setting(value: Any, setting: Setting) -> str:
    if isinstance(value, dict) or (
        isinstance(value, list) and value and isinstance(value[0], dict)
    ):
        # don't print tables: they may hold secrets
        return f"{len(value)} of them" if value else "none"
    return setting.formatted(value)


def _format_origin(one: SettingValue) -> str:
    home = f"{Path.home()}{os.sep}"
    place = f"~{os.sep}{one.place[len(home) :]}" if one.place.startswith(home) else one.place
    return f"{one.origin}: {place}" if place else one.origin


def _make_object(one: SettingValue) -> dict[str, Any]:
    setting = one.setting
    return {
        "name": setting.name,
        "value": one.value,
        "default": setting.default,
        "from": one.origin,
        "place": one.place or None,
        "kind": setting.kind,
        "what": setting.words,
        "variable": setting.variable or None,
        "option": setting.flag or None,
    }


def _report_unused() -> None:
    """Report lines that set removed settings, and this folder's project file if it isn't used."""
    for words in [*unused_lines(settings_file()), *unused_project()]:
        print_error(words, "config")


def _report_unknown_variables() -> None:
    from difflib import get_close_matches

    known = {one.variable for one in settings_by_name().values()}
    for name in sorted(os.environ):
        near = get_close_matches(name, known, 1, 0.85) if name.startswith(PREFIX) else []
        if near and name not in known:
            print_error(f"{name}: there is no such variable; did you mean {near[0]}?", "config")


def _edit_settings(options: argparse.Namespace) -> int:
    from acp_tui.config.policy import LoadedRules, check_new_rules, load_settings_rules
    from acp_tui.config.settings_text import linked_file
    from acp_tui.config.themes import theme_in_settings
    from acp_tui.ui.external.openers import CannotOpen, FilePlace, editor_argv

    if options.name is not None:
        options.parser.error(f"unknown argument: {options.name}")
    file = settings_file()
    if not file.exists():
        make_folder(file.parent)
        write_new(linked_file(file), _HEADER.encode())
    try:
        before = load_settings_rules(file)
    except ConfigError:
        before = LoadedRules()  # a broken file is what the user wants to edit
    line: int | None = None
    while True:
        try:
            argv = editor_argv(os.environ, FilePlace(str(file), line), os.curdir)
            code = subprocess.run(argv, check=False).returncode
        except CannotOpen as error:
            print_error(str(error), "config")
            return USAGE
        if code:
            print_error(f"{argv[0]} failed with {code}", "config")
        try:
            check_moved_keys(read_toml(file, Settings), file)
            loaded = load_settings_rules(file)
            check_new_rules(loaded, before)
            theme_in_settings(file)
        except ConfigError as error:
            print_error(f"{error}\nthe file is as you left it", "config")
            number = str(error).removeprefix(f"{file}:").partition(":")[0]
            line = int(number) if number.isdecimal() else None
            if _confirm("edit it again?"):
                continue
            return USAGE
        for one in loaded.inactive:
            print_error(one.words, "config")
        out(f"{file}: everything in it is valid")
        return 0


def _confirm(question: str) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    from acp_tui.headless.keyboard import ask_for_yes

    return ask_for_yes(f"acp-tui config: {question} [y/N] ")


def _change_setting(options: argparse.Namespace) -> int:
    from acp_tui.config.settings_text import save_setting, toml_value
    from acp_tui.config.themes import load_theme

    if options.value is None:
        options.parser.error("set wants a setting and a value, as in: set theme day")
    value = parse_setting_text(options.name, options.value, "set")
    if options.name == "key_preset":
        settings = load_settings(settings_file())
        check_moved_keys(settings.model_copy(update={"key_preset": value}), settings_file())
    if options.name == "theme":
        load_theme(value)  # fail here: with a broken theme the program wouldn't start
    save_setting(settings_file(), settings_by_name()[options.name].keys, value)
    out(f"{settings_file()}: {options.name} = {toml_value(value)}")
    found = setting_values(settings_file(), os.environ)
    [kept] = [one for one in found if one.setting.name == options.name]
    if kept.origin != "user":
        print_error(f"{kept.place} sets another value, and that wins", "config")
    return 0


def _trust_project(options: argparse.Namespace) -> int:
    if options.name is not None:
        options.parser.error(f"unknown argument: {options.name}")
    project = project_of(PROJECT_FILE)
    if project is None:
        print_error("this folder has no .acp-tui/settings.toml", "config")
        return 1
    # fail before asking about a file that is invalid, or sets what no project may set
    project.settings()
    for line in project.data.decode().splitlines():
        out(f"  {line}")
    if project.is_trusted:
        out(f"{project.path}: trusted as it is")
        return 0
    if not _confirm(f"use {project.path} as shown above?"):
        print_error("not trusted: it isn't used", "config")
        return 1
    project.trust()
    out(f"{project.path}: used from now on, until it changes")
    return 0
