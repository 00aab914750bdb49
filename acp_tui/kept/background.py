"""Work in a background process that no terminal can end."""

import os
import sys
from collections.abc import Callable

Ready = Callable[[str], None]
"""Called by the process in the background once it can be found, with its name."""


def in_background(work: Callable[[Ready], int]) -> str | int:
    """Do the work in the background; return the name that it is ready by, or, if it can't begin,
    its exit code. Nothing else may run in this process yet: no threads, and no loop.
    """
    theirs, ours = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(theirs)
        os.setsid()
        if os.fork() != 0:  # nobody's child anymore: its end is for nobody to wait for
            os._exit(0)
        _work(work, ours)
    os.close(ours)
    os.waitpid(child, 0)
    with os.fdopen(theirs, "rb") as told:
        words = told.read().decode()
    kind, _, rest = words.partition(" ")
    if kind == "ready":
        return rest
    return int(rest) if kind == "ended" else 1


def _work(work: Callable[[Ready], int], pipe: int) -> None:
    """Do the work and end the process, without cleaning up what belongs to the caller."""
    open_pipe = [pipe]

    def tell(words: str) -> None:
        if open_pipe:
            descriptor = open_pipe.pop()
            os.write(descriptor, words.encode())
            os.close(descriptor)

    code = 1
    try:
        code = work(lambda name: tell(f"ready {name}"))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        tell(f"ended {code}")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
