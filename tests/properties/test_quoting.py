"""In an exported page of Markdown nothing that an agent says is ours, is HTML, or runs."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from acp_tui.state.blocks import TextRun
from acp_tui.state.entries import (
    CompactionEntry,
    Entry,
    MessageEntry,
    NoticeEntry,
    Role,
    ToolCallEntry,
    TurnEndEntry,
)
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.export.about import heading_of
from acp_tui.ui.export.markdown import markdown_page
from tests.examples import some_of


def as_it_is(url: str) -> bool:
    """Take every link for one, as the least careful reader does."""
    return True


READERS = [MarkdownIt("commonmark"), MarkdownIt("commonmark").enable("table")]
for reader in READERS:
    reader.validateLink = as_it_is  # type: ignore[method-assign]
SAFE = ("", "http", "https", "file", "mailto")
OURS = ["Agent", "End of the turn after 1.0s", "Session with an agent"]
ATTACKS = [
    "# You",
    "## You\n\nrm -rf ~",
    "You\n---\n\nrm -rf ~",
    "You\n===",
    "<h2>You</h2>",
    "text <h2>You</h2>",
    "<!-- You",
    "</blockquote><h2>You</h2>",
    "<script>alert(1)</script>",
    "---\n\n*End of the turn after 0.0s*\n\n## You",
    "> quote\n\n## You",
    "- item\n\n## You",
    "- item\n\n  <h2>You</h2>",
    "1. ```\n   open\n\n## You",
    "```\nopen",
    "~~~~\n```\n~~~",
    "```\n\t```\n<h2>You</h2>",
    "\t<h2>You</h2>",
    "-\t<h2>You</h2>",
    "[^1]: ```\n    <h2>You</h2>\n    ```",
    "\\<h2>You</h2>",
    "\\\\<h2>You</h2>",
    "`code` <h2>You</h2> `code`",
    "`\n` <h2>You</h2> `",
    "- `\n- `\n` <h2>You</h2> `",
    "| ` | <h2>You</h2> ` |\n|---|---|\n| ` | <b> ` |",
    '<a title="`">You</a>`',
    "[x](javascript:alert(1))",
    "[x](JavaScript:alert(1))",
    "[x]( \n javascript:alert(1))",
    "> [x](\n> javascript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](java&#115;cript:alert(1))",
    "[x](&#x6a;avascript:alert(1))",
    "[x](javascript\\:alert(1))",
    "[x](data:text/html,<h2>You</h2>)",
    "![x](vbscript:x)",
    "[x]\n\n[x]: javascript:alert(1)",
    "[x]\n\n[x]:\njavascript:alert(1)",
    "- [x]\n- [x]: <javascript:alert(1)>",
    "<javascript:alert(1)>",
    "text\r## You",
    "text\r\n## You",
]


def page_of(*entries: Entry) -> str:
    session = Session("s", cwd="/w", opened=True, title="Talk")
    session.entries.extend(entries)
    state = State(sessions={"s": session})
    return "".join(markdown_page(state, session, heading_of(state, session, None)))


def said(text: str) -> str:
    message = MessageEntry(Role.AGENT, 100.0, blocks=[TextRun([text])], ended=101.0)
    return page_of(message, TurnEndEntry(101.0, 100.0, "end_turn"))


def everything(tokens: list[Token]) -> list[Token]:
    return [one for token in tokens for one in (token, *everything(token.children or []))]


def hold(page: str, ours: list[str]) -> None:
    """Hold that a page has these headings and lines of ours, and nothing in it that runs."""
    for reader in READERS:
        tokens = reader.parse(page)
        told = everything(tokens)
        assert [one.content for one in told if one.type.startswith("html")] == []
        for one in told:
            link = str(one.attrs.get("href", one.attrs.get("src", ""))).strip()
            scheme = re.match(r"[a-z][a-z\d+.-]*(?=:)", link, re.IGNORECASE)
            assert (scheme[0].lower() if scheme else "") in SAFE
        top = [one.content for one in tokens if one.type == "inline" and one.level == 1]
        assert sorted(line.strip("*") for line in top) == sorted(ours)
        assert sum(one.type == "hr" and one.level == 0 for one in tokens) == 1


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_words_of_an_agent_pass_for_ours_in_markdown(attack: str) -> None:
    hold(said(attack), OURS)


PARTS = [
    *(
        "# You",
        "You",
        "---",
        "===",
        "- ",
        "-\t",
        "> ",
        ">",
        "1. ",
        "  ",
        "    ",
        "\t",
        "\n",
        "\n\n",
    ),
    *("```", "````", "~~~", "`", "``", "\\", "\\\\", "|", "|--|\n", "| a | b |\n", "<h2>You</h2>"),
    *("<b>", "</b>", "<!--", "-->", "<?x", "[x]", "[x](", "[x]: ", "javascript:", "<javascript:x>"),
    *("data:x", ")", "<", ">", "&#106;", "[^1]: ", "text", "*", '"', "'", "]("),
]


@settings(max_examples=some_of(400), deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=14).map("".join))
def test_no_mixture_of_markdown_passes_for_ours(text: str) -> None:
    hold(said(text), OURS)


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_else_of_an_agents_does_so_either(attack: str) -> None:
    page = page_of(
        ToolCallEntry("1", 100.0, attack, raw_input={attack: attack}, raw_output=attack),
        NoticeEntry(100.0, attack, attack, attack, ended=100.0),
        CompactionEntry(100.0, "1", error=attack, blocks=[TextRun([attack])]),
        TurnEndEntry(101.0, 100.0, attack),
    )
    headings = [OURS[2], "Tool calls", "Notice of the agent", "Context compacted", OURS[1]]
    hold(page, headings)


def test_a_severity_that_is_not_known_is_no_word_of_ours() -> None:
    page = page_of(NoticeEntry(100.0, "acp-tui", "Type your password", ended=100.0))
    assert "> **agent's notice: Type your password**" in page


def test_code_stays_as_it_was() -> None:
    text = "`List<String>` and\n\n```make\na: b<c>\n\techo\n```"
    quote = "\n".join(f"  > {line}".rstrip() for line in text.split("\n"))
    assert f"\n{quote}\n" in said(text)
