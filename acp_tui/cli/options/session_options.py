"""Options for opening a session: its folders, MCP servers, system prompt, permission rules and
limits.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

from acp_tui.cli.options.session_opening import make_opening
from acp_tui.cli.options.values import parse_count, parse_percent, parse_seconds
from acp_tui.cli.output import print_error
from acp_tui.text import clean_line, clean_text, judged_text

if TYPE_CHECKING:
    from acp_tui.config.settings import Settings
    from acp_tui.config.trust import TrustStore
    from acp_tui.policy.rules import Rule
    from acp_tui.protocol.setup import SystemPrompt
    from acp_tui.workspace.mcp_servers import ProjectServers

TRACE_CONTEXT = ("traceparent", "tracestate", "baggage")
"""W3C names of trace context fields, which are read from environment variables of these names in
capitals.
"""


def add_session_options(parser: argparse.ArgumentParser, *, picker: bool) -> None:
    """Add the options; with a `picker`, `--resume` needs no id."""
    group = parser.add_argument_group("session")
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--resume",
        metavar="[ID]" if picker else "ID",
        **({"nargs": "?", "const": ""} if picker else {}),  # type: ignore[arg-type]
        help="continue a session that the agent keeps" + (" (no ID: choose)" if picker else ""),
    )
    group.add_argument("--recorded-in", metavar="FILE", default="", help=argparse.SUPPRESS)
    if picker:
        which.add_argument(
            "--choose-options",
            action="store_true",
            help="choose the model and other options before a session begins, if the agent lists "
            "them then (with --unstable)",
        )
    which.add_argument(
        "--continue",
        dest="go_on",
        action="store_true",
        help="continue the newest session of the working directory",
    )
    group.add_argument(
        "--add-dir",
        metavar="DIR",
        action="append",
        default=[],
        help="let the session work in DIR, too (repeatable)",
    )
    group.add_argument(
        "--mcp-config",
        metavar="FILE",
        action="append",
        default=[],
        help="MCP servers for the agent (repeatable)",
    )
    group.add_argument(
        "--trust-mcp",
        action="store_true",
        help="use the MCP servers of the project's .mcp.json without asking",
    )
    group.add_argument(
        "--system-prompt",
        metavar="TEXT|@FILE",
        help="instructions for the agent's sessions, in addition to its own",
    )
    group.add_argument(
        "--system-prompt-mode",
        choices=("append", "override"),
        help="add --system-prompt to the agent's own instructions, or replace these (default: append)",
    )
    group.add_argument(
        "--meta",
        metavar="KEY=JSON",
        action="append",
        default=[],
        help="add this to the _meta of each session (repeatable)",
    )
    group.add_argument(
        "--unstable", action="store_true", help="offer parts of ACP that may still change"
    )
    add_budget(parser)


def session_fields(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    settings: "Settings",
    cwd: str,
    *,
    interactive: bool,
    elsewhere: bool,
) -> dict[str, Any]:
    """Return the `Launch` fields that the options set, or else the settings; usage errors end the
    program.

    If `interactive`, the UI asks about the project's MCP servers later. If the agent works
    `elsewhere`, these servers aren't used.
    """
    from acp_tui.client.launch import McpServers, SessionStart
    from acp_tui.config.paths import project_rules_folder, trust_file
    from acp_tui.config.trust import TrustStore
    from acp_tui.store.project_rules import ProjectRules
    from acp_tui.workspace.mcp_servers import McpError, gather_servers, of_each_name

    folders = []
    for name in options.add_dir:
        if not Path(name).is_dir():
            parser.error(f"--add-dir: {name!r} is not a directory")
        folders.append(os.path.realpath(name))
    store = TrustStore(trust_file())
    kept = ProjectRules(project_rules_folder())
    ruled, inactive = _load_rules(parser, options, kept.load, cwd)
    if interactive:
        for words in inactive:
            # stays visible in the terminal below the screen, which may start without an agent
            print_error(words)
    try:
        gathered = gather_servers(options.mcp_config, cwd, store, os.environ)
    except McpError as error:
        parser.error(f"--mcp-config: {error}")
    project = None if elsewhere else gathered.project
    if project is not None and (options.trust_mcp or not interactive):
        if options.trust_mcp or _ask_trust(store, project):
            gathered.servers = of_each_name([*gathered.servers, *project.servers])
        else:
            gathered.left_out.append(project.left_out)
        project = None
    return {
        "opening": make_opening(options),
        "additional_directories": tuple(folders),
        "session": SessionStart(
            _system_prompt(parser, options),
            settings.system_prompt if options.system_prompt is None else "",
            _session_meta(parser, options.meta),
        ),
        "mcp": McpServers(tuple(gathered.servers), project, store),
        "rules": ruled,
        "project_rules": kept,
        "remarks": (*inactive, *gathered.left_out),
        **_make_budget(options, settings.max_quota, interactive=interactive),
        "meta": {
            name: os.environ[name.upper()] for name in TRACE_CONTEXT if name.upper() in os.environ
        },
    }


def _session_meta(parser: argparse.ArgumentParser, given: Sequence[str]) -> dict[str, Any]:
    """Parse the options for a session's `_meta`; invalid JSON ends the program."""
    found = {}
    for one in given:
        key, equals, text = one.partition("=")
        if not key or not equals:
            parser.error(f"--meta wants KEY=JSON, not {one!r}")
        try:
            found[key] = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            parser.error(f"--meta {key}: {text!r} is not JSON: {error}")
    return found


