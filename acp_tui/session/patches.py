"""Patches in an agent's input: unified diffs, `*** Begin Patch`, and blocks of SEARCH and REPLACE."""

import re
from collections.abc import Iterator

from acp_tui.session.edits import Edit, Step

LONGEST = 1_000_000
"""Characters of a patch that is read."""
_BEGIN = "*** Begin Patch"
_NOWHERE = "/dev/null"
_END = ("*** End Patch", "*** End of File")
_NUMBERS = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_SIGNATURE = "-- "
"""What git puts below a patch that is sent by mail; text follows."""
_LINK = re.compile(r"^(?:(?:new|old|deleted)(?: file)? mode|index \S+) 120000$", re.MULTILINE)
_NAMED = re.compile(
    r"^(?:\*\*\* (?:(?:Add|Update|Delete) File|Move to): |\+\+\+ (?:b/)?|--- (?:a/)?"
    r"|(?:rename|copy) (?:from|to) )([^\t\n]+)",
    re.MULTILINE,
)
_MOVES = re.compile(r"^(rename|copy) from (.+)\n\1 to (.+)$", re.MULTILINE)
_SEARCH = re.compile(r"[-<]{3,} SEARCH")
_BETWEEN = re.compile(r"={3,}")
_REPLACE = re.compile(r"[+>]{3,} REPLACE")


def names(text: str) -> list[str]:
    """Return the files that a patch names so far."""
    return [name for name in _NAMED.findall(text[:LONGEST]) if name != _NOWHERE]


def read_patch(text: str, path: str = "") -> list[Edit]:
    """Read the edits in a patch; `path` is the file if the patch names none.

    Nothing where it is none, or does what no edit can tell.
    """
    text = text.replace("\r\n", "\n")
    if len(text) > LONGEST:
        return []
    if text.lstrip().startswith(_BEGIN):
        return _begun(text)
    if "@@" in text or _MOVES.search(text):
        return _unified(text, path)
    blocks = tuple(_blocks(text)) if path else ()
    return [Edit(path, blocks)] if blocks else []


def _blocks(text: str) -> Iterator[Step]:
    """The steps of `<<<< SEARCH`, `====` and `>>>> REPLACE`, each on a line of its own."""
    old: list[str] | None = None
    new: list[str] | None = None
    for line in text.split("\n"):
        if _SEARCH.fullmatch(line):
            old, new = [], None
        elif new is not None and _REPLACE.fullmatch(line):
            yield Step("\n".join(old or []), "\n".join(new))
            old = new = None
        elif old is not None and new is None and _BETWEEN.fullmatch(line):
            new = []
        elif new is not None:
            new.append(line)
        elif old is not None:
            old.append(line)


class _UnclearError(Exception):
    """Programs may make different things of a patch."""


def _begun(text: str) -> list[Edit]:
    """`*** Begin Patch`, as codex has it."""
    text, _, rest = text.strip().partition(f"\n{_END[0]}")
    start, *sections = re.split(
        r"^(?=\*\*\* (?:Add|Update|Delete) File: )", text, flags=re.MULTILINE
    )
    if start.strip() != _BEGIN or rest.strip():
        return []
    edits: list[Edit] = []
    for section in sections:
        head, *lines = section.split("\n")
        _, kind, _, path = head.rstrip().split(" ", 3)
        to = [line[13:].strip() for line in lines if line.startswith("*** Move to: ")]
        added = [line[1:] for line in lines if line.startswith("+")]
        others = [line for line in lines if line.strip() and line.strip() not in _END]
        if kind != "Update" and len(others) != (len(added) if kind == "Add" else 0):
            return []
        if kind == "Delete":
            edits.append(Edit(path, (), deletes=True))
        elif kind == "Add":
            edits.append(Edit(path, (Step(None, "".join(f"{line}\n" for line in added)),)))
        elif to:
            edits += moved(Edit(path, tuple(_steps(lines))), to[0])
        else:
            edits.append(Edit(path, tuple(_steps(lines))))
    return _whole(edits)


def moved(edit: Edit, to: str, *, stays: bool = False) -> list[Edit]:
    """Make the edits of a file that moves; the old one is deleted unless it `stays`."""
    there = edit._replace(path=to, source=edit.path)
    return [there] if stays else [there, Edit(edit.path, (), deletes=True)]


