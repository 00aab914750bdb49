"""The demo's work on files and programs, through the client if it has the capability."""

import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.demo_agent.turn import Cancelled, DemoSession, DemoToolCall, DemoTurn, text_content
from acp_tui.demo_agent.wire import RpcError

if TYPE_CHECKING:
    import subprocess

OPTIONS = (
    ("once", "Yes, change it", "allow_once"),
    ("always", "Yes, and don't ask again in this session", "allow_always"),
    ("no", "No, leave it as it is", "reject_once"),
    ("never", "No, and never ask again in this session", "reject_always"),
)


def read_project_file(turn: DemoTurn) -> str | None:
    """Read `tea.py` in the session's folder, in a tool call; return None if that fails."""
    path = turn.session.path("tea.py")
    tool = turn.tool(
        "Read tea.py", "read", locations=[{"path": path, "line": 1}], rawInput={"path": path}
    )
    tool.start()
    turn.pause(0.2)
    try:
        content = _content(turn, path)
    except (RpcError, OSError, ValueError) as error:
        tool.fail(f"`{path}` could not be read: {error}")
        return None
    tool.complete(
        content=[text_content(f"```python\n{content}\n```")],
        rawOutput={"lines": content.count("\n")},
    )
    return content


def _content(turn: DemoTurn, path: str) -> str:
    if turn.offers("fs", "readTextFile"):
        return str(turn.call("fs/read_text_file", path=path).get("content", ""))
    return Path(path).read_text("utf-8")


def edit(turn: DemoTurn, name: str, old: str, new: str) -> bool:
    """Change a file if the mode and the user allow it; return whether it was changed."""
    path = turn.session.path(name)
    line = _first_difference(old, new)
    diff = [{"type": "diff", "path": path, "oldText": old, "newText": new}]
    tool = turn.tool(
        f"Edit {name}",
        "edit",
        locations=[{"path": path, "line": line}],
        rawInput={"path": path, "content": new},
        content=diff,
    )
    if not may_edit(turn, tool, diff):
        tool.fail("Not allowed: the file stays as it was.", rawOutput={"written": False})
        return False
    tool.start()
    try:
        _write_file(turn, path, new)
    except (RpcError, OSError) as error:
        tool.fail(f"`{path}` could not be written: {error}")
        return False
    tool.complete(content=diff, rawOutput={"written": True})
    return True


def _first_difference(old: str, new: str) -> int:
    pairs = zip(old.splitlines(), new.splitlines(), strict=False)
    return next((line for line, (a, b) in enumerate(pairs, 1) if a != b), 1)


def _write_file(turn: DemoTurn, path: str, content: str) -> None:
    if turn.offers("fs", "writeTextFile"):
        turn.call("fs/write_text_file", path=path, content=content)
        return
    Path(path).write_text(content, "utf-8")


def would_ask(session: DemoSession) -> bool:
    """Return whether an edit needs permission: neither the mode nor an earlier "always" or "never"
    decides.
    """
    return session.mode == "ask" and session.remembered is None


def may_edit(turn: DemoTurn, tool: DemoToolCall, diff: list[dict[str, Any]]) -> bool:
    """Return whether an edit is allowed, asking if necessary; "always" and "never" are remembered."""
    session = turn.session
    if not would_ask(session):
        return session.mode == "edit" or (session.mode == "ask" and session.remembered == "always")
    choice = ask_permission(turn, tool, diff)
    if choice in ("always", "never"):
        session.remembered = choice
    return choice in ("once", "always")


def ask_permission(
    turn: DemoTurn,
    tool: DemoToolCall,
    content: list[dict[str, Any]],
    options: Sequence[tuple[str, str, str]] = OPTIONS,
) -> str:
    """Request permission; return the id of the chosen option. An error counts as "no"."""
    known = {name: tool.fields[name] for name in ("locations", "rawInput") if name in tool.fields}
    try:
        answer = turn.call(
            "session/request_permission",
            toolCall={
                "toolCallId": tool.id,
                "title": tool.title,
                "kind": tool.kind,
                "status": "pending",
                "content": content,
                **known,
            },
            options=[{"optionId": id, "name": name, "kind": kind} for id, name, kind in options],
        )
    except RpcError:
        return "no"
    outcome = answer.get("outcome")
    if not isinstance(outcome, dict) or outcome.get("outcome") != "selected":
        raise Cancelled
    return str(outcome.get("optionId"))


SAMPLE = Path(__file__).parent / "sample"


def sample_workspace(root: Path) -> None:
    """Copy the sample files to `root`, an existing folder that only the demo uses."""
    for file in SAMPLE.iterdir():
        if file.is_file():
            (root / file.name).write_text(file.read_text("utf-8"), "utf-8")


def run_checks(turn: DemoTurn) -> int | None:
    """Run the sample's tests in a terminal, the client's in version 1; return the exit code, or
    None if they didn't run.
    """
    script = turn.session.path("check.py")
    if not Path(script).exists():
        script = str(SAMPLE / "check.py")
    argv = [sys.executable, script]
    pause = f"{0.04 / turn.speed if turn.speed else 0:.4f}"
    tool = turn.tool(
        "Run python check.py",
        "execute",
        rawInput={"command": argv, "cwd": turn.session.cwd, "env": {"TEA_PAUSE": pause}},
    )
    if turn.client.version == 2:
        return _run_in_own_terminal(turn, tool, argv, {"TEA_PAUSE": pause})
    if not turn.offers("terminal"):
        tool.fail("This client offers no terminals, so the checks were not run.")
        return None
    try:
        return _in_terminal(turn, tool, argv, pause)
    except RpcError as error:
        tool.fail(f"The terminal failed: {error}")
        return None


def _in_terminal(turn: DemoTurn, tool: DemoToolCall, argv: list[str], pause: str) -> int | None:
    created = turn.call(
        "terminal/create",
        command=argv[0],
        args=argv[1:],
        env=[{"name": "TEA_PAUSE", "value": pause}],
        cwd=turn.session.cwd,
        outputByteLimit=100_000,
    )
    terminal = str(created.get("terminalId"))
    try:
        tool.update(status="in_progress", content=[{"type": "terminal", "terminalId": terminal}])
        exit_status = turn.call("terminal/wait_for_exit", terminalId=terminal)
        output = turn.call("terminal/output", terminalId=terminal)
        finish = tool.complete if exit_status.get("exitCode") == 0 else tool.end_failed
        finish(rawOutput={**exit_status, "characters": len(str(output.get("output", "")))})
        return exit_status.get("exitCode")
    except Cancelled:
        turn.call_cleanup("terminal/kill", terminalId=terminal)
        raise
    finally:
        turn.call_cleanup("terminal/release", terminalId=terminal)


_SIZE = {"cols": 80, "rows": 24}


def _run_in_own_terminal(
    turn: DemoTurn, tool: DemoToolCall, argv: list[str], env: dict[str, str]
) -> int | None:
    """Run a program and send its output, as version 2 requires; return its exit code, or None if it
    can't be started.
    """
    import signal
    import subprocess  # imported here, as it takes time

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
    threading.Thread(target=_print_output, args=printing, daemon=True).start()
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


def _print_output(
    turn: DemoTurn, terminal: str, process: "subprocess.Popen[bytes]", printed: threading.Event
) -> None:
    """Send a program's output as it arrives; the pieces may cut characters and escape sequences."""
    import base64

    assert process.stdout is not None
    while data := os.read(process.stdout.fileno(), 4096):
        text = base64.b64encode(data).decode()
        turn.update("terminal_output_chunk", terminalId=terminal, data=text)
    printed.set()
    turn.client.wake()
