"""`acp-tui completion`: print a script that completes commands, options and files in a shell."""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Mapping

from acp_tui.cli.output import out

SHELLS = ("bash", "zsh", "fish", "tcsh")
_FILES = ("FILE", "FILE.yaml", "PATH", "RECORDING", "DIR|ZIP", "A", "B")
_RECORDINGS = "recordings"
_OR_FILES = '; compgen -f -- "$1"', "; _files", "; __fish_complete_path (commandline -ct)"
"""Code that adds file names to completed recordings, for bash, zsh and fish: a recording may be
named by its path.
"""
_FOLDER = "DIR"
_NAMED = {
    "--theme": "themes",
    "--agent": "agents",
    "--in": "places",
    "--attach": "runs",
    "--setting": "assignments",
    "CLIENT": "clients",
    "attach NAME": "runs",
    "stop NAME": "runs",
    "send NAME": "runs",
    "agents NAME|update|import|forget": "agents_or_acts",
    "config NAME|edit|set|trust": "settings_or_acts",
    "config NAME": "settings",
    **{
        f"{command} {metavar}": _RECORDINGS
        for command in ("log", "replay", "play", "shrink", "export", "diff", "stats")
        for metavar in ("FILE", "RECORDING", "A", "B")
    },
}
"""Options and arguments that complete to names, with the kind of these names."""
_PLAIN = re.compile(r"[\w.:/@+=-]+", re.ASCII)
"""Names that need no quoting in a shell: bash would expand others, and run commands in them."""
_COMMAND = "acp-tui completion --names"
_IN_ZSH = f"""
_acp_tui_names() {{ compadd -- ${{(f)"$({_COMMAND} $1 2>/dev/null)"}} }}"""
_COMMANDS_IN_ZSH = "_describe 'acp-tui commands' _commands"
_FIRST_WORD = {
    "bash": (
        "complete -o bashdefault -F _shtab_acp_tui acp-tui",
        """_acp_tui() {
  _shtab_acp_tui
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY+=($(_acp_tui_agents "${COMP_WORDS[1]}"))
  fi
}

complete -o bashdefault -F _acp_tui acp-tui
""",
    ),
    "zsh": (_COMMANDS_IN_ZSH, f"{_COMMANDS_IN_ZSH}\n  _acp_tui_names agents"),
    "fish": (
        "",
        "complete -c acp-tui -f -n 'test (count (commandline -opc)) -eq 1'"
        f" -a '({_COMMAND} agents 2>/dev/null)'\n",
    ),
}
"""By shell, a part of shtab's script and its replacement, which also completes the first word to an
agent's name; agents aren't commands of the parser. An empty part means that the replacement is
appended.
"""
_EPILOG = """\
bash:  acp-tui completion bash > ~/.local/share/bash-completion/completions/acp-tui
zsh:   acp-tui completion zsh > DIR/_acp-tui, where DIR is one of $fpath
fish:  acp-tui completion fish > ~/.config/fish/completions/acp-tui.fish
tcsh:  acp-tui completion tcsh > /etc/profile.d/acp-tui.completion.csh"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = "Print a script that completes the arguments of acp-tui in a shell."
    parser.epilog = _EPILOG
    parser.add_argument("shell", choices=SHELLS, nargs="?")
    how = argparse.SUPPRESS  # the generated scripts use it to list names
    parser.add_argument("--names", dest="kind", choices=_NAMES, help=how)


def execute(options: argparse.Namespace) -> int:
    """Print the completion script, or the names that it requests."""
    if options.kind is not None:
        for name in filter(_PLAIN.fullmatch, _NAMES[options.kind]()):
            out(name)
        return 0
    if options.shell is None:
        options.parser.error(f"which shell? {', '.join(SHELLS)}")
    import shtab

    script = shtab.complete(whole_parser(), options.shell)
    before, after = _FIRST_WORD.get(options.shell, ("", ""))
    # otherwise another release of shtab would silently drop the agents' names
    assert before in script
    sys.stdout.write(script.replace(before, after) if before else f"{script}\n{after}")
    return 0


def whole_parser() -> argparse.ArgumentParser:
    """Build a parser with all commands at once; its own options are those of the UI."""
    from acp_tui.cli.commands import COMMANDS, DEFAULT
    from acp_tui.cli.main import add_command, load_command
    from acp_tui.cli.parser import Parser

    parser = Parser("acp-tui", allow_abbrev=False)
    load_command(DEFAULT).configure(parser)
    commands = parser.add_subparsers(dest="command")
    for name in COMMANDS:
        if name != DEFAULT:
            add_command(commands, name, load_command(name))
    _complete_arguments(parser)
    return parser


def _complete_arguments(parser: argparse.ArgumentParser, command: str = "") -> None:
    """Set how each option and argument is completed, including those of subcommands."""
    import shtab

    for action in parser._actions:  # noqa: SLF001  argparse has no other way to list them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for name, one in action.choices.items():
                _complete_arguments(one, f"{command} {name}".strip())
        elif kind := _find_kind(action, command):
            action.complete = _from_names(kind)  # type: ignore[attr-defined]
        elif action.metavar == _FOLDER:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]


def _find_kind(action: argparse.Action, command: str) -> str | None:
    """Return the kind of names that an option or argument completes to, or None."""
    if not action.option_strings:
        return _NAMED.get(f"{command} {action.metavar}")
    return _NAMED.get(action.option_strings[-1]) or _NAMED.get(str(action.metavar))


def _from_names(kind: str) -> Mapping[str, str | Mapping[str, str]]:
    """Return shtab's code for each shell that completes the names of a kind."""
    command = f"{_COMMAND} {kind}"
    in_bash, in_zsh, in_fish = _OR_FILES if kind == _RECORDINGS else ("", "", "")
    words = f"""
_acp_tui_{kind}() {{ compgen -W "$({command} 2>/dev/null)" -- "$1"{in_bash}; }}"""
    return {
        "bash": f"_acp_tui_{kind}",
        "zsh": f"{{_acp_tui_names {kind}{in_zsh}}}",
        "fish": f"({command} 2>/dev/null{in_fish})",
        "tcsh": f"`{command}`",
        "preamble": {"bash": words, "zsh": _IN_ZSH},
    }


