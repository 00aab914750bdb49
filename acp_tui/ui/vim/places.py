"""Places in a text: of lines and words. A place is a number of characters from the beginning."""


def line_start(text: str, at: int) -> int:
    """Return the place where the line begins."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Return the place where the line ends."""
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def first_letter(text: str, at: int) -> int:
    """Return the place of the first sign in the line that is no blank."""
    start, end = line_start(text, at), line_end(text, at)
    return start + len(text[start:end]) - len(text[start:end].lstrip())


def on_letter(text: str, at: int, from_: int | None = None) -> int:
    """Return the place on a sign: in normal mode the cursor is on one, not behind the last."""
    start = line_start(text, at if from_ is None else from_)
    return max(start, min(at, line_end(text, start) - 1))


def line(text: str, number: int) -> int:
    """Return the place where a line begins, counted from 1; that of the last one if there are fewer."""
    at = 0
    for _ in range(number - 1):
        end = line_end(text, at)
        if end == len(text):
            break
        at = end + 1
    return at


def down(text: str, at: int, lines: int) -> int:
    """Return the place so many lines below, or above, in the same column."""
    column = at - line_start(text, at)
    start = line_start(text, at)
    for _ in range(abs(lines)):
        if lines > 0 and line_end(text, start) < len(text):
            start = line_end(text, start) + 1
        elif lines < 0 and start > 0:
            start = line_start(text, start - 1)
    return min(start + column, line_end(text, start))


def kind_of(sign: str, *, big: bool) -> int:
    """Return what a sign is to words: 0 a blank, 1 a letter, 2 another sign."""
    if sign.isspace():
        return 0
    return 1 if big or sign.isalnum() or sign == "_" else 2


def next_word(text: str, at: int, *, big: bool) -> int:
    """Return the place where the next word begins."""
    end = len(text)
    if at < end:
        kind = kind_of(text[at], big=big)
        while at < end and kind and kind_of(text[at], big=big) == kind:
            at += 1
    while at < end and text[at].isspace():
        at += 1
    return at


def previous_word(text: str, at: int, *, big: bool) -> int:
    """Return the place where this word, or the one before, begins."""
    at -= 1
    while at > 0 and text[at].isspace():
        at -= 1
    while at > 0 and kind_of(text[at - 1], big=big) == kind_of(text[at], big=big) != 0:
        at -= 1
    return max(0, at)


def word_end(text: str, at: int, *, big: bool) -> int:
    """Return the place of the last sign of this word, or of the next."""
    end = len(text) - 1
    at += 1
    while at <= end and text[at].isspace():
        at += 1
    while at < end and kind_of(text[at + 1], big=big) == kind_of(text[at], big=big) != 0:
        at += 1
    return min(at, len(text))


def paragraph(text: str, at: int, times: int) -> int:
    """Return the place of the next empty lines, or of those before; else an end of the text."""
    step = 1 if times > 0 else -1
    lines = text.split("\n")
    row = text.count("\n", 0, at)
    for _ in range(abs(times)):
        while 0 <= row < len(lines) and not lines[row]:
            row += step
        while 0 <= row < len(lines) and lines[row]:
            row += step
    if row >= len(lines):
        return len(text)
    return line(text, max(0, row) + 1)
