"""The line that is still arriving: which part of it can be shown and never has to be taken back."""

import re

_UNDECIDED = re.compile(
    r"[ \t]*(?:[-+*_=#~`>|:\\! \t]+"  # marks that need more to mean something
    r"|\d{1,9}[.)]?"  # "1." may begin an item
    r"|[-+*][ \t]+\[[ xX]?\]?[ \t]*|\[[ xX]?\]?[ \t]*"  # "- [x] " may become a task
    r"|(?:`{3,}|~{3,}).*"  # the language of a fence
    r"|\[\^[^\]\s]*\]?:?[ \t]*"  # "[^1]:" may begin a footnote
    r"|<[/!?]?[A-Za-z]*"
    r")$"
)
_MARKS = re.compile(r"[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])[ \t]*")
_FENCE_END = re.compile(r"[ \t>]*[`~]+[ \t]*$")


def shown_of(rest: str, *, going_on: bool, in_fence: bool) -> str:
    """Return the part of the last line that can be shown: nothing while it may still become
    anything.

    With `going_on`, this is the rest of a long line, whose beginning was read before.
    """
    if not rest or going_on:
        return rest
    if in_fence:
        return "" if _FENCE_END.match(rest) else rest
    text = rest
    while match := _MARKS.match(text):
        text = text[match.end() :]
    return "" if _UNDECIDED.match(text) or not text else rest
