"""`acp-tui doctor`: check the terminal, the settings, the agents and optional programs of this
machine.
"""

import argparse
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from acp_tui.cli.agents import find_versions
from acp_tui.cli.options.named_agents import stored_registry
from acp_tui.cli.output import Painted, Style, finish_command, out, out_data
from acp_tui.cli.screen import check_moved_keys
from acp_tui.config import paths
from acp_tui.formatting import counted, size
from acp_tui.version import __version__, install_command

_EPILOG = """\
Nothing is fetched, and no agent is started. The last line says what is wrong.
exit codes: 0; 1 something is wrong; 2 usage

  acp-tui doctor            as a list, to read or for a bug report
  acp-tui doctor --json"""
_EXTRAS = {
    "remote": ("httpx2", "agents on other machines"),
    "web": ("textual-serve", "acp-tui serve"),
    "watch": ("watchfiles", "--watch"),
    "mcp": ("mcp", "acp-tui mcp"),
    "otel": ("opentelemetry-sdk", "--otel"),
    "parquet": ("duckdb", "export --parquet"),
}
"""Extras by name, with a package that each installs and what it is for."""
_PROGRAMS = {
    "git": "races and rewinds",
    "ssh": "--in ssh:HOST",
    "bwrap": "--sandbox",
    "docker": "--in docker:IMAGE",
    "podman": "--in docker:IMAGE, if docker is missing",
}


class FactMark(StrEnum):
    """The severity of a fact."""

    FACT = "fact"
    """Neither good nor bad: just information."""
    FINE = "ok"
    MISSING = "not there"
    WRONG = "wrong"


_SIGNS = {FactMark.FACT: " ", FactMark.FINE: "✓", FactMark.MISSING: "–", FactMark.WRONG: "✗"}
_STYLES = {
    FactMark.FACT: Style.BOLD,
    FactMark.FINE: Style.GOOD,
    FactMark.MISSING: Style.DOUBTFUL,
    FactMark.WRONG: Style.BAD,
}


class Fact(NamedTuple):
    """One fact about this machine, with advice if something is wrong."""

    topic: str
    name: str
    mark: FactMark
    words: str


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = "Check the terminal, the settings, the agents and what else is needed."
    parser.epilog = _EPILOG
    parser.add_argument("--json", action="store_true", help="print a list for programs")


def execute(options: argparse.Namespace) -> int:
    """Examine this machine and print the facts."""
    return finish_command("doctor", "what was found", lambda: _print_facts(options))


def _print_facts(options: argparse.Namespace) -> int:
    facts: list[Fact] = []
    for one in examine(os.environ):  # printed one by one: some take long to find
        if not options.json:
            _print_fact(one, is_first=not facts or facts[-1].topic != one.topic)
        facts.append(one)
    if options.json:
        out_data(json.dumps([one._asdict() for one in facts], indent=1) + "\n")
    else:
        _print_summary([one for one in facts if one.mark is FactMark.WRONG])
    return int(any(one.mark is FactMark.WRONG for one in facts))


def _print_fact(fact: Fact, *, is_first: bool) -> None:
    if is_first:
        out(Painted(fact.topic, Style.BOLD))
    style = _STYLES[fact.mark]
    word = f" ({fact.mark.value})" if fact.mark in (FactMark.MISSING, FactMark.WRONG) else ""
    name = Painted(fact.name + word, style) if word else fact.name
    out("  ", Painted(_SIGNS[fact.mark], style), " ", name, f": {fact.words}")


def _print_summary(wrong: list[Fact]) -> None:
    if not wrong:
        out(Painted("no problems", Style.GOOD))
        return
    status = "; ".join(f"{one.name}: {one.words}" for one in wrong)
    out(Painted(f"{counted(len(wrong), 'problem')}: ", Style.BAD), status)


