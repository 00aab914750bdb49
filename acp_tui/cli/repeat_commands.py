"""Command lines to paste, without secrets: one repeats a check, one continues a session."""

import argparse
import os
import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.check.model import Check
    from acp_tui.index.search import Hit, RecentSession

_NO_NAME = re.compile(r"\W+")
_SCHEME = re.compile(r"(\w+ )?")
"""What may precede a secret in a header, such as `Bearer `."""
_SHORTEST_VARIABLE = 6
"""Shortest value, in characters, of an environment variable that is recognized inside a secret."""


def check_command(options: argparse.Namespace, check: "Check") -> str:
    """Return the shell command that repeats a check."""
    acts = {*check.acts, *(act for scene in check.scenes for act in scene.acts)}
    pairs = [pair for pair in options.prompt_for if pair.partition("=")[0] in acts]
    words = ["acp-tui", "check", "--only", check.id]
    for name in ("profile", "protocol", "timeout", "tries"):
        value = getattr(options, name)
        if value != options.parser.get_default(name):
            words += [f"--{name}", f"{value:g}" if isinstance(value, float) else str(value)]
    for name in ("sandbox", "no_network", "allow_logout"):
        words += [f"--{name.replace('_', '-')}"] if getattr(options, name) else []
    for name, values in (
        ("--auth", [options.auth]),
        ("--prompt-for", pairs),
        ("--agent", options.agent),
        ("--connect", options.connect),
        ("--token-env", [options.token_env]),
        ("--token-command", [shlex.join(options.token_command or [])]),
        ("--header", options.header),
        ("--env", options.env),
        ("--in", [options.place]),
        ("--sandbox-read", options.sandbox_read),
        ("--sandbox-write", options.sandbox_write),
    ):
        words += [word for value in values if value for word in (name, value)]
    words += ["--", *options.agent_command] if options.agent_command else []
    return " ".join(hide_secrets(words))


def hide_secrets(words: list[str]) -> Iterator[str]:
    """Yield words quoted for a shell, with a variable in place of each secret: the variable that
    has its value, or else one that the user has to set.
    """
    from acp_tui.masking.redactor import Redactor
    from acp_tui.masking.secrets import MASK

    option = ""
    for word, masked in zip(words, Redactor().argv(words), strict=True):
        if option == "--header":
            name, _, value = word.partition(":")
            yield _quote_word(f"{name}: ", [(value.strip(), name)], "")
        elif masked != word:
            parts = masked.split(MASK)
            named = word.partition("=")[0] if option == "--env" else option or "secret"
            secrets = [(secret, named) for secret in _find_between(word, parts)]
            yield _quote_word(parts[0], secrets, *parts[1:])
        else:
            yield shlex.quote(word)
        option = word if word.startswith("-") else ""


def _find_between(word: str, parts: list[str]) -> Iterator[str]:
    """Yield the secrets in a word; `parts` are the pieces of its masked form around them."""
    at = len(parts[0])
    for part in parts[1:]:
        end = word.find(part, at) if part else len(word)
        yield word[at:end]
        at = end + len(part)


def _quote_word(begin: str, secrets: list[tuple[str, str]], *rest: str) -> str:
    """Return a word in double quotes, so that the shell expands its variables."""
    told = _escape(begin)
    for (secret, named), part in zip(secrets, rest, strict=True):
        told += _find_variable(secret, named) + _escape(part)
    return f'"{told}"'


def _find_variable(secret: str, named: str) -> str:
    """Return a shell variable for a secret: one that has its value, or one named after its option
    or header.
    """
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST_VARIABLE and secret.endswith(value):
            before = secret.removesuffix(value)
            if _SCHEME.fullmatch(before):
                return f"{_escape(before)}${{{name}}}"
    return f"${{{_NO_NAME.sub('_', named.strip('-')).upper()}}}"


def _escape(text: str) -> str:
    return re.sub(r'(["$`\\])', r"\\\1", text)


def resume_arguments(session: "Hit | RecentSession") -> list[str]:
    """Return the arguments of `acp-tui` that resume a recorded session with its agent."""
    command = session.command
    return [
        f"--cwd={session.cwd}",
        f"--resume={session.session_id}",  # with `=`, as the agent's id may begin with a dash
        f"--recorded-in={session.recording}",
        *(["--", *command] if session.is_command else [f"--connect={command[0]}"]),
    ]


def continue_command(options: argparse.Namespace, cwd: str) -> str:
    """Return the shell command that continues the newest session of `cwd`; "" for other commands,
    such as the demo, whose folder is deleted.

    It repeats all given options: above all, those that confine the agent.
    """
    if options.parser.command_name:
        return ""
    replaced = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("--resume", "--recorded-in", "--keep", "--record", "--cwd"):
        replaced.add_argument(name, nargs="?")
    for name in ("--continue", "--choose-options"):
        replaced.add_argument(name, action="store_true")
    _, rest = replaced.parse_known_args(options.arguments)
    words = ["acp-tui", *rest, "--continue"]
    if os.path.realpath(os.environ.get("PWD", ".")) != os.path.realpath(cwd):
        words.append(f"--cwd={cwd}")  # the shell is in another folder
    if options.agent_command:
        words += ["--", *options.agent_command]
    return " ".join(hide_secrets(words))
