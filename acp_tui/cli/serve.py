"""`acp-tui serve`: the UI in a browser."""

import argparse
import errno
import os
import signal
import socket
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from acp_tui.cli import ui
from acp_tui.cli.options import agent_options, launch_options
from acp_tui.cli.output import USAGE, print_error
from acp_tui.config.paths import PROGRAM, kept_folder
from acp_tui.version import install_command

if TYPE_CHECKING:
    from acp_tui.web.server import WebServer

_MISSING = f"the browser part is an extra that is not installed: {install_command('web')}"
_OWN = "Each window has an agent of its own, which ends with it. Ctrl+C ends them all."
_SHARED = "All windows show the same run, which goes on without them."
LAST_PORT = 65535
_LOOPBACK = "127.0.0.1"

_EPILOG = """\
acp-tui serve -- my-agent --acp
acp-tui serve --port 8080 -- my-agent --acp"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    ui.configure(parser)
    parser.usage = "acp-tui serve [--port N] [OPTIONS] (-- COMMAND [ARG...] | --attach [NAME])"
    parser.description = (
        "Work with an agent in a browser: this prints a link that lets one browser in.\n"
        "Each window has its own UI and agent, which end with it, unless it shows a kept run (--attach).\n"
        "OPTIONS are those of acp-tui."
    )
    parser.epilog = _EPILOG
    add_server_options(parser)


def add_server_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only the server has."""
    group = parser.add_argument_group("browser")
    group.add_argument(
        "--port",
        metavar="N",
        type=_parse_port,
        default=0,
        help="listen on this port (default: a free one)",
    )
    group.add_argument(
        "--host",
        metavar="ADDRESS",
        default=_LOOPBACK,
        help=f"listen on this address (default: {_LOOPBACK}, this machine only)",
    )
    group.add_argument(
        "--attach",
        metavar="NAME",
        nargs="?",
        const="",
        help="show a kept run in every window (see acp-tui attach), instead of an agent for each",
    )
    group.add_argument(
        "--url",
        metavar="URL",
        type=_parse_site,
        help="the address that browsers use, behind a proxy (default: where it listens)",
    )


def _parse_port(text: str) -> int:
    if not text.isdecimal() or int(text) > LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: ports go from 1 to {LAST_PORT}")
    return int(text)


def _parse_site(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_site = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_site = False
    if not is_site or "@" in parts.netloc or parts.path.strip("/") or parts.query or parts.fragment:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not the address of a site: write https://HOST or http://HOST:PORT"
        )
    return f"{parts.scheme}://{parts.netloc}".lower()


def execute(options: argparse.Namespace) -> int:
    """Serve until a signal, which ends the agents of all windows."""
    _check_options(options)
    if not hasattr(os, "openpty"):
        print_error("this system has no terminals of the kind that a browser can be given", "serve")
        return USAGE
    try:
        import acp_tui.web.server as web
    except ImportError:
        print_error(_MISSING, "serve")
        return USAGE
    import anyio

    from acp_tui.web.server import WebGate, is_loopback

    try:
        listener = _open_listener(options.host, options.port)
    except OSError as error:
        print_error(_explain_listen_error(options, error), "serve")
        return USAGE
    port = listener.getsockname()[1]
    host = f"[{options.host}]" if ":" in options.host else options.host
    url = options.url or f"http://{host}:{port}"
    gate = WebGate(url)
    if not is_loopback(listener.getsockname()[0]):
        print_error(
            f"it listens on {options.host}: anyone on the network can read along, unless "
            "a proxy encrypts it; ssh -L is safer",
            "serve",
        )
    server = web.WebServer(gate, window_command(options), _print_link)
    sys.stdout.write(f"{_OWN if options.attach is None else _SHARED}\n")
    _print_link(gate.link)
    anyio.run(_serve_until_signal, server, listener)
    return 0


def _open_listener(host: str, port: int) -> socket.socket:
    """Listen on an IPv4 or IPv6 address, or on a host name's. Raises OSError."""
    family, _, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    return socket.create_server(address[:2], family=family)


def _explain_listen_error(options: argparse.Namespace, error: OSError) -> str:
    """Explain why an address can't be listened on, and what to do about it."""
    code = error.errno
    if code == errno.EADDRINUSE:
        return (
            f"port {options.port} of {options.host} is already in use: name another one, or leave "
            "out --port for a free one"
        )
    if code == errno.EACCES:
        return f"port {options.port} is only for the system's administrator: name one above 1023"
    if code == errno.EADDRNOTAVAIL:
        return f"this machine doesn't have the address {options.host}: --host names one that it has"
    return f"can't listen on {options.host}, port {options.port}: {error.strerror or error}"


def _check_options(options: argparse.Namespace) -> None:
    """End the program if there is no agent or kept run to show."""
    if options.attach is None:
        agent_options.chosen_agents(options.parser, options, launch_options.user_settings().agents)
        return
    from acp_tui.kept.run_places import KeptRunError, find_run

    if options.agent_command:
        options.parser.error("--attach shows a run that is kept: leave out -- and what follows")
    try:
        find_run(kept_folder(), options.attach or None)
    except KeptRunError as error:
        print_error(str(error), "serve")
        raise SystemExit(USAGE) from None


def window_command(options: argparse.Namespace) -> list[str]:
    """Return the command that runs in each window: the given options without those of the server."""
    own = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add_server_options(own)
    _, rest = own.parse_known_args(options.arguments)
    if options.attach is not None:
        return [*PROGRAM, "attach", *filter(None, [options.attach]), *rest]
    agent = ["--", *options.agent_command] if options.agent_command else []
    return [*PROGRAM, *rest, *agent]


def _print_link(link: str) -> None:
    sys.stdout.write(f"Open in a browser, once: {link}\n")
    sys.stdout.flush()


async def _serve_until_signal(server: "WebServer", listener: socket.socket) -> None:
    import anyio

    from acp_tui.web.server import serve_windows

    until = anyio.Event()
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(serve_windows, server, listener, until)
            async for _ in signals:
                until.set()
                break