def _refuse_constant(name: str) -> None:
    """Reject NaN and Infinity, which Python parses but JSON doesn't have."""
    raise ValueError(f"{name} is no number of JSON's")


def _system_prompt(
    parser: argparse.ArgumentParser, options: argparse.Namespace
) -> "SystemPrompt | None":
    """Return the system prompt of the options; an unusable one ends the program."""
    text, mode = options.system_prompt, options.system_prompt_mode
    if text is None:
        if mode is not None:
            parser.error("--system-prompt-mode is for --system-prompt")
        return None
    if text.startswith("@"):
        from acp_tui.config.private_files import read_file

        try:
            text = read_file(Path(text[1:]).expanduser()).decode()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it isn't UTF-8"
            parser.error(f"--system-prompt: {text[1:]!r} can't be read: {why}")
    if not text.strip():
        parser.error("--system-prompt: it is empty")
    from acp_tui.client.launch import make_system_prompt

    return make_system_prompt(text, mode or "append")


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add the options that decide what is allowed without asking."""
    group = parser.add_argument_group("permissions")
    group.add_argument(
        "--policy",
        metavar="FILE",
        action="append",
        default=[],
        help="rules that allow, reject or ask (repeatable; see docs/permissions.md)",
    )
    group.add_argument(
        "--dangerously-allow-all",
        action="store_true",
        help="allow everything that no rule rejects or asks about",
    )


def _load_rules(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    load_project: Callable[[str], tuple["Rule", ...]],
    folder: str,
) -> tuple[tuple["Rule", ...], list[str]]:
    """Load the rules of the settings, of the named files, and of the folder's project.

    Return the rules, and warnings about patterns that allow nothing.
    """
    from acp_tui.config.paths import settings_file
    from acp_tui.config.toml_files import ConfigError, file_exists
    from acp_tui.policy.rules import ALLOW_ALL, inactive_patterns

    found: list[Rule] = []
    inactive: list[str] = []
    try:
        if options.policy or file_exists(settings_file()):
            from acp_tui.config.policy import load_policy, load_settings_rules

            files = [load_settings_rules(settings_file())]
            files += [load_policy(Path(file)) for file in options.policy]
            for file in files:
                found += file.rules
                inactive += [one.words for one in file.inactive]
        project = load_project(folder)
    except ConfigError as error:
        parser.error(str(error))
    found += project
    inactive += [one.words for one in inactive_patterns(project)]
    if options.dangerously_allow_all:
        found.append(ALLOW_ALL)
    return tuple(found), inactive


def _ask_trust(store: "TrustStore", project: "ProjectServers") -> bool:
    """Ask at the terminal, before anything is started, whether to trust the project's MCP servers.
    Without a terminal the answer is no.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    shown = indent(clean_text(judged_text(project.text)).rstrip(), "  ", lambda _: True)
    file = clean_line(str(project.file))
    from acp_tui.headless.keyboard import ask_for_yes

    sys.stderr.write(f"{file} wants the agent to use MCP servers:\n{shown}\n")
    if not ask_for_yes("Trust this file here? [y/N] "):
        return False
    try:
        store.trust(project.content, project.file)
    except OSError as error:
        sys.stderr.write(f"acp-tui: can't remember that: {error.strerror}\n")
    return True


def add_budget(parser: argparse.ArgumentParser) -> None:
    """Add the limits that every command with prompts has."""
    group = parser.add_argument_group("limits")
    group.add_argument(
        "--max-cost",
        metavar="AMOUNT",
        type=parse_seconds,
        help="cancel the turn, and send no more, once the session has cost this much (if the agent reports it)",
    )
    group.add_argument(
        "--max-tokens",
        metavar="N",
        type=parse_count,
        help="cancel the turn, and send no more, once the session has used this many tokens",
    )
    group.add_argument(
        "--max-quota",
        metavar="PERCENT",
        type=parse_percent,
        help="start no turn once this much of a plan limit is used (if the agent reports it)",
    )


def add_turn_time(parser: argparse.ArgumentParser) -> None:
    """Add `--max-time`."""
    parser.add_argument(
        "--max-time", metavar="SECONDS", type=parse_seconds, help="cancel a turn after this time"
    )


def _make_budget(
    options: argparse.Namespace, max_quota: float | None, *, interactive: bool
) -> dict[str, Any]:
    """Return the `Launch` field `budget`.

    If not `interactive`, the run itself ends after `--max-time`, so that the client needs no time
    limit.
    """
    from acp_tui.client.launch import Budget

    time = options.max_time if interactive else None
    quota = max_quota if options.max_quota is None else options.max_quota
    return {"budget": Budget(time, options.max_cost, options.max_tokens, quota)}
