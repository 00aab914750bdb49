"""The command line that continues a session after its screen was left."""

import argparse
import os


def continue_command(options: argparse.Namespace, cwd: str) -> str:
    """Return what continues the newest session of `cwd`, as a shell takes it; "" for the demo, whose
    folder is deleted. All options are those that were given, above all those that confine the agent.
    """
    if options.parser.called:
        return ""
    from acp_tui.cli.check_again import without_secrets

    replaced = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("--resume", "--recorded-in", "--keep", "--record", "--cwd"):
        replaced.add_argument(name, nargs="?")
    replaced.add_argument("--continue", action="store_true")
    _, rest = replaced.parse_known_args(options.given)
    words = ["acp-tui", *options.names, *rest, "--continue"]
    if os.path.realpath(os.environ.get("PWD", ".")) != os.path.realpath(cwd):
        words.append(f"--cwd={cwd}")  # the shell is in another folder
    if options.agent_command:
        words += ["--", *options.agent_command]
    return " ".join(without_secrets(words))
