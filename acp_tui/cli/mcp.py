"""`acp-tui mcp`: an MCP server on stdio that lets agents search all recordings."""

import argparse
import sqlite3
import sys
import time
from typing import Any

from acp_tui.cli.find import hit_object
from acp_tui.cli.options.recording_options import explain_missing
from acp_tui.cli.output import USAGE, print_error
from acp_tui.config.paths import archive_file, recordings_folder
from acp_tui.index.index import Index
from acp_tui.index.search import QueryError, find_passages, parse_query
from acp_tui.masking.redactor import Redactor
from acp_tui.store.recordings import recordings_in
from acp_tui.version import __version__

LONGEST_TEXT = 4000
"""Longest text that is returned, in characters; the rest is cut off."""
MOST_PASSAGES = 50
"""Most passages that one call returns."""
NOTHING = "nothing found: all words have to be in one passage, so try fewer words"
_EPILOG = """\
The server is for the settings of an agent, as in .mcp.json:

  {"mcpServers": {"recordings": {"command": "acp-tui", "args": ["mcp"]}}}

It has one tool, search_recordings, which changes nothing. Whoever has it can read what all agents said and did
here; what looks like a secret is masked."""
_ABOUT = """\
Search what coding agents did on this machine: prompts, messages, tools and their input, commands, file paths,
changes, errors, stderr, and violations of the protocol; not files that agents read, or results of tools. The
newest passage comes first. A passage matches if it has all words of the query; the last one may be incomplete,
and "some words" are a phrase. kind:command (or prompt, message, thought, tool, file, change, input, error,
stderr, finding), agent:NAME and in:/folder narrow it down. Secrets are masked."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Set the command's description."""
    parser.description = "Offer the search over all recordings to agents: an MCP server on stdio."
    parser.epilog = _EPILOG


def execute(options: argparse.Namespace) -> int:  # noqa: ARG001
    """Serve until stdin ends."""
    try:
        from mcp.server import MCPServer
        from mcp.types import ToolAnnotations
    except ImportError as error:
        print_error(explain_missing("acp-tui mcp", "mcp", error))
        return USAGE
    server = MCPServer("acp-tui", instructions=_ABOUT, version=__version__)
    server.tool(description=_ABOUT, annotations=ToolAnnotations(read_only_hint=True))(
        search_recordings
    )
    if sys.stdin.isatty():
        print_error("this talks to an agent on stdin: put it into the agent's settings", "mcp")
    server.run("stdio")
    return 0


def search_recordings(query: str, days: float = 0, limit: int = 10) -> list[dict[str, Any]] | str:
    """Search the recordings of the last `days` days; 0 means all.

    If nothing is found, return a sentence: for an empty list, clients show the agent nothing at
    all.
    """
    redactor = Redactor()
    try:
        wanted = parse_query(query, since=time.time() - days * 86400 if days > 0 else 0.0)
        with Index.open(archive_file()) as index:
            index.update(recordings_in(recordings_folder()))
            hits = find_passages(index, wanted, max(1, min(limit, MOST_PASSAGES)))
    except (QueryError, OSError, sqlite3.Error) as error:
        from mcp.server.mcpserver.exceptions import ToolError

        # The MCP library hides the text of any other exception from the agent.
        raise ToolError(str(error)) from None
    if not hits:
        return NOTHING
    return [
        {name: _mask_value(redactor, name, value) for name, value in hit_object(hit).items()}
        for hit in hits
    ]


def _mask_value(redactor: Redactor, name: str, value: object) -> object:
    """Mask secrets in a text or a command line, then cut a long text. Masking comes first, as half
    a secret isn't recognized.
    """
    if isinstance(value, list):
        return redactor.argv(value)
    if not isinstance(value, str):
        return value
    text = redactor.text(value, name)
    if len(text) <= LONGEST_TEXT:
        return text
    return f"{text[:LONGEST_TEXT]}… [{len(text) - LONGEST_TEXT:,} characters more]"
