"""Terminals of version 2: the agent runs the program, and the client only shows it."""

import base64
import os
import signal
import subprocess
import threading

from acp_tui.demo_agent.tool_call import DemoToolCall
from acp_tui.demo_agent.turn import Cancelled, DemoTurn

_SIZE = {"cols": 80, "rows": 24}


def run(turn: DemoTurn, tool: DemoToolCall, argv: list[str], env: dict[str, str]) -> int | None:
    """Run a program and send what it prints; return its exit code, None if it was stopped."""
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=turn.session.cwd,
            env={**os.environ, **env},
        )
    except OSError as error:
        tool.fail(f"The program could not be started: {error}")
        return None
    terminal = f"terminal-{turn.session.number()}"
    turn.update(
        "terminal_update",
        terminalId=terminal,
        command=" ".join(argv),
        cwd=turn.session.cwd,
        size=_SIZE,
        capabilities={"cancel": {}},
    )
    tool.update(status="in_progress", content=[{"type": "terminal", "terminalId": terminal}])
    turn.session.terminals[terminal] = process.terminate
    printed = threading.Event()
    printing = (turn, terminal, process, printed)
    threading.Thread(target=_print, args=printing, daemon=True).start()
    turn.client.wait(lambda: turn.cancelled or printed.is_set())
    if turn.cancelled:
        process.terminate()
    printed.wait()
    code = process.wait()
    del turn.session.terminals[terminal]
    status = {"exitCode": code} if code >= 0 else {"signal": signal.Signals(-code).name}
    turn.update("terminal_update", terminalId=terminal, exitStatus=status)
    if turn.cancelled:
        raise Cancelled
    finish = tool.complete if code == 0 else tool.end_failed
    finish(rawOutput=status)
    return code


def _print(
    turn: DemoTurn, terminal: str, process: "subprocess.Popen[bytes]", printed: threading.Event
) -> None:
    """Send what a program prints as it comes: characters and sequences may be cut anywhere."""
    assert process.stdout is not None
    while data := os.read(process.stdout.fileno(), 4096):
        text = base64.b64encode(data).decode()
        turn.update("terminal_output_chunk", terminalId=terminal, data=text)
    printed.set()
    turn.client.wake()
