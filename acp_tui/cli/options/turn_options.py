"""Options for a turn without a UI: the prompt, permissions, limits and findings."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.options.values import parse_seconds
from acp_tui.config.private_files import read_file

if TYPE_CHECKING:
    from acp_tui.headless.turns import TurnOptions

FINDINGS = "--findings"


def expand_findings_option(argv: list[str]) -> list[str]:
    """Return the arguments with `--findings` expanded to `--findings=error`: argparse would take
    the next word as its value.
    """
    return [f"{FINDINGS}=error" if word == FINDINGS else word for word in argv]


def add_turn_options(parser: argparse.ArgumentParser) -> None:
    """Add the prompt and the options."""
    parser.add_argument("prompt", nargs="?", help="the prompt; - reads it from stdin")
    parser.add_argument("-f", "--file", metavar="FILE", help="read the prompt from FILE")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--permissions",
        choices=("ask", "allow", "reject", "allow-reads"),
        help="what to do if no rule decides (default: ask at a terminal, else reject)",
    )
    parser.add_argument(
        "--auth", metavar="METHOD", help="sign in with this method if the agent requires it"
    )
    parser.add_argument(
        "--max-time", metavar="SECONDS", type=parse_seconds, help="cancel the turn after this time"
    )
    parser.add_argument(
        FINDINGS,
        metavar="[=warning]",
        choices=("error", "warning"),
        help="report at the end what broke the rules of the protocol; exit code 6 for an error "
        "(with =warning for a warning, too)",
    )
    parser.add_argument(
        "--set",
        metavar="OPTION=VALUE",
        type=_parse_choice,
        action="append",
        default=[],
        help="choose a mode (mode=plan), model, or other option of the session; with --unstable before "
        "it is opened, if the agent can (repeatable)",
    )


def has_person() -> bool:
    """Return whether a person can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def read_prompt(parser: argparse.ArgumentParser, options: argparse.Namespace) -> str:
    """Read the prompt from the argument, the file or stdin; an unusable prompt ends the program."""
    if (options.prompt is None) == (options.file is None):
        parser.error("give one prompt: as PROMPT, with -f FILE, or - for stdin")
    try:
        if options.prompt == "-" or options.file == "-":
            if sys.stdin.isatty():
                sys.stderr.write("acp-tui: reading the prompt from the terminal; Ctrl+D ends it\n")
            text = sys.stdin.read()
        elif options.file is not None:
            text = read_file(Path(options.file)).decode()
        else:
            text = os.fsencode(options.prompt).decode("utf-8", "replace")
    except OSError as error:
        parser.error(f"can't read the prompt from {options.file or 'stdin'}: {error.strerror}")
    except UnicodeDecodeError as error:
        words = f"it is not UTF-8 (byte {error.object[error.start]:#04x} at {error.start})"
        parser.error(f"can't read the prompt from {options.file or 'stdin'}: {words}")
    if not text.strip():
        parser.error("the prompt is empty")
    return text


def make_turn_options(options: argparse.Namespace, prompt: str) -> "TurnOptions":
    """Build the turn's options."""
    from acp_tui.headless.permission import Policy
    from acp_tui.headless.turns import TurnOptions

    return TurnOptions(
        prompt,
        Policy(options.permissions or "ask"),
        has_person(),
        auth=options.auth,
        max_time=options.max_time,
        choices=tuple(options.set),
        findings=options.findings,
    )


def _parse_choice(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"OPTION=VALUE, not {text!r}")
    return name, value
