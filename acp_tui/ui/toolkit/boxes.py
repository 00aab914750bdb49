"""The kinds of boxes that lie over the conversation, each with one rule for its place and width.

- A question is as high as its content, and stands in the middle; or below the list whose row it is about.
- A list has its upper edge, and the field in which one searches it, always in the same rows, whatever is typed.
  Narrow, its rows are short. Aside, it leaves the screen beside it as it is, for one looks at that; with what it is
  about beside it, it is as wide as the screen.
- A page takes the whole screen.

What stands in their edges: `frame.py`. One is open at a time, beside the help, what Alt+X offers, and the questions
that a box asks. Esc is called `back` in lists and pages, and `cancel` in questions and where something is only
tried; where it does anything else, it is called by that.
"""

from pathlib import Path

QUESTION, BELOW, PAGE = "-question", "-question -below", "-page"
LIST, NARROW, ASIDE = "-list", "-list -narrow", "-list -aside"
"""The kinds of boxes: the `DEFAULT_CLASSES` of their screens."""
QUESTION_WIDTH, LIST_WIDTH, NARROW_WIDTH, ASIDE_WIDTH = 100, 120, 80, 60
"""Cells that they take at most."""
KINDS = (
    f"$question-width: {QUESTION_WIDTH}; $list-width: {LIST_WIDTH}; $aside-width: {ASIDE_WIDTH};"
    f" $narrow-width: {NARROW_WIDTH};\n"
    + Path(__file__).with_name("boxes.tcss").read_text(encoding="utf-8")
)
"""Their places and widths, for the screens that lie over others."""
