"""Finds what a tool call's diffs already show: repeated keys of its input, and renamed files."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acp_tui.edits.tool_input import normalize_key
from acp_tui.protocol.content import Diff, ShownContent
from acp_tui.protocol.git_patch import read_hunks

_PLACES = {"path", "filepath", "file", "filename", "absolutepath", "abspath", "targetfile"}
_OLD = {"oldstring", "oldstr", "oldtext"}
_NEW = {"newstring", "newstr", "newtext", "content", "contents", "filetext"}
_EVERY = "replaceall"
_STEPS = {"edits", "changes"}
_PATCHES = {"diff", "patch", "patchtext", "unifieddiff"}
_ENVELOPES = _PATCHES | {"input"}
_LONGEST_PATCH = 1_000_000
"""Most characters of a patch that is compared."""
_HEAD_LINE = re.compile(
    r"Index: .*|=+|diff --git .*|new file mode 100644|index [0-9a-f]+\.\.[0-9a-f]+(?: 100644)?|"
)
"""Lines that may precede a file's change; any other, such as a new mode, is more than a diff shows."""
_ENVELOPE = re.compile(r"\s*\*\*\* Begin Patch\n(?P<files>.*?)\n\*\*\* End Patch\s*", re.DOTALL)
"""A patch in the format of the tool `apply_patch`, which has no line numbers."""
_FILE = re.compile(r"^\*\*\* (?P<action>Add|Update|Delete) File: (?P<path>.+)\n?", re.MULTILINE)
_NAMES = re.compile(r"--- (?P<old>[^\t\n]+)(?:\t.*)?\n\+\+\+ (?P<new>[^\t\n]+)(?:\t.*)?\n")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def find_repeated_keys(raw: dict[str, Any], diffs: Sequence[Diff]) -> set[str]:
    """Return the keys of an input that the diffs show completely, so that no text is shown twice."""
    keys = {key for diff in diffs for key in _pair_keys(raw, diff)}
    for key, value in raw.items():
        name = normalize_key(key)
        if name in _PATCHES and any(patch_matches(value, diff) for diff in diffs):
            keys.add(key)
        if name in _ENVELOPES and envelope_matches(value, diffs):
            keys.add(key)
        if name in _STEPS and (_repeats_steps(value, diffs) or _repeats_files(value, diffs)):
            keys.add(key)
    return keys


def patch_matches(patch: Any, diff: Diff) -> bool:
    """Return whether a unified diff of one file makes exactly the change that a diff shows."""
    if not isinstance(patch, str) or len(patch) > _LONGEST_PATCH:
        return False
    names = _NAMES.search(patch)
    if names is not None:
        above = patch[: names.start()].split("\n")
        known = _is_place(names["new"], diff.path) and (
            _is_place(names["old"], diff.path)
            or (names["old"] == "/dev/null" and not diff.old_text)
        )
        if not known or not all(map(_HEAD_LINE.fullmatch, above)):
            return False
        patch = patch[names.end() :]
    return _apply_hunks(patch, diff.old_text or "") == diff.new_text


def envelope_matches(patch: Any, diffs: Sequence[Diff]) -> bool:
    """Return whether a patch of the tool `apply_patch` makes exactly the changes that diffs show."""
    if not isinstance(patch, str) or len(patch) > _LONGEST_PATCH:
        return False
    envelope = _ENVELOPE.fullmatch(patch)
    before, *found = _FILE.split(envelope["files"]) if envelope is not None else ["", ""]
    files = list(zip(found[::3], found[1::3], found[2::3], strict=False))
    return (
        not before
        and bool(files)
        and all(
            any(_is_place(path, diff.path) and _file_makes(action, body, diff) for diff in diffs)
            for action, path, body in files
        )
    )


