"""Text that was read stays as it was read while more arrives.

What still may change, because nothing tells it beforehand: the end of the last line; marks of
emphasis or code that nothing closes (they turn out to be text); a line that the next one makes a
heading or a table's header; the columns of a table, which become wider as its cells come; the
footnotes, which stand below whatever comes.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.text import clean_text
from acp_tui.ui.markdown.document import MarkdownDocument
from tests.examples import some_of
from tests.properties.test_markdown import drawn, markdown

WHOLE = [
    "# Title\n\n", "## A **bold** title #\n", "Some *words* and `code` in a line\nand one below.\n\n",
    "Title\n===\n\n", "text\n---\n\n", "---\n", "***\n\n", "- item **one**\n- item [1] of it\n", "- [x] done\n- [ ] not\n",
    "1. one\n2. two [x](http://x.org) end\n", "- a\n\n  more of a\n", "- a\n  - nested `x`\n", "> quote\n> more\n\n",
    "> - both\n\n", "```py\ndef f():\n\treturn [1]\n```\n", "~~~\n| a |\n~~~\n\n", "    code\n\n", "<div>\n<b>x</b>\n</div>\n\n",
    "<!-- a note -->\n\n", "see [the guide](http://x.org/a_b 'T') now\n\n", "see [the guide][g] and [this] [1] and [^1].\n\n",
    "an ![image](a.png) here\n\n", "[1](http://x.org): said by [them](http://y.org)\n\n", "use `a | b` or [a](b c)\n\n",
    "arr[0][1] = snake_case * 2 &amp; more\n\n", "日本語 **テキスト** で 👩‍👩‍👧\n\n", "<https://x.org> https://y.org/a_b.\n\n",
    "***both*** ~~gone~~ \\*not\\*\n\n", "a  \nhard break\n\n", "word " * 40 + "\n\n",
]  # fmt: skip
LAST = ["", "[g]: http://g.org\n[this]: <http://t.org> 'T'\n", "[^1]: note\n\n"]


@settings(max_examples=some_of(150), deadline=None)
@given(
    blocks=st.lists(st.sampled_from(WHOLE), max_size=6),
    last=st.sampled_from(LAST),
    step=st.integers(1, 9),
    width=st.sampled_from([20, 60]),
)
def test_no_line_but_the_last_ever_changes(
    blocks: list[str], last: str, step: int, width: int
) -> None:
    text = "".join(blocks) + last
    document = MarkdownDocument()
    before: list[str] = []
    for at in range(0, len(text), step):
        document.append(text[at : at + step])
        lines = [strip.text.rstrip() for strip in drawn(document, width)]
        assert lines[: len(before[:-1])] == before[:-1], text[: at + step]
        before = lines


@settings(max_examples=some_of(200), deadline=None)
@given(text=markdown, step=st.integers(1, 9), width=st.sampled_from([20, 60]))
def test_a_block_that_ended_never_changes(text: str, step: int, width: int) -> None:
    document = MarkdownDocument()
    before: list[str] = []
    for at in range(0, len(text), step):
        document.append(text[at : at + step])
        lines = [strip.text for strip in drawn(document, width)]
        assert lines[: len(before)] == before, text[: at + step]
        before = lines[: document._body.laid]


@settings(max_examples=some_of(100), deadline=None)
@given(text=markdown.map(clean_text))
def test_nothing_is_held_back_from_a_text_that_rests(text: str) -> None:
    whole = MarkdownDocument(text)
    whole.finish()
    document = MarkdownDocument(text)
    document.set_resting()
    assert [strip.text for strip in drawn(document, 60)] == [
        strip.text for strip in drawn(whole, 60)
    ]
