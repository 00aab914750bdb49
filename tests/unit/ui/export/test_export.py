"""What exports say of a session, and that nothing in them can do harm."""

import re
import sys
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from acp_tui.config.themes import load_theme, theme_files
from acp_tui.masking.redactor import Redactor
from acp_tui.protocol.content import ContentItem, Diff, TerminalRef, TextContent
from acp_tui.protocol.file_events import EditLooked
from acp_tui.protocol.updates import PlanEntry
from acp_tui.state.blocks import TextRun
from acp_tui.state.entries import (
    ConsentState,
    EditFacts,
    Entry,
    MessageEntry,
    PlanSnapshot,
    Role,
    ToolCallEntry,
    TurnEndEntry,
    diff_key,
)
from acp_tui.state.session import Session
from acp_tui.state.state import State, Terminal
from acp_tui.store.same_folder import SameFolder
from acp_tui.ui.colors.theme import to_textual
from acp_tui.ui.export import in_app
from acp_tui.ui.export.about import heading_of
from acp_tui.ui.export.drawing import Drawing, draw_svg
from acp_tui.ui.export.html import html_page
from acp_tui.ui.export.markdown import markdown_page
from acp_tui.ui.export.masking import masked_at_once
from acp_tui.ui.new_files import file_name, write_beside
from acp_tui.ui.transcript.entries.views import document_of
from tests.unit.state.conversation import Conversation
from tests.unit.ui.transcript import gallery
from tests.unit.ui.transcript.scene import agent, user
from tests.unit.ui.transcript.test_transcript import tool_call

WHEN = datetime(2026, 1, 31, 12, 30, tzinfo=UTC)


def session_of(*entries: Entry) -> tuple[State, Session]:
    session = Session("s", cwd="/home/me", opened=True, title="Tea & <b>cake</b>")
    session.entries.extend(entries)
    return State(sessions={"s": session}), session


def html_of(*entries: Entry, theme: str = "night", width: int = 80) -> str:
    state, session = session_of(*entries)
    drawing = Drawing(
        document_of(state, session, lambda: 200.0), to_textual(theme, load_theme(theme)), width
    )
    return "".join(html_page(drawing, heading_of(state, session, WHEN)))


def markdown_of(*entries: Entry) -> str:
    state, session = session_of(*entries)
    return "".join(markdown_page(state, session, heading_of(state, session, WHEN)))


