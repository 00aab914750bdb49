"""The rows of tables: their cells, and what is shown of a row that is still arriving."""

import re

LONGEST_HELD = 200
"""How many characters are held back until it is known what they are."""
_DELIMITER = re.compile(r"[ \t]*(:?)-+(:?)[ \t]*$")
_ALIGN = {("", ""): "left", (":", ""): "left", ("", ":"): "right", (":", ":"): "center"}
_CODE = re.compile(r"(`+)(?!`).*?(?:(?<!`)\1(?!`)|$)")
_PIPE = re.compile(r"(?<!\\)\|")
_CELL = re.compile(r"(?:[^|\\]|\\.)+|\\$|(\|)", re.DOTALL)


def cells(row: str) -> list[str]:
    """Return the cells of a row; a pipe after a backslash is text."""
    found, cell = [], ""
    for match in _CELL.finditer(row.strip()):
        if match[1]:
            found.append(cell)
            cell = ""
        else:
            cell += match[0]
    found.append(cell)
    if found and not found[0].strip():
        del found[0]
    if found and not found[-1].strip():
        del found[-1]
    return [cell.strip().replace("\\|", "|") for cell in found]


def whole_cells(row: str) -> tuple[str, str]:
    """Return what is shown of a row that is still arriving: its whole cells, and of the one after
    them what has come, if that is very long.
    """
    at = max((match.end() for match in _CELL.finditer(row) if match[1]), default=0)
    if len(row) - at > LONGEST_HELD:
        return row[:at], row[at:]
    return (row[:at] if row[:at].strip("| \t") else ""), ""


def without_header(text: str) -> str:
    """Return a paragraph that goes on, without what the next line may turn into the header of a
    table.
    """
    start = text.rfind("\n") + 1
    line = _CODE.sub(lambda code: " " * len(code[0]), text[start:])
    pipe = _PIPE.search(line)
    if pipe is None or (pipe.start() > 0 and len(line) - pipe.start() > LONGEST_HELD):
        return text
    return text[: start + pipe.start()].rstrip()


def alignments(row: str) -> tuple[str, ...] | None:
    """Return the alignments that a delimiter row gives; None if the row is no delimiter."""
    parts = row.strip().removeprefix("|").removesuffix("|").split("|")
    if row.strip(" |") == "" or ("|" not in row and ":" not in row and len(parts) > 1):
        return None
    found = [_DELIMITER.match(part) for part in parts]
    if not all(found):
        return None
    return tuple(_ALIGN[match[1], match[2]] for match in found if match)