def examine(env: Mapping[str, str]) -> Iterator[Fact]:
    """Yield the facts about everything that is examined, in order."""
    yield from _examine_program()
    yield from _examine_terminal(env)
    yield from _examine_settings()
    yield from _examine_agents()
    yield from _examine_folders()
    yield from _examine_tools(env)


def _examine_program() -> Iterator[Fact]:
    from acp_tui.protocol import schema

    topic = "acp-tui"
    yield Fact(topic, "version", FactMark.FACT, __version__)
    yield Fact(topic, "protocol", FactMark.FACT, schema.WORDS)
    later = "; ".join(f"{one['what']} ({one['date']})" for one in schema.load_overlay())
    yield Fact(topic, "and what came since", FactMark.FACT, later)
    yield Fact(topic, "Python", FactMark.FACT, f"{platform.python_version()}, {sys.executable}")
    yield Fact(topic, "system", FactMark.FACT, platform.platform())
    yield Fact(topic, "Textual", FactMark.FACT, version("textual"))


def _examine_terminal(env: Mapping[str, str]) -> Iterator[Fact]:
    topic = "terminal"
    is_one = sys.stdin.isatty() and sys.stdout.isatty()
    dumb = env.get("TERM", "dumb") == "dumb"
    words = env.get("TERM", "TERM is not set")
    if dumb:
        words += ": the UI can't be drawn; set TERM, or use --plain"
    yield Fact(topic, "kind", FactMark.WRONG if dumb and is_one else FactMark.FACT, words)
    program = env.get("TERM_PROGRAM") or env.get("LC_TERMINAL")
    if program:
        status = f"{program} {env.get('TERM_PROGRAM_VERSION', '')}".strip()
        yield Fact(topic, "program", FactMark.FACT, status)
    for variable, called in (("TMUX", "tmux"), ("STY", "screen"), ("SSH_CONNECTION", "ssh")):
        if env.get(variable):
            yield Fact(topic, "through", FactMark.FACT, called)
    if is_one:
        columns, lines = shutil.get_terminal_size()
        small = columns < 80 or lines < 24
        status = f"{columns}x{lines}" + (": 80x24 and more show everything" if small else "")
        yield Fact(topic, "size", FactMark.FACT, status)
    else:
        yield Fact(topic, "size", FactMark.MISSING, "not a terminal")
    yield Fact(topic, "colors", FactMark.FACT, _describe_colors(env))
    encoding = sys.stdout.encoding.lower()
    utf8 = encoding in ("utf-8", "utf8")
    status = encoding if utf8 else f"{encoding}: set LANG to a locale of UTF-8"
    yield Fact(topic, "characters", FactMark.FACT if utf8 else FactMark.WRONG, status)
    from acp_tui.ui.toolkit.clipboard import clipboard_program

    argv = clipboard_program(env)
    status = (
        f"{argv[0]}, and the terminal's own (OSC 52)" if argv else "the terminal's own (OSC 52)"
    )
    yield Fact(topic, "clipboard", FactMark.FACT, status)


def _describe_colors(env: Mapping[str, str]) -> str:
    if env.get("NO_COLOR"):
        return "none: NO_COLOR is set"
    if env.get("COLORTERM") in ("truecolor", "24bit"):
        return "16 million"
    return "256, as COLORTERM says nothing else" if "256" in env.get("TERM", "") else "16 or fewer"


def _examine_settings() -> Iterator[Fact]:
    from acp_tui.config.layers import load_settings, unused_lines
    from acp_tui.config.settings import DEFAULT_THEME
    from acp_tui.config.themes import load_theme, theme_in_settings
    from acp_tui.config.toml_files import ConfigError, file_exists

    topic, path = "settings", paths.settings_file()
    try:
        check_moved_keys(load_settings(path), path)
        theme = theme_in_settings(path) or DEFAULT_THEME
        load_theme(theme)
    except ConfigError as error:
        yield Fact(topic, "file", FactMark.WRONG, str(error))
        return
    there = str(path) if file_exists(path) else f"none: {path} would be it"
    yield Fact(topic, "file", FactMark.FINE, there)
    for words in unused_lines(path):
        yield Fact(topic, "unused", FactMark.FACT, words)
    yield Fact(topic, "theme", FactMark.FACT, theme)


