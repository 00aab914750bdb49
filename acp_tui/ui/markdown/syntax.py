"""Markdown syntax: markers of lines and spans, table rows, and where to split long text."""

import re
from itertools import islice

PARAGRAPH = 4096
"""Characters after which a paragraph continues in a new leaf."""
MARK = 9
"""Extra characters that each delimiter of emphasis, code or a link counts as."""

MARKS = re.compile(r"[*_]+|~+|`+|\[|<")
"""Delimiters of emphasis, code and links."""
FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
SETEXT = re.compile(r"(=+|-+)[ \t]*$")
ITEM = re.compile(r"([-+*]|\d{1,9}[.)])(?=[ \t]|$)")
TASK = re.compile(r"\[([ xX])\][ \t]+(?=\S)")
ALERT = re.compile(r"\[!(note|tip|important|warning|caution)\]\s*$", re.IGNORECASE)
"""The first line of a quote that GitHub shows as an alert."""
FOOTNOTE = re.compile(r"\[\^([^\]\s]+)\]:[ \t]*")
BLOCK_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details"
    " dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6"
    " head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option"
    " p param search section summary table tbody td tfoot th thead title tr track ul"
).replace(" ", "|")
HTML = (  # how each kind of HTML block begins and ends; the last kind can't interrupt a paragraph
    (re.compile(r"<(?:script|pre|style|textarea)(?:[\s>]|$)", re.IGNORECASE),
     re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{BLOCK_TAGS})(?:\s|/?>|$)", re.IGNORECASE), None),
    (re.compile(r"(?:<[A-Za-z][\w-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+"
                r"|'[^']*'|\"[^\"]*\"))?)*\s*/?>|</[A-Za-z][\w-]*\s*>)\s*$"), None),
)  # fmt: skip
WORD_END = re.compile(r"\s(?=\S*$)")
JOINED = re.compile("[\u0300-\u036f\u200d\ufe00-\ufe0f\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff]")
LONGEST_WITHHELD = 200
"""Characters that are held back until their meaning is known; longer text is shown, as a stray pipe
would otherwise hide everything after it.
"""
_DELIMITER = re.compile(r"[ \t]*(:?)-+(:?)[ \t]*$")
_ALIGN = {("", ""): "left", (":", ""): "left", ("", ":"): "right", (":", ":"): "center"}
_CODE = re.compile(r"(`+)(?!`).*?(?:(?<!`)\1(?!`)|$)")
_PIPE = re.compile(r"(?<!\\)\|")
_CELL = re.compile(r"(?:[^|\\]|\\.)+|\\$|(\|)", re.DOTALL)


def indent_of(text: str, column: int) -> tuple[int, int]:
    """Return the columns and the length of the leading white space of `text` at `column`."""
    if not text or text[0] not in " \t":
        return 0, 0
    at = column
    for count, char in enumerate(text):
        if char == " ":
            at += 1
        elif char == "\t":
            at += 4 - at % 4
        else:
            return at - column, count
    return at - column, len(text)


def dedent_columns(text: str, column: int, width: int) -> tuple[str, int]:
    """Remove `width` columns of leading white space; the rest of a split tab becomes spaces."""
    end, at = column + width, column
    for count, char in enumerate(text):
        if at >= end or char not in " \t":
            return " " * (at - end) + text[count:], min(at, end)
        at += 1 if char == " " else 4 - at % 4
    return " " * max(0, at - end), min(at, end)


def may_interrupt(mark: str, content: str) -> bool:
    """Return whether a list may follow a paragraph directly; "1986." and a bare "-" may not."""
    return bool(content.strip()) and (mark[-1] not in ".)" or int(mark[:-1]) == 1)


def skip_quote_mark(rest: str, column: int) -> tuple[str, int]:
    """Return the rest of a line after the `>` of a quote and its space, and the rest's column."""
    indent, count = indent_of(rest, column)
    rest, column = rest[count + 1 :], column + indent + 1
    return dedent_columns(rest, column, 1) if rest[:1] in (" ", "\t") else (rest, column)


def html_kind(text: str) -> int | None:
    """Return the kind of HTML block that a line begins, as an index into `HTML`, or None."""
    for kind, (begin, _) in enumerate(HTML):
        if begin.match(text):
            return kind
    return None


def weigh_text(text: str) -> int:
    """Return the work that a text takes; delimiters count extra, as their cost is superlinear."""
    return len(text) + MARK * len(MARKS.findall(text))


def find_cut(text: str, size: int) -> int:
    """Return where to split a long text: after the last word that fits, else between graphemes."""
    marks = islice(MARKS.finditer(text, 0, size), PARAGRAPH // (MARK + 1), None)
    size = next((mark.start() for mark in marks), size)
    space = WORD_END.search(text, max(0, size - 256), size)
    if space:
        return space.end()
    while size > 1 and JOINED.match(text[size]):
        size -= 1
    return size - 1 if text[size - 1] == "\u200d" else size


def split_cells(row: str) -> list[str]:
    """Return the cells of a row; an escaped pipe is text."""
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
    """Return the complete cells of an arriving row, and the start of the next if very long."""
    at = max((match.end() for match in _CELL.finditer(row) if match[1]), default=0)
    if len(row) - at > LONGEST_WITHHELD:
        return row[:at], row[at:]
    return (row[:at] if row[:at].strip("| \t") else ""), ""


def drop_header(text: str) -> str:
    """Return an open paragraph without what the next line may turn into a table header."""
    start = text.rfind("\n") + 1
    line = _CODE.sub(lambda code: " " * len(code[0]), text[start:])
    pipe = _PIPE.search(line)
    if pipe is None or (pipe.start() > 0 and len(line) - pipe.start() > LONGEST_WITHHELD):
        return text
    return text[: start + pipe.start()].rstrip()


def parse_alignments(row: str) -> tuple[str, ...] | None:
    """Return the alignments in a delimiter row; None if it isn't one."""
    parts = row.strip().removeprefix("|").removesuffix("|").split("|")
    if row.strip(" |") == "" or ("|" not in row and ":" not in row and len(parts) > 1):
        return None
    found = [_DELIMITER.match(part) for part in parts]
    if not all(found):
        return None
    return tuple(_ALIGN[match[1], match[2]] for match in found if match)
