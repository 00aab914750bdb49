"""Real paths of folders, as of when access was granted: a link created later grants nothing."""

import errno
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from acp_tui.policy.rules import Rule, RuleAnswer
from acp_tui.text import path_of_url

_PROCESS = re.compile(r"/proc/\d+(?:/|$)")
_MOST_LINKS = 40
"""Most links that are followed in one path, as on Linux."""


def absolute_path(path: str, folder: str) -> str:
    """Return an agent's path as an absolute one. It may be a file URL, begin with `~`, or be
    relative to `folder`. Each ".." is kept: after a link it leads elsewhere.
    """
    return os.path.join(folder, os.path.expanduser(path_of_url(path)))  # noqa: PTH111, PTH118  see above


class ResolvedRoots:
    """Stores each folder's real path as of when it was first resolved.

    An agent reports the folders of its sessions, but reporting a folder grants no access to it.
    """

    def __init__(self, named: Iterable[str] = ()) -> None:
        """`named` are the resolved folders that the user has chosen."""
        self._named = list(named)
        self._known = {path: path for path in self._named}

    def choose(self, folder: str) -> None:
        """Add a resolved folder that the user has chosen."""
        self._named.append(folder)

    def allowed(self, folders: Iterable[str]) -> list[str]:
        """Return the session folders that are inside a folder that the user has chosen."""
        places = [Path(self.resolve(folder)) for folder in folders]
        return [str(one) for one in places if any(map(one.is_relative_to, self._named))]

    def remember(self, path: str) -> None:
        """Store a path that is already resolved, whatever replaces it later."""
        self._known.setdefault(path, path)

    def resolve(self, path: str) -> str:
        """Return the real path of a folder, or "" if it can't be resolved."""
        if path not in self._known:
            self._known[path] = real_path(path)
        return self._known[path]

    def resolve_rule(self, project: str, rule: Rule) -> Rule:
        """Return the rule with absolute patterns; if it allows, only at the folders' real paths.

        A rule that rejects or asks covers every path that its patterns may mean.
        """
        if not rule.paths:
            return rule
        from acp_tui.policy.globs import anchor_pattern

        home = os.path.expanduser("~")  # noqa: PTH111  Path.home fails where there is none
        patterns = [anchor_pattern(pattern, project, home) for pattern in rule.paths]
        paths = [_real_pattern(pattern, self.resolve) for pattern in patterns]
        if rule.answer is not RuleAnswer.ALLOW:
            paths += [*patterns, *(_real_pattern(pattern, real_path) for pattern in patterns)]
        return rule._replace(paths=tuple(dict.fromkeys(paths)))


def real_path(path: str) -> str:
    """Return the real path, or "" if it can't be resolved."""
    try:
        return Path(os.path.realpath(path)).as_posix()
    except (OSError, ValueError):  # a NUL, a name that is too long
        return ""


def leads_through_process(path: str) -> bool:
    """Return whether a path goes through a link that differs between processes, such as
    /proc/self/cwd.
    """
    at, todo = "/", [*reversed(path.split("/"))]
    links = 0
    while todo:
        name = todo.pop()
        if name == "..":
            at = os.path.dirname(at)  # noqa: PTH120  on text alone
        elif name not in ("", "."):
            whole = f"{at.rstrip('/')}/{name}"
            try:
                target = os.readlink(whole)  # noqa: PTH115  the text of the link
            except (OSError, ValueError) as error:
                is_no_link = isinstance(error, OSError) and error.errno == errno.EINVAL
                if _PROCESS.match(at) and not is_no_link:
                    return True  # we can't read it, but the agent's process may
                at = whole
                continue
            links += 1
            if _PROCESS.match(at) or links > _MOST_LINKS:
                return True
            at = "/" if target.startswith("/") else at
            todo += reversed(target.split("/"))
    return False


def _real_pattern(pattern: str, real: Callable[[str], str]) -> str:
    from acp_tui.policy.globs import escape_glob, literal_start

    start, rest = literal_start(pattern)
    place = escape_glob(real(start) or start)
    return f"{place.rstrip('/')}/{rest}" if rest else place
