"""Starts what leaves its group and its parents, each in another way, as a program of an agent does.

    python leaving_program.py FOLDER WAY...

What is started writes its pid into FOLDER/WAY and lives for two minutes if nobody ends it. The
program waits for that, too, unless one of the ways is `leave`.
"""

import os
import signal
import sys
import time
from pathlib import Path

HELD = ("nohup", "setsid", "daemon", "stubborn", "wiped child")
"""All that is found wherever it went."""
WIPED = "wiped daemon"
"""Nothing tells any more where this one came from."""
LIFETIME = 120.0
_STAYS = f"""
import os, sys, time
new = f"{{sys.argv[1]}}.{{os.getpid()}}"  # several may be started in the same way
with open(new, "w") as file:
    file.write(str(os.getpid()))
os.rename(new, sys.argv[1])
time.sleep({LIFETIME})
"""


def argv(folder: Path, *ways: str) -> list[str]:
    """What to start."""
    return [sys.executable, "-S", "-E", __file__, str(folder), *ways]


def pids(folder: Path, *ways: str) -> list[int]:
    """Those of what runs by now."""
    files = [folder / way for way in ways]
    return [int(file.read_text()) for file in files if file.exists()]


def start(folder: str, way: str) -> None:
    """Become what is started: `wiped` has no environment, a `daemon` no parent, `nohup` its group."""
    if "nohup" not in way:
        os.setsid()
    if way in ("daemon", "stubborn", WIPED):
        parent = os.getpid()
        if os.fork():
            os._exit(0)
        while os.getppid() == parent:  # as long as that lives, it tells where we came from
            time.sleep(0.001)
    ignored = [signal.SIGHUP] if way == "nohup" else []
    if way == "stubborn":
        ignored = [signal.SIGHUP, signal.SIGINT, signal.SIGTERM]
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
    for descriptor in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
    environment = {} if "wiped" in way else dict(os.environ)
    words = [sys.executable, "-S", "-E", "-c", _STAYS, f"{folder}/{way}"]
    os.execve(sys.executable, words, environment)


if __name__ == "__main__":
    _, into, *wanted = sys.argv
    for one in wanted:
        if one != "leave" and os.fork() == 0:
            start(into, one)
    if "leave" not in wanted:
        time.sleep(LIFETIME)
