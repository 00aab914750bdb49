"""Runs git so that neither the environment nor a repository's settings make it run other programs.

Agents can write to the user's repository, including its hooks and settings.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from acp_tui.git.blocking_files import find_blocking_file
from acp_tui.git.objects import GitError, Objects

GIT_TIMEOUT = 600.0
"""Seconds for one command: the first checkpoint of a large folder reads all its files."""
_LOOK = 0.5
"""Seconds between checks whether a command makes progress."""
IDLE_TIMEOUT = 10.0
"""Seconds without progress after which a command counts as blocked, for example by a pipe."""
_QUIET = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "commit.gpgSign=false"),  # else git runs the program that `gpg.program` names
    *("-c", "submodule.recurse=false"),  # git would use each submodule's settings
    *("-c", "gc.auto=0"),
)
SUBMODULES = "--ignore-submodules=dirty"
"""Compares a submodule by its commit: looking inside would use its own settings."""

PLAIN_DIFF = (
    *("--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "-O/dev/null"),
    *("--submodule=short", SUBMODULES),
)
"""Overrides the user's settings, one of which would make git use the settings of a submodule."""


_INTO = "import os, sys; os.fchdir(int(sys.argv[1])); os.execvp(sys.argv[2], sys.argv[2:])"
"""Changes to an open folder, then runs git, where an open folder has no path of its own (macOS)."""


class TooSlowError(GitError):
    """A command exceeded its time limit."""


class BlockedError(TooSlowError):
    """A command waited for something that may never happen; the message says for what."""


class Git:
    """Runs git commands in one folder, with `variables` added to the user's environment.

    With a descriptor of the folder, they run there even if another folder has its path by then.
    """

    def __init__(
        self,
        cwd: Path,
        variables: Mapping[str, str],
        options: Sequence[str] = (),
        folder: int | None = None,
    ) -> None:
        self._cwd = cwd
        self._folder = folder
        self._start_in: Path | None = cwd
        self._passed_descriptors: tuple[int, ...] = ()
        into: list[str] = []
        if folder is not None:
            self._start_in = _path_of_open(folder)
            if self._start_in is None:
                into = [sys.executable, "-I", "-S", "-c", _INTO, str(folder)]
                self._passed_descriptors = (folder,)
        self._variables = dict(variables)
        self._more = options
        self._command = [*into, "git", *_QUIET, *options]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self._env = kept | {
            "LC_ALL": "C",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_TERMINAL_PROMPT": "0",
            **variables,
        }

    def with_variables(self, variables: Mapping[str, str], cwd: Path | None = None) -> "Git":
        """Return a runner with more variables, optionally in another folder."""
        folder = self._folder if cwd is None else None
        return Git(cwd or self._cwd, {**self._variables, **variables}, self._more, folder)

    def run(
        self,
        *args: str | bytes,
        stdin: bytes = b"",
        ok_codes: Sequence[int] = (0,),
        timeout: float = GIT_TIMEOUT,
    ) -> bytes:
        """Return a command's output if its exit code is in `ok_codes`. Raises GitError."""
        try:
            with subprocess.Popen(
                [*self._command, *args],
                cwd=self._start_in,
                pass_fds=self._passed_descriptors,
                env=self._env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            ) as process:
                try:
                    output, errors = self._communicate(process, stdin, timeout)
                except BaseException:
                    process.kill()
                    raise
        except (FileNotFoundError, NotADirectoryError) as error:
            missing = error.filename != "git"
            raise GitError("the folder is gone" if missing else "git isn't installed") from None
        except (OSError, ValueError) as error:  # a name has a NUL
            raise GitError(getattr(error, "strerror", None) or str(error)) from None
        if process.returncode not in ok_codes:
            said = errors.decode("utf-8", "surrogateescape").strip()
            raise GitError(said.removeprefix("fatal: ") or "git failed")
        return output

    def _communicate(
        self, process: subprocess.Popen[bytes], stdin: bytes, timeout: float
    ) -> tuple[bytes, bytes]:
        """Return a command's output and errors. Raises TooSlowError, or BlockedError."""
        began = busy = time.monotonic()
        before, searched = _progress(process.pid), False
        unsent: bytes | None = stdin
        while True:
            left = began + timeout - time.monotonic()
            try:
                return process.communicate(unsent, timeout=max(0.0, min(_LOOK, left)))
            except subprocess.TimeoutExpired:
                unsent = None  # the rest is sent by the next call
            now, progress = time.monotonic(), _progress(process.pid)
            if progress is None or progress != before:
                before, busy = progress, now
            is_late = now >= began + timeout
            if (now > busy or is_late) and not searched:
                searched = True
                if found := find_blocking_file(self._cwd):
                    raise BlockedError(found)
            if is_late:
                raise TooSlowError(f"git took longer than {timeout:.0f} s")
            if now - busy > IDLE_TIMEOUT:
                words = "perhaps for a pipe or a device that its settings name"
                raise BlockedError(
                    f"git waited {IDLE_TIMEOUT:.0f} s without doing anything, {words}"
                )

    def line(self, *args: str | bytes, stdin: bytes = b"") -> str:
        """Return a command's single line of output. Raises GitError."""
        return self.run(*args, stdin=stdin).decode("utf-8", "surrogateescape").strip()

    def ignored(self, names: Iterable[bytes], *, by_index: bool = False) -> set[bytes]:
        """Return the names that git's rules ignore, whether or not they exist or are tracked.
        Raises GitError.

        `by_index` also reads rules that are only in the index.
        """
        # This command rejects literal pathspecs; after a leading "./", no character is special.
        plain = self.with_variables({"GIT_LITERAL_PATHSPECS": "0"})
        given = b"".join(b"./" + name + b"\0" for name in names)
        how = () if by_index else ("--no-index",)
        told = plain.run("check-ignore", *how, "-z", "--stdin", stdin=given, ok_codes=(0, 1))
        return {name.removeprefix(b"./") for name in told.split(b"\0") if name}

    @contextmanager
    def objects(self) -> Iterator[Objects]:
        """Yield a reader of objects by id."""
        with subprocess.Popen(
            [*self._command, "cat-file", "--batch"],
            cwd=self._start_in,
            pass_fds=self._passed_descriptors,
            env=self._env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                yield Objects(process.stdin, process.stdout)
            finally:
                process.kill()  # it may be waiting for a pipe in place of an object


def _path_of_open(folder: int) -> Path | None:
    """Return the path of an open folder that leads a child there even if another folder has its name
    by then; None if the system has no such path.
    """
    path = Path(f"/proc/self/fd/{folder}")
    return path if path.exists() else None


def _progress(pid: int) -> str | None:
    """Return a value that changes whenever a sleeping process makes progress; None if it is busy or
    unknown.

    A process that waits for a disk or for its own child, such as a filter, counts as busy.
    """
    try:
        facts = Path(f"/proc/{pid}/stat").read_text("latin-1").rpartition(")")[2].split()
        threads = Path(f"/proc/{pid}/task").iterdir()
        children = any((thread / "children").read_bytes() for thread in threads)
    except OSError:
        return None
    state, used = facts[0], facts[11:13]
    return None if state != "S" or children else " ".join(used)
