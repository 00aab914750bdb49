"""One request to a kept run: what it does, or to do one thing."""

import os
import socket
from typing import Any

from acp_tui.kept.messages import MessageError, hello, read_message
from acp_tui.kept.run_places import KeptRunError, RunPlace
from acp_tui.text import clean_line

RUN_TIMEOUT = 5.0
"""Seconds that a run may take to answer."""


def screen_name() -> str:
    """Return the name that other screens see: our terminal and where we are connected from, else a
    script.
    """
    name = "a script"
    for descriptor in (0, 1, 2):
        try:
            name = os.ttyname(descriptor).removeprefix("/dev/")
        except OSError:
            continue
        break
    host = os.environ.get("SSH_CONNECTION", "").partition(" ")[0]
    return clean_line(f"{name} from {host}" if host else name)


def request(place: RunPlace, wants: str, **more: Any) -> dict[str, Any]:
    """Return the answer of a run. Raises KeptRunError."""
    with place.connect(RUN_TIMEOUT) as end:
        return _asked(place, end, wants, **more)


def stop_run(place: RunPlace, seconds: float) -> None:
    """End a run, and wait until its agents are gone. Raises KeptRunError."""
    with place.connect(RUN_TIMEOUT) as end:
        _asked(place, end, "stop")
        end.settimeout(seconds)
        try:
            while end.recv(4096):
                pass
        except ConnectionError:
            pass  # it is gone
        except OSError as error:
            words = f"{place.name} has not ended within {seconds:g} s"
            raise KeptRunError(f"{words}; what it wrote: {place.log}") from error


def _asked(place: RunPlace, end: socket.socket, wants: str, **more: Any) -> dict[str, Any]:
    line = b""
    try:
        end.sendall(hello(wants, screen_name(), **more))
        while not line.endswith(b"\n"):
            data = end.recv(65536)
            if not data:
                raise KeptRunError(f"{place.name} has ended; what it wrote: {place.log}")
            line += data
        body = read_message(line.partition(b"\n")[0])
    except (OSError, MessageError) as error:
        words = f"{place.name} does not answer: {error}"
        raise KeptRunError(f"{words}; what it wrote: {place.log}") from error
    if "error" in body:
        raise KeptRunError(str(body["error"]))
    return body
