"""Lines from outside that a person judges by their text: nothing in them may hide."""

from acp_tui.text import begin_counted, clean_text, count_blanks, reveal_escapes

LONGEST_SHOWN_LINE = 4000
"""How many characters of one line are shown."""


def visible_line(line: str, longest: int = LONGEST_SHOWN_LINE) -> str:
    """Return one line made safe to draw, without tabs, cropped if it is very long.

    Escape sequences are shown instead of dropped, and blanks counted, so that no text hides inside of
    one or behind them.
    """
    rest = 0
    if len(line) > longest:
        line, rest = begin_counted(line, longest)
    else:
        line = count_blanks(line)
    line = clean_text(reveal_escapes(line))
    if "\t" in line:
        line = line.expandtabs(4)
    return f"{line} {more_characters(rest)}" if rest > 0 else line


def more_characters(count: int) -> str:
    """Return the words in place of the rest of a long line."""
    return f"… {count:,} more characters"