def _file_makes(action: str, body: str, diff: Diff) -> bool:
    """Return whether an `apply_patch` section of one file makes the change that a diff shows."""
    lines = body.removesuffix("\n").split("\n")
    old = diff.old_text or ""
    if action == "Add":
        made = "".join(f"{line[1:]}\n" for line in lines)
        return not old and all(line[:1] == "+" for line in lines) and made == _ended(diff.new_text)
    return action == "Update" and _replace_blocks(_ended(old), lines) == _ended(diff.new_text)


def _ended(text: str) -> str:
    """Return a text with a newline at its end: in an `apply_patch` section, each line has one."""
    return text if text.endswith("\n") else f"{text}\n"


def _replace_blocks(text: str, lines: Sequence[str]) -> str | None:
    """Replace each block of an `apply_patch` section where it first occurs; None if one doesn't.

    Lines that begin with `@@` separate the blocks, and may name a line above the next block.
    """
    before, after = f"\n{text}", ""
    at = search = 0
    old, new = "", ""
    for line in [*lines, "@@"]:
        sign, rest = line[:1] or " ", line[1:]
        if sign in " -+":
            old += f"{rest}\n" if sign != "+" else ""
            new += f"{rest}\n" if sign != "-" else ""
            continue
        if not line.startswith("@@"):
            return None
        if old or new:
            found = before.find(f"\n{old}", search)
            if found < 0 or not old:
                return None
            after += before[at + 1 : found + 1] + new
            at = search = found + len(old)
            old, new = "", ""
        if above := line.removeprefix("@@").removeprefix(" "):
            search = before.find(f"\n{above}\n", search)
            if search < 0:
                return None
            search += len(above) + 1
    return after + before[at + 1 :]


def _pair_keys(raw: dict[str, Any], diff: Diff) -> set[str]:
    """Return the keys of one change: its old text, its new text and its file."""
    names = {normalize_key(key): key for key in raw}
    olds = [names[name] for name in sorted(_OLD) if name in names]
    news = [names[name] for name in sorted(_NEW) if name in names]
    old, new = diff.old_text or "", diff.new_text
    wholly = all(raw[key] == old for key in olds) and all(raw[key] == new for key in news)
    places = {key for key in raw if normalize_key(key) in _PLACES and raw[key] == diff.path}
    pair = [(raw[key], raw[other]) for key in olds for other in news]
    makes = len(pair) == 1 and _replace_once(old, pair) == new
    if not news or not (wholly or makes):
        return places
    every = names.get(_EVERY)
    switch = {every} if every is not None and raw[every] is False else set()
    return {*olds, *news, *places, *switch}


def _repeats_steps(steps: Any, diffs: Sequence[Diff]) -> bool:
    """Return whether a list of replacements makes the changes that the diffs show."""
    pairs = [_pair(step, diffs) for step in steps] if isinstance(steps, list) else []
    found = [pair for pair in pairs if pair is not None]
    if not found or len(found) != len(pairs):
        return False
    pieces = [(diff.old_text or "", diff.new_text) for diff in diffs]
    return found == pieces or any(
        _replace_once(diff.old_text or "", found) == diff.new_text for diff in diffs
    )


def _pair(step: Any, diffs: Sequence[Diff]) -> tuple[str, str] | None:
    """Return the old and new text of a step; None if it has anything else."""
    if not isinstance(step, dict):
        return None
    names = {normalize_key(key): value for key, value in step.items()}
    old = [value for name, value in names.items() if name in _OLD]
    new = [value for name, value in names.items() if name in _NEW]
    paths = {diff.path for diff in diffs}
    rest = {
        name: value
        for name, value in names.items()
        if name not in _OLD | _NEW and not (name in _PLACES and {value} == paths)
    }
    if rest not in ({}, {_EVERY: False}) or len(old) != 1 or len(new) != 1:
        return None
    return (old[0], new[0]) if isinstance(old[0], str) and isinstance(new[0], str) else None


def _repeats_files(changes: Any, diffs: Sequence[Diff]) -> bool:
    """Return whether changes by file, as codex sends them, are those that the diffs show."""
    if not isinstance(changes, dict) or not changes:
        return False
    return all(
        any(path == diff.path and _repeats_file(change, diff) for diff in diffs)
        for path, change in changes.items()
    )


