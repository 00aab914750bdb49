"""Patches in an agent's input: unified diffs, `*** Begin Patch`, and blocks of SEARCH and REPLACE."""

import re
from collections.abc import Iterator

from acp_tui.session.edits import Edit, Step

LONGEST = 1_000_000
"""Characters of a patch that is read."""
_BEGIN = "*** Begin Patch"
_NOWHERE = "/dev/null"
_NUMBERS = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
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


def _begun(text: str) -> list[Edit]:
    """`*** Begin Patch`, as codex has it."""
    edits: list[Edit] = []
    for section in re.split(r"^(?=\*\*\* (?:Add|Update|Delete) File: )", text, flags=re.MULTILINE)[
        1:
    ]:
        head, *lines = section.split("\n")
        _, kind, _, path = head.rstrip().split(" ", 3)
        to = [line[13:].strip() for line in lines if line.startswith("*** Move to: ")]
        if kind == "Delete":
            edits.append(Edit(path, (), deletes=True))
        elif kind == "Add":
            added = "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))
            edits.append(Edit(path, (Step(None, added),)))
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
    for file in re.split(r"^(?=diff --git )", text, flags=re.MULTILINE):
        moves = _MOVES.search(file)
        found = _of_files(file, "" if moves else path)
        if moves is None:
            edits += found
            continue
        kind, source, to = moves.groups()
        steps = found[0].steps if found else ()
        edits += moved(Edit(source, steps), to, stays=kind == "copy")
    return _whole(edits)


def _of_files(text: str, path: str) -> list[Edit]:
    first, *sections = re.split(r"^(?=--- \S.*\n\+\+\+ )", text, flags=re.MULTILINE)
    if not sections:
        steps = tuple(_steps(first.split("\n"))) if path and "@@" in first else ()
        return [Edit(path, steps)] if steps else []
    edits: list[Edit] = []
    for section in sections:
        before, after, *lines = section.split("\n")
        old, new = _name(before, "a/"), _name(after, "b/")
        steps = tuple(_steps(lines))
        if new == _NOWHERE:
            edits.append(Edit(old, (), deletes=True))
        elif old == _NOWHERE:
            added = "".join(f"{step.new}\n" for step in steps)
            edits.append(Edit(new, (Step(None, added),)))
        else:
            edits.append(Edit(new, steps))
    return edits


def _whole(edits: list[Edit]) -> list[Edit]:
    """The edits, if each says what it does, and where: lines that are only added stand anywhere."""
    told = all(
        edit.deletes or ((edit.steps or edit.source) and all(step.old != "" for step in edit.steps))
        for edit in edits
    )
    return edits if told else []


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