def _list_themes() -> Iterable[str]:
    from acp_tui.config.themes import theme_files

    return theme_files()


def _list_agents() -> Iterable[str]:
    from acp_tui.cli.options.launch_options import user_settings
    from acp_tui.cli.options.named_agents import stored_registry
    from acp_tui.config.paths import fetched_agents_folder
    from acp_tui.store.named_agents import agents_of

    agents = agents_of(user_settings().agents, stored_registry(), fetched_agents_folder())
    return dict.fromkeys(one.name for one in agents)


def _list_places() -> Iterable[str]:
    from acp_tui.cli.options.launch_options import user_settings

    return [*user_settings().places, "bwrap", "docker:", "podman:", "ssh:"]


def _list_clients() -> Iterable[str]:
    from acp_tui.config.client_profiles import PROFILES

    return PROFILES


def _list_runs() -> Iterable[str]:
    from acp_tui.config.paths import kept_folder
    from acp_tui.kept.run_places import living_runs

    return [one.name for one in living_runs(kept_folder())]


def _list_recordings() -> Iterable[str]:
    from acp_tui.config.paths import recordings_folder
    from acp_tui.store.recordings import recordings_in

    return [one.stem for one in recordings_in(recordings_folder())]


def _list_settings() -> Iterable[str]:
    from acp_tui.config.settings_table import settings_by_name

    return settings_by_name()


def _list_assignments() -> Iterable[str]:
    return [f"{name}=" for name in _list_settings()]


_NAMES: Mapping[str, Callable[[], Iterable[str]]] = {
    "themes": _list_themes,
    "agents": _list_agents,
    "places": _list_places,
    "clients": _list_clients,
    "runs": _list_runs,
    "agents_or_acts": lambda: ["update", "import", "forget", *_list_agents()],
    "settings": _list_settings,
    "settings_or_acts": lambda: ["edit", "set", "trust", *_list_settings()],
    _RECORDINGS: _list_recordings,
    "assignments": _list_assignments,
}
