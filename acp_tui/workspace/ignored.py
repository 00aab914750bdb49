"""Which files the rules of several folders ignore: the nearest ones decide."""

from dataclasses import dataclass
from pathlib import Path

from acp_tui.git import gitignore
from acp_tui.git.gitignore import IgnoreFile


@dataclass(frozen=True, slots=True)
class IgnoreScope:
    """Rules, and how their folder sees a path of ours: `cut` characters less, `above` before."""

    rules: IgnoreFile
    cut: int = 0
    above: str = ""


Chain = tuple[IgnoreScope, ...]
"""The rules that hold in a folder, the nearest first."""


def is_ignored(path: str, chain: Chain, *, folder: bool) -> bool:
    """Whether a file or folder is ignored, in a folder that is not."""
    for scope in chain:
        verdict = scope.rules.decide(scope.above + path[scope.cut :], folder=folder)
        if verdict is not None:
            return verdict
    return False


def rules_below(chain: Chain, rules: IgnoreFile | None, prefix: str) -> Chain:
    """Return what holds in a folder with rules of its own; its prefix ends with a slash."""
    return chain if rules is None else (IgnoreScope(rules, cut=len(prefix)), *chain)


def rules_above(root: Path) -> Chain:
    """Return the rules of the repository that a folder lies in: of the folders above, and its own."""
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    files = [(top, top / ".git" / "info" / "exclude")]
    files += [
        (one, one / ".gitignore") for one in reversed(root.parents) if one.is_relative_to(top)
    ]
    scopes = []
    for folder, file in files:
        rules = gitignore.read(file)
        if rules is not None:
            inside = root.relative_to(folder).as_posix()
            scopes.append(IgnoreScope(rules, above="" if inside == "." else f"{inside}/"))
    return tuple(reversed(scopes))
