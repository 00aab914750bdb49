"""Plays scripts with what only tests of a client need: floods, stubborn processes, grandchildren."""

import os
import signal
import sys
import time
from pathlib import Path

# Without site-packages, and without the package around it, which take their time.
sys.path.insert(0, str(Path(__file__).parents[2] / "acp_tui/testing"))

from script_agent import LIFETIME, AgentPlayer, Step, main  # type: ignore[import-not-found]


class StubbornPlayer(AgentPlayer):
    """Plays all steps of `tests.fake_agent.script`."""

    def __init__(self, steps: list[Step], run: Path) -> None:
        super().__init__(steps, run)
        self.ignores_eof = False
        self.facts["grandchildren"] = []

    def sleep_until_eof(self, seconds: float) -> None:
        """Sleep; the end of stdin ends it, unless that is ignored."""
        if self.ignores_eof:
            time.sleep(seconds)
        else:
            super().sleep_until_eof(seconds)

    def is_over(self) -> bool:
        """The end of stdin may be ignored."""
        return super().is_over() and not self.ignores_eof

    def do_pour(self, step: Step) -> None:
        data = step["text"].encode()
        while not (self.inbox.messages or self.inbox.ended):
            if step["where"] == "stdout":
                self.write(data)
            else:
                os.write(2, data)

    def do_close_stdout(self, _step: Step) -> None:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)

    def do_stop_reading(self, _step: Step) -> None:
        """Leave the pipe to fill, once the read that is under way is over."""
        self.inbox.reading = False

    def do_ignore_eof(self, _step: Step) -> None:
        self.ignores_eof = True

    def do_ignore_sigterm(self, _step: Step) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def do_spawn_grandchild(self, step: Step) -> None:
        """Start a process that outlives us if nobody ends it."""
        import subprocess

        code = f"import time; time.sleep({LIFETIME})"
        if step["ignores_sigterm"]:
            code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + code
        pipe = None if step["holds_stdout"] else subprocess.DEVNULL
        child = subprocess.Popen(
            [sys.executable, "-S", "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            start_new_session=step["own_session"],
        )
        child.returncode = 0  # it is not ours to wait for
        self.facts["grandchildren"].append(child.pid)
        self.report()

    def do_spawn(self, step: Step) -> None:
        """Start a program of ours, with our stdin and stdout kept from it."""
        import subprocess

        null = subprocess.DEVNULL
        child = subprocess.Popen(step["argv"], stdin=null, stdout=null, stderr=null)
        child.returncode = 0  # it is not ours to wait for


if __name__ == "__main__":
    code = main(StubbornPlayer)
    sys.stderr.flush()
    os._exit(code)
