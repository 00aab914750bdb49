"""The user's `!` commands, which run in the session's folder and not by the agent."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from anyio import to_thread

from acp_tui.config.paths import PYTHON
from acp_tui.formatting import size
from acp_tui.host.agent import RunProgram
from acp_tui.state.authentication import Program
from acp_tui.state.commands import NoteOwnCommand, RecordOwnCommand
from acp_tui.text import clean_line
from acp_tui.ui.feature import Feature
from acp_tui.ui.folders import FoldersFeature
from acp_tui.ui.prompt.editor import EditorWindow
from acp_tui.ui.tabs.tab import Tab

ADD_OUTPUT = 0
"""The exit code of `command_process` if the output is added to the prompt."""


class OwnCommandsFeature(Feature):
    """Runs `!` commands on the terminal; the output is added to the prompt if the user wants it."""

    name = "own_commands"

    def __init__(self, window: EditorWindow, folders: FoldersFeature) -> None:
        self._window = window
        self._folders = folders

    def why_not(self, tab: Tab) -> str | None:
        """Return why a tab can't run commands; None if it can."""
        if tab.agent.run_program is None:
            return "commands run only where acp-tui has a terminal of its own"
        if tab.agent.state.peer.process.elsewhere:
            return clean_line(
                f"the session's folder is not here: it is in {tab.agent.state.peer.process.place}"
            )
        return "another program has the terminal" if self._window.terminal.is_suspended else None

    def run(self, tab: Tab, command: str) -> None:
        """Run a command in the folder of a tab for which `why_not` returns None.

        It doesn't run if another folder has taken the name of that one.
        """
        run = tab.agent.run_program
        if run is not None and command.strip():
            self._window.spawn(self._run_command(tab, command.strip(), run))

    async def _run_command(self, tab: Tab, command: str, run: RunProgram) -> None:
        try:
            folder = await self._folders.of(tab)
            await to_thread.run_sync(folder.check, abandon_on_cancel=True)
        except OSError as error:
            self._window.show_note(clean_line(f"not run: {error.filename}: {error.strerror}"))
            return
        shell = os.environ.get("SHELL") or "/bin/sh"
        with TemporaryDirectory(prefix="acp-tui-") as own:
            file = Path(own, "output")
            relay = (*PYTHON, "acp_tui.ui.prompt.command_process", str(file), folder.id)
            tab.agent.do(NoteOwnCommand())  # before it can change a file
            with self._window.terminal.step_aside():
                code = await run(Program((*relay, shell, command), str(folder.path)))
            ended = _read_output(file)
        if ended is None:
            self._window.show_note(f"the command was not run in {clean_line(str(folder.path))}")
            return
        exit_code, dropped, output = ended
        if tab.session_id is not None:
            tab.agent.do(
                RecordOwnCommand(
                    tab.session_id, command, str(folder.path), output, dropped, exit_code
                )
            )
        if code == ADD_OUTPUT:
            self._prepend_output(command, exit_code, dropped, output)
        self._window.refresh_view()

    def _prepend_output(self, command: str, code: int, dropped: int, output: bytes) -> None:
        """Append the output to what is written in the prompt; nothing is sent."""
        from acp_tui.ui.terminal.stream import plain_lines  # deferred: it imports pyte

        lines = [f"$ {command}"]
        if dropped:
            lines.append(f"[the first {size(dropped)} are left out]")
        lines += plain_lines(output)
        if code:
            how = f"with {code}" if code > 0 else f"by signal {-code}"
            lines.append(f"[ended {how}]")
        prompt = self._window.editor
        fence = "`" * max(3, 1 + _longest_fence("\n".join(lines)))
        text = "\n".join([f"{fence}console", *lines, fence, ""])
        before = f"{prompt.text.rstrip()}\n\n" if prompt.text.strip() else ""
        prompt.write(before + prompt.pastable(text))
        prompt.focus()


def _read_output(file: Path) -> tuple[int, int, bytes] | None:
    """Return the command's exit code, the number of dropped bytes, and the output after them; None
    if the command was not run.
    """
    if not file.exists():
        return None
    head, _, output = file.read_bytes().partition(b"\n")
    code, dropped = head.split()
    return int(code), int(dropped), output


def _longest_fence(text: str) -> int:
    """Return the most backticks at the start of any line."""
    return max((len(line) - len(line.lstrip("`")) for line in text.splitlines()), default=0)