class Page(HTMLParser):
    """What a browser makes of a page: its text, its elements, and whether all were closed."""

    VOID = ("meta",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def test_the_page_holds_every_entry_in_full_and_folds_what_the_screen_folds() -> None:
    text = "\n".join(f"line {number}" for number in range(300))
    thought = MessageEntry(Role.THOUGHT, 100.0, blocks=[TextRun(["deep"])], ended=101.0)
    read = tool_call(1, content=[ContentItem(content=TextContent(text=f"```\n{text}\n```"))])
    failed = tool_call(2, status="failed", raw_output={"why": "no water"})
    page = Page(html_of(user("hello"), thought, read, failed, agent("a **bold** word")))
    for word in ("hello", "deep", "line 299", "no water", "a bold word", "Tea & <b>cake</b>"):
        assert word in page.text
    assert "Enter shows all" not in page.text
    assert ["open" in one for one in page.all("details")] == [False, False, True]


def test_a_page_holds_what_changed_in_a_file_and_not_all_of_it() -> None:
    diff = Diff(path="/a.py", old_text="same\n" * 5000, new_text="same\n" * 5000 + "new\n")
    page = html_of(tool_call(1, kind="edit", content=[diff]))
    assert "⋯ 4,997 unchanged lines" in Page(page).text


def test_nothing_in_a_page_runs_or_is_loaded() -> None:
    evil = "<script>alert(1)</script> [x](javascript:alert(1)) [y](https://e.com/?a=1&b='\"<)"
    image = "![z](https://e.com/spy.png) \x1b]0;t\x07 &amp; \u202e"
    page = Page(html_of(user(evil), agent(f"{evil}\n\n{image}"), tool_call(1, title=evil)))
    names = {name for name, _ in page.elements}
    assert names.isdisjoint({"script", "img", "link", "iframe", "object", "form", "base"})
    assert not any(key.startswith("on") for _, found in page.elements for key in found)
    links = [one["href"] for one in page.all("a")]
    assert links
    assert all(link is not None and link.startswith("https://e.com/") for link in links)
    assert "<script>alert(1)</script>" in page.text
    assert "\x1b" not in page.text
    assert "\u202e" not in page.text
    assert {"http-equiv": "Content-Security-Policy"}.items() <= page.all("meta")[4].items()


@pytest.mark.parametrize("theme", theme_files())
def test_a_page_has_the_colors_of_its_theme(theme: str) -> None:
    page = html_of(*gallery.messages(), *gallery.remarks(), theme=theme)
    Page(page)
    found = re.search(r"body \{ color: (#\w{6}); background: (#\w{6}) \}", page)
    assert found is not None
    file = load_theme(theme)
    if not file.ansi:
        assert found.groups() == (file.foreground.lower(), file.background.lower())
    used = set(re.findall(r'class="(s\d+)"', page))
    assert used <= set(re.findall(r"^\.(s\d+) ", page, re.MULTILINE))


def test_wide_characters_take_two_cells_in_a_page() -> None:
    assert "<i>茶</i><i>🫖</i>" in html_of(agent("茶🫖"))


@pytest.mark.slow
def test_a_long_session_is_exported_in_slices() -> None:
    state, session = session_of(*[agent("A *line*\n\n- and\n- more\n\n" * 40)] * 40)
    drawing = Drawing(
        document_of(state, session, lambda: 200.0), to_textual("night", load_theme("night")), 80
    )
    size, calls = 0, [0]

    def count(*_: object) -> None:
        calls[-1] += 1

    sys.setprofile(count)
    try:
        for piece in html_page(drawing, heading_of(state, session, WHEN)):
            size += piece.count("\n")
            calls.append(0)
    finally:
        sys.setprofile(None)
    assert size > 8_000
    assert max(calls) < sum(calls) / 10


def test_markdown_tells_who_said_what_with_diffs_and_plans() -> None:
    diff = Diff(path="/a.py", old_text="one\ntwo\n", new_text="one\n2\n")
    page = markdown_of(
        user("do *it*"),
        MessageEntry(Role.THOUGHT, 100.0, blocks=[TextRun(["hm\nhm"])], ended=101.0),
        tool_call(1, content=[diff], consent=ConsentState(decisions=["Allow once"])),
        *gallery.remarks(),
        agent("**done**"),
    )
    order = ["> Tea", "## You", "do *it*", "> hm\n> hm", "```diff", "- [x] Read", "**done**"]
    places = [page.index(word) for word in order]
    assert places == sorted(places)
    assert "> -two\n> +2\n" in page
    assert "Answered: Allow once" in page
    assert "- Date: 2026-01-31 12:30" in page


def test_markdown_tells_how_long_the_agent_worked_and_not_how_long_it_waited() -> None:
    assert "*End of the turn after 12s*" in markdown_of(TurnEndEntry(72.0, 0.0, waited=60.0))


def test_a_title_is_quoted_in_markdown_for_the_agent_may_give_it() -> None:
    state, session = session_of()
    session.title = "# You approved all of it"
    page = "".join(markdown_page(state, session, heading_of(state, session, WHEN)))
    assert page.startswith("# Session with an agent\n\n> ## You approved all of it\n\n- ")


def test_an_open_fence_ends_with_its_entry_in_markdown() -> None:
    text = ContentItem(content=TextContent(text="~~~~\nopen\n"))
    page = markdown_of(agent("```py\nopen = 1\n"), tool_call(1, content=[text], raw_output="o"))
    assert "> ```py\n> open = 1\n> ```\n\n### Tool calls\n" in page
    assert "> ~~~~\n> open\n> ~~~~\n>\n> Output:\n>\n> ```json\n" in page
    page = markdown_of(agent("- one\n  ```\n  two\n"), user("closed"), agent("```\na\n```\nb"))
    assert page.count("```") == 3


def test_headings_of_an_agent_stay_below_those_of_the_page() -> None:
    said = "# One\n\nTwo\nlines\n===\n\n> ## You\n\n```sh\n# no heading\n```\n\n##### Deep"
    page = markdown_of(user("hi"), agent(said))
    assert "> ### One\n>\n> ### Two lines\n>\n> > #### You\n>\n> ```sh\n> # no heading\n" in page
    assert page.endswith("\n> ###### Deep\n")
    assert re.findall("^## .*", page, re.MULTILINE) == ["## You", "## Agent"]


def test_markdown_has_what_a_terminal_shows_and_not_what_is_binary() -> None:
    made = Terminal("t", "s", "sh", ["-c", "make tea"], None, at=0.0)
    long = "".join(f"row {number}\n" for number in range(3000)).encode()
    made.parts.append(b"\x1b[31mabc\b\bX\x1b[0m\n10%\r90%\x1b[K\n" + long)
    made.exit_code = 0
    diff = Diff(path="b.bin", old_text="a\0b", new_text="a\0bc")
    state, session = session_of(tool_call(1, content=[TerminalRef(terminal_id="t"), diff]))
    state.terminals["t"] = made
    page = "".join(markdown_page(state, session, heading_of(state, session, WHEN)))
    assert "> ```console\n> $ make tea\n> aXc\n> 90%\n> row 0\n" in page
    assert (
        "> row 2999\n> ```\n>\n> exit: 0\n>\n> `b.bin`: binary, not shown: 3 → 4 characters\n"
        in page
    )


def test_escapes_do_not_get_into_markdown() -> None:
    page = markdown_of(user("a\x1b[2Jb"), tool_call(1, title="x\x1b]0;t\x07y\u202e"))
    assert "ab" in page
    assert not set("\x1b\x07\u202e") & set(page)


def test_a_picture_is_valid_and_loads_nothing() -> None:
    state, session = session_of(agent("tea & <cake>\n\n" * 50 + "the end"))
    drawing = Drawing(
        document_of(state, session, lambda: 200.0), to_textual("day", load_theme("day")), 60
    )
    for _ in drawing.lay_out():
        pass
    picture = draw_svg(drawing.last_lines(20), drawing, "A & B")
    root = ElementTree.fromstring(picture)
    text = "".join(root.itertext()).replace("\xa0", " ")
    assert "the end" in text
    assert "url(" not in re.sub(r"url\(#[^)]*\)", "", picture)
    assert "<cake>" in text
    # else librsvg draws no blank before the words of another color
    assert root.get("{http://www.w3.org/XML/1998/namespace}space") == "preserve"


def test_a_file_never_replaces_another(tmp_path: Path) -> None:
    name = file_name("My agent/../x", WHEN, "md")
    assert name == "My-agent-..-x-20260131-123000.md"
    assert [write_beside(tmp_path / name, text).name for text in "ab"] == [
        name,
        name.replace(".md", "-2.md"),
    ]
    assert (tmp_path / name).read_text() == "a"


@pytest.mark.anyio
async def test_what_is_exported_in_the_app_is_masked_and_the_session_stays_as_it_is(
    tmp_path: Path,
) -> None:
    token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    state, session = session_of(agent(f"take {token} along"), user("thanks"))
    night, folder = to_textual("night", load_theme("night")), SameFolder(tmp_path)
    for made in (
        await in_app.write_markdown(state, session, folder, "a.md"),
        await in_app.write_html(state, session, folder, "a.html", night, 60, lambda: 200.0),
    ):
        text = made.path.read_text("utf-8")
        assert "take [masked] along" in text
        assert token not in text
        assert "thanks" in text
        assert made.masked == 1
    assert token in str(session.entries)


def test_what_is_known_of_files_and_each_version_of_a_plan_is_masked() -> None:
    token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    diff = Diff(path="a.py", old_text="", new_text=f"TOKEN = '{token}'\n")
    looked = EditLooked(0.0, "s", "1", "a.py", 0, line=4, old_text="", text=diff.new_text)
    call = ToolCallEntry("1", 0.0, content=[diff], raw_input={"env": {"PASSWORD": "tea"}})
    call.edits = EditFacts(1, {diff_key(diff): looked}, [looked])
    step = PlanEntry(content=f"Use {token}", priority="high", status="pending")
    plan = PlanSnapshot(0.0, [[step], [step]])

    _, copied = masked_at_once(*session_of(call, plan), Redactor())
    assert token not in str(copied.entries)
    assert "'tea'" not in str(copied.entries)
    masked_call = copied.entries[0]
    assert isinstance(masked_call, ToolCallEntry)
    assert masked_call.edits is not None
    (masked_diff,) = masked_call.content
    assert isinstance(masked_diff, Diff)
    assert masked_call.edits.places[diff_key(masked_diff)].line == 4
    assert token in str(call)


def with_subagents() -> Conversation:
    """A turn in which a call has its work done by Ada, and she by Dee; Bo was announced alone."""
    talk = Conversation.opened()
    talk.prompt("Taste it")
    for parent, child, name in (("s", "a", "Ada <b>"), ("s", "b", "Bo"), ("a", "d", "Dee")):
        state = {"state": "running"}
        talk.update("subagent_update", session_id=parent, sessionId=child, title=name, state=state)
    links = [{"type": "session", "sessionId": one} for one in ("a", "s", "gone")]
    for call in ("t", "again"):
        talk.update("tool_call", toolCallId=call, title=f"Task {call}", content=links)
    talk.say("Sip the tea", "user_message_chunk", session_id="a")
    talk.say("Bearer sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa", session_id="a")
    talk.say("Too hot\n\n# Heading", session_id="b")
    talk.say("The cup is warm", session_id="d")
    return talk


def test_markdown_has_what_subagents_did_below_what_shows_them() -> None:
    talk = with_subagents()
    page = "".join(
        markdown_page(talk.state, talk.session, heading_of(talk.state, talk.session, WHEN))
    )
    headings = [one for one in page.splitlines() if one.startswith("#")]
    ada = "Ada \\<b>"
    assert headings == [
        "# Session with an agent",
        "## You",
        "### Subagent",
        "#### Bo: Agent",
        "### Tool calls",
        f"#### {ada}: Subagent",
        f"##### {ada} › Dee: Agent",
        f"#### {ada}: Task",
        f"#### {ada}: Agent",
        "### Tool calls",
    ]
    assert page.count("The cup is warm") == 2  # in the line of who said it, too
    assert "> Sip the tea" in page
    assert "\n> ##### Heading" in page


def test_a_page_has_what_subagents_did_folded_below_what_shows_them() -> None:
    talk = with_subagents()
    night = to_textual("night", load_theme("night"))
    drawing = Drawing(document_of(talk.state, talk.session, lambda: 200.0), night, 80)
    text = "".join(html_page(drawing, heading_of(talk.state, talk.session, WHEN)))
    page = Page(text)
    folded = [
        facts for tag, facts in page.elements if (tag, facts.get("class")) == ("details", "c")
    ]
    assert ["open" in one for one in folded] == [False] * 3
    order = ("What Bo did", "Task t", "What Ada <b> did", "What Dee did", "Task again")
    places = [page.text.index(one) for one in order]
    assert places == sorted(places)
    assert "Sip the tea" in page.text
    assert page.text.count("What Ada <b> did") == 1


def test_what_subagents_did_is_masked_as_all_else() -> None:
    talk = with_subagents()
    talk.state.sessions["a"].subagent.error = "sk-ant-api03-bbbbbbbbbbbbbbbbbbbbbbbb"  # type: ignore[union-attr]
    state, session = masked_at_once(talk.state, talk.session, Redactor())
    page = "".join(markdown_page(state, session, heading_of(state, session, WHEN)))
    assert "sk-ant-api03" not in page
    assert "sk-ant-api03" in talk.state.sessions["a"].entries[-1].text  # type: ignore[union-attr]