def _unified(text: str, path: str) -> list[Edit]:
    """A unified diff: of several files, or of one that is named elsewhere."""
    edits: list[Edit] = []
    if _LINK.search(text):
        return []
    for file in re.split(r"^(?=diff --git )", text, flags=re.MULTILINE):
        moves = _MOVES.search(file)
        try:
            found = list(_of_files(file.split("\n"), "" if moves else path))
        except _UnclearError:
            return []
        if moves is None:
            if not found and file.startswith("diff --git "):
                return []  # a mode, or bytes
            edits += found
            continue
        kind, source, to = moves.groups()
        steps = found[0].steps if found else ()
        edits += moved(Edit(source, steps), to, stays=kind == "copy")
    return _whole(edits)


def _of_files(lines: list[str], path: str) -> Iterator[Edit]:
    """The edits of each file; `path` is that of hunks without a head. Raises _UnclearError."""
    before = after = path
    steps: list[Step] = []
    at, said = 0, False
    while at < len(lines):
        line = lines[at]
        if _is_head(lines, at):
            yield from _of_file(before, after, steps)
            before, after = _name(line, "a/"), _name(lines[at + 1], "b/")
            steps, said = [], False
            at += 2
        elif line.startswith("@@") and before:
            end, more = _hunk(lines, at)
            steps += more
            at = end
        else:
            said = said or line == _SIGNATURE
            if steps and not said and line[:1] in ("+", "-", " ") and line.strip():
                raise _UnclearError
            at += 1
    yield from _of_file(before, after, steps)


def _of_file(before: str, after: str, steps: list[Step]) -> Iterator[Edit]:
    if after == _NOWHERE:
        yield Edit(before, (), deletes=True)
    elif before == _NOWHERE:
        yield Edit(after, (Step(None, "".join(f"{step.new}\n" for step in steps)),))
    elif steps:
        yield Edit(after, tuple(steps))


def _is_head(lines: list[str], at: int) -> bool:
    """Whether a file's names stand here: lines of a change may look like them, without a hunk below."""
    marks = ("--- ", "+++ ", "@@")
    head = lines[at : at + 3]
    return len(head) == 3 and all(map(str.startswith, head, marks)) and bool(head[0][4:].strip())


def _hunk(lines: list[str], at: int) -> tuple[int, list[Step]]:
    """Where a hunk ends, by its numbers if they are right, and its step."""
    numbers = _NUMBERS.match(lines[at])
    end = _counted(lines, at + 1, *map(int, numbers.groups("1"))) if numbers else None
    if end is not None:
        old = [line[1:] for line in lines[at + 1 : end] if line[:1] in ("", " ", "-")]
        new = [line[1:] for line in lines[at + 1 : end] if line[:1] in ("", " ", "+")]
        return end, [Step("\n".join(old), "\n".join(new), lines=True)]
    end = at + 1
    while end < len(lines) and not lines[end].startswith("@@") and not _is_head(lines, end):
        end += 1
    return end, list(_steps(lines[at:end]))


def _counted(lines: list[str], at: int, old: int, new: int) -> int | None:
    """Where so many lines of the old text and of the new one end; None if they don't."""
    while (old > 0 or new > 0) and at < len(lines):
        sign = lines[at][:1]
        if sign not in ("", " ", "-", "+", "\\"):
            return None
        old -= sign in ("", " ", "-")
        new -= sign in ("", " ", "+")
        at += 1
    return at if old == new == 0 else None


def _whole(edits: list[Edit]) -> list[Edit]:
    """The edits, if each says what it does, and where: lines that are only added stand anywhere, and
    of two edits of one file nobody knows which is first.
    """
    told = all(
        edit.deletes or ((edit.steps or edit.source) and all(step.old != "" for step in edit.steps))
        for edit in edits
    )
    names = [edit.path for edit in edits]
    plain = not any(name.startswith('"') for name in names)  # as git writes what is not ASCII
    return edits if told and plain and len(set(names)) == len(names) else []


def _name(line: str, prefix: str) -> str:
    """The file that a line names, without git's prefix; a tab and a time may follow."""
    return line[4:].split("\t", maxsplit=1)[0].strip().removeprefix(prefix)


def _steps(lines: list[str]) -> Iterator[Step]:
    """A step for each hunk."""
    anchor, old, new = "", list[str](), list[str]()
    for line in [*lines, "@@"]:
        if line.startswith("@@"):
            while old and new and not old[-1] and not new[-1]:  # between hunks, not in them
                old.pop()
                new.pop()
            if old or new:
                yield Step("\n".join(old), "\n".join(new), lines=True, anchor=anchor)
            anchor, old, new = _anchor(line), [], []
        if line[:1] in ("", " ", "-"):
            old.append(line[1:])
        if line[:1] in ("", " ", "+"):
            new.append(line[1:])


def _anchor(line: str) -> str:
    """The line that stands above a hunk, where there are no numbers."""
    return "" if _NUMBERS.match(line) else line.strip("@ ")