def _examine_folders() -> Iterator[Fact]:
    topic = "folders"
    folders = {
        "recordings": paths.recordings_folder(),
        "drafts": paths.drafts_folder(),
        "settings": paths.config_folder(),
        "cache": paths.registry_file().parent,
    }
    for name, folder in folders.items():
        there = _find_existing(folder)
        if not os.access(there, os.W_OK | os.X_OK):
            yield Fact(topic, name, FactMark.WRONG, f"{there} can't be written: change its rights")
            continue
        held = ""
        if name == "recordings" and folder.is_dir():
            sizes = [one.stat().st_size for one in folder.glob("*.jsonl")]
            held = f", {counted(len(sizes), 'recording')}, {size(sum(sizes))}"
        yield Fact(topic, name, FactMark.FINE, f"{folder}{held}")
    free = shutil.disk_usage(_find_existing(paths.recordings_folder())).free
    words, is_full = f"{size(free)} free", free < 100 << 20
    if is_full:
        words += ": recordings need room"
    yield Fact(topic, "disk", FactMark.WRONG if is_full else FactMark.FINE, words)


def _find_existing(folder: Path) -> Path:
    return next(one for one in (folder, *folder.parents) if one.exists())


def _examine_tools(env: Mapping[str, str]) -> Iterator[Fact]:
    topic = "optional"
    for extra, (package, use) in _EXTRAS.items():
        try:
            yield Fact(topic, extra, FactMark.FINE, f"{package} {version(package)}, for {use}")
        except PackageNotFoundError:
            words = f"for {use}: {install_command(extra)}"
            yield Fact(topic, extra, FactMark.MISSING, words)
    for program, use in _PROGRAMS.items():
        found = shutil.which(program, path=env.get("PATH"))
        words = f"{found}, for {use}" if found else f"for {use}"
        yield Fact(topic, program, FactMark.FINE if found else FactMark.MISSING, words)


def _examine_agents() -> Iterator[Fact]:
    """Yield facts about the agents of the settings, then about the installed ones."""
    from acp_tui.config.layers import load_settings
    from acp_tui.config.toml_files import ConfigError
    from acp_tui.store.named_agents import AgentOrigin, StartState, agents_of

    topic = "agents"
    try:
        known = load_settings(paths.settings_file()).agents
        agents = agents_of(known, stored_registry(), paths.fetched_agents_folder())
    except ConfigError:
        return  # reported with the settings
    here = [
        one for one in agents if one.origin is AgentOrigin.SETTINGS or one.state is StartState.READY
    ]
    seen = find_versions(here)
    for one in here:
        version = seen[one.name].version
        about = f", version {version}" if version else ", its version isn't known"
        if one.state is not StartState.READY:
            words = f"{one.state}: see acp-tui agents {one.name}"
            yield Fact(topic, one.name, FactMark.WRONG, words)
        elif one.settings is not None and one.settings.url is not None:
            yield Fact(topic, one.name, FactMark.FINE, f"elsewhere: {one.settings.words}{about}")
        elif one.origin is AgentOrigin.SETTINGS or one.settings is None:
            yield Fact(topic, one.name, FactMark.FINE, f"{one.state}{about}")
        else:
            yield Fact(topic, one.name, FactMark.FINE, f"{one.state}{about}: {one.settings.words}")
    listed = [one for one in agents if one.origin is AgentOrigin.REGISTRY]
    if listed:
        installed = sum(one.state is StartState.READY for one in listed)
        words = f"{counted(len(listed), 'agent')}, {installed} installed"
        yield Fact(topic, "registry", FactMark.FACT, words)
    else:
        words = "its list isn't fetched yet: acp-tui agents update"
        yield Fact(topic, "registry", FactMark.MISSING, words)