def _repeats_file(change: Any, diff: Diff) -> bool:
    match change:
        case {"type": "add", "content": content, **rest} | {"add": {"content": content}, **rest}:
            return content == diff.new_text and not diff.old_text and not rest
        case {"type": "update", "unified_diff": patch, **rest}:
            return patch_matches(patch, diff) and rest in ({}, {"move_path": None})
        case {"update": {"unified_diff": patch, **rest}} if len(change) == 1:
            return patch_matches(patch, diff) and rest in ({}, {"move_path": None})
    return False


def _replace_once(text: str, pairs: Iterable[tuple[Any, Any]]) -> str | None:
    """Replace texts one after another; return None unless each occurs exactly once."""
    for old, new in pairs:
        if not isinstance(old, str) or not isinstance(new, str) or text.count(old) != 1:
            return None
        text = text.replace(old, new)
    return text


def _is_place(name: str, path: str) -> bool:
    """Return whether a file name in a patch means this path: git adds the prefix `a/` or `b/`."""
    name = name.strip()
    short = name[2:] if name[:2] in ("a/", "b/") else name
    return path in (name, short) or path.endswith((f"/{name}", f"/{short}"))


def _apply_hunks(patch: str, old: str) -> str | None:
    """Apply a patch's hunks at their line numbers; return None if one is invalid or doesn't fit."""
    hunks = read_hunks(patch)
    if hunks is None:
        return None
    before = _LINE.findall(old)
    after: list[str] = []
    at = 0
    for hunk in hunks:
        olds = _LINE.findall(hunk.old)
        start = hunk.old_start - (1 if olds else 0)
        if start < at or before[start:][: len(olds)] != olds:
            return None
        after += [*before[at:start], hunk.new]
        at = start + len(olds)
    return "".join([*after, *before[at:]])


LEAST_ALIKE = 0.5
"""Smallest share of common lines from which a deleted and a created file count as a rename."""
MOST_COMPARED = 64
"""Most pairs of files that are compared line by line. If there are more, only equal files match:
this runs whenever a call is drawn.
"""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A file that was at `source`, with its change; the diff has the new path."""

    source: str
    diff: Diff


JoinedContent = ShownContent | Renamed
"""The content of a call, in which a rename replaces its two diffs."""


def join_renames(content: Sequence[ShownContent]) -> list[JoinedContent]:
    """Replace each pair of a deleted and a created file with a rename, where the later one was."""
    items: list[JoinedContent] = list(content)
    diffs = [(at, item) for at, item in enumerate(content) if isinstance(item, Diff)]
    gone = {at: diff for at, diff in diffs if diff.old_text and not diff.new_text}
    came = {at: diff for at, diff in diffs if diff.new_text and not diff.old_text}
    by_lines = len(gone) * len(came) <= MOST_COMPARED
    joined = set()
    for at, old in gone.items():
        new_at = _find_counterpart(old, came, by_lines)
        if new_at is None:
            continue
        new = came.pop(new_at)
        diff = Diff(path=new.path, old_text=old.old_text, new_text=new.new_text)
        items[max(at, new_at)] = Renamed(old.path, diff)
        joined.add(min(at, new_at))
    return [item for at, item in enumerate(items) if at not in joined]


def _find_counterpart(old: Diff, others: Mapping[int, Diff], by_lines: bool) -> int | None:
    """Return the index of the new file that is most similar to the old one, or None."""
    best, best_alike = None, LEAST_ALIKE
    for at, new in others.items():
        if new.new_text == old.old_text:
            return at
        alike = _alike(old.old_text or "", new.new_text) if by_lines else 0.0
        if alike > best_alike:
            best, best_alike = at, alike
    return best


def _alike(old: str, new: str) -> float:
    """Return the share of lines that two texts have in common, in any order."""
    before, after = Counter(old.split("\n")), Counter(new.split("\n"))
    return 2 * (before & after).total() / (before.total() + after.total())
