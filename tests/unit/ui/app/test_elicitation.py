"""Forms and links that the agent puts before a person."""

from typing import Any

import pytest

from acp_tui.protocol.elicitation import Value
from acp_tui.state import links
from acp_tui.state.commands import AnswerElicitation
from tests.examples import parametrize
from tests.unit.state.conversation import Conversation
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio

PROPERTIES: dict[str, Any] = {
    "name": {"type": "string", "title": "Your name", "minLength": 2},
    "age": {"type": "integer", "title": "Age", "minimum": 18},
    "color": {"type": "string", "title": "Color", "enum": ["red", "green"], "default": "green"},
    "spam": {"type": "boolean", "title": "Newsletter"},
    "teas": {"type": "array", "title": "Teas", "items": {"enum": ["oolong", "sencha", "mate"]}},
    "smell": {"type": "odor", "title": "Smell"},
}


def form(required: list[str] | None = None, **properties: Any) -> tuple[Conversation, int]:
    talk = Conversation.opened()
    schema = {"type": "object", "properties": properties or PROPERTIES, "required": required or []}
    number = talk.asks(
        "elicitation/create", message="Who are you?", mode="form", requestedSchema=schema
    )
    return talk, number


def link(url: str, message: str = "Sign the form, please") -> tuple[Conversation, int]:
    talk = Conversation.opened()
    fields: dict[str, Any] = {"mode": "url", "url": url, "elicitationId": "e"}
    return talk, talk.asks("elicitation/create", message=message, **fields)


async def armed(it: Running) -> None:
    await it.wait_until_armed()
    await it.pilot.pause()


async def test_form_is_filled_in_field_by_field() -> None:
    talk, number = form(["name"])
    async with running(talk.state, (80, 60)) as it:
        assert "Agent asks" in it.screen
        assert "can't be filled in here" in it.screen
        await armed(it)
        await it.write("Ada")
        await it.press("enter", *"36", "enter")
        await it.press("up", "enter")  # red
        await it.press("down", "enter")  # no
        await it.press("space", "down", "down", "space", "enter")
        content: dict[str, Value] = {
            "name": "Ada",
            "age": 36,
            "color": "red",
            "spam": False,
            "teas": ["oolong", "mate"],
        }
        assert it.asked == [AnswerElicitation(number, "accept", content)]


async def test_what_was_typed_ahead_fills_in_nothing() -> None:
    talk, number = form(name={"type": "string"})
    async with running(talk.state) as it:
        await it.press("tab", "enter", "escape")
        assert it.asked == []
        await armed(it)
        await it.press("b", "enter")
        assert it.asked == [AnswerElicitation(number, "accept", {"name": "b"})]


async def test_who_writes_a_prompt_goes_to_the_form_with_tab() -> None:
    talk, number = form(name={"type": "string"})
    async with running(talk.state) as it:
        await it.write("so")
        await armed(it)
        await it.press("x")
        await armed(it)
        await it.press("tab")
        assert it.prompt == "sox"
        await it.press("b", "enter")
        assert it.asked == [AnswerElicitation(number, "accept", {"name": "b"})]
        assert it.prompt == "sox"


async def test_words_at_a_choice_go_to_the_prompt_and_decline() -> None:
    """An Enter after them must not send the form."""
    talk, number = form(sure={"type": "boolean", "title": "Delete all?"})
    async with running(talk.state) as it:
        await armed(it)
        await it.write("no do not")
        assert it.prompt == "no do not"
        assert "Enter declines and sends this" in it.screen
        it.clock.now += 2
        await it.press("enter")
        assert it.asked[0] == AnswerElicitation(number, "decline")
        assert "no do not" in str(it.asked[1])


async def test_what_the_form_is_for_is_shown() -> None:
    talk = Conversation.opened()
    schema = {"type": "object", "description": "For the [b]label[/b]", "properties": {}}
    talk.asks("elicitation/create", message="Who?", mode="form", requestedSchema=schema)
    async with running(talk.state) as it:
        assert "For the [b]label[/b]" in it.screen


async def test_wrong_values_are_told_and_not_sent() -> None:
    talk, number = form(["name"])
    async with running(talk.state, (80, 40)) as it:
        await armed(it)
        await it.press("enter", *"ten", "enter", "enter", "tab", "tab", "enter")
        assert it.asked == []
        assert "✗ is required" in it.screen
        assert "✗ must be a whole number" in it.screen
        await it.write("Ada")
        await it.press("enter", "backspace", "backspace", "backspace", *"20", "enter")
        await it.press("enter", "tab", "tab", "enter")
        content: dict[str, Value] = {"name": "Ada", "age": 20, "color": "green"}
        assert it.asked == [AnswerElicitation(number, "accept", content)]


async def test_declined_and_cancelled() -> None:
    talk, number = form(name={"type": "string"})
    async with running(talk.state) as it:
        await armed(it)
        await it.press("tab", "2")
        assert it.asked == [AnswerElicitation(number, "decline")]
        await armed(it)
        await it.press("escape")
        assert it.asked[1:] == [AnswerElicitation(number, "cancel")]


async def test_next_question_follows_and_a_settled_one_leaves() -> None:
    talk, number = form(name={"type": "string"})
    schema = {"properties": {"tea": {"type": "string"}}}
    second = talk.asks(
        "elicitation/create", message="Which tea?", mode="form", requestedSchema=schema
    )
    async with running(talk.state) as it:
        assert "Who are you?" in it.screen
        talk.settle(number, result={"action": "cancel"})
        await it.changed()
        await it.changed()
        assert "Which tea?" in it.screen
        talk.settle(second, result={"action": "cancel"})
        await it.changed()
        await it.changed()
        assert "asks" not in it.screen


async def test_what_is_typed_after_a_form_goes_to_the_prompt() -> None:
    talk, number = form(name={"type": "boolean"})
    async with running(talk.state) as it:
        await armed(it)
        assert it.app.focused is not it.app.conversation.prompt
        talk.settle(number, result={"action": "cancel"})
        await it.changed()
        await it.write("thanks")
        assert it.prompt == "thanks"


async def test_free_question_takes_a_suggestion_or_other_words() -> None:
    talk = Conversation.opened()
    number = talk.asks(
        "_agentao.cn/ask_user", question="Which port?", header="Port", options=["80", "8080"]
    )
    async with running(talk.state) as it:
        assert "Which port?" in it.screen
        await armed(it)
        await it.press("tab")
        await it.write("9000")
        await it.press("enter")
        assert it.asked == [AnswerElicitation(number, "accept", {"words": "9000"})]


async def test_link_is_shown_whole_and_opened_only_when_agreed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = "https://example.org/" + "a" * 100 + "?end=1"
    talk, number = link(url)
    opened: list[str] = []
    async with running(talk.state) as it:
        monkeypatch.setattr(it.app, "open_url", opened.append)
        assert "Host: example.org" in it.screen
        assert "end=1" in it.screen
        assert (opened, it.asked) == ([], [])
        await armed(it)
        await it.press("1")
        assert opened == [url]
        assert it.asked == [AnswerElicitation(number, "accept")]


async def test_no_long_message_pushes_the_host_of_a_link_out_of_view() -> None:
    talk, _ = link("http://evil.example.org/", message="Sign in at bank.org\n" * 60)
    async with running(talk.state) as it:
        assert "Host: evil.example.org" in it.screen
        assert "The connection is not encrypted." in it.screen


async def test_link_can_be_copied_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    talk, number = link("javascript:alert(1)")
    opened: list[str] = []
    async with running(talk.state) as it:
        monkeypatch.setattr(it.app, "open_url", opened.append)
        assert "is not a web address" in it.screen
        await armed(it)
        await it.press("1")
        assert it.asked == []
        await it.press("2")
        assert it.app.clipboard == "javascript:alert(1)"
        assert (opened, it.asked) == ([], [AnswerElicitation(number, "accept")])


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://example.org/", []),
        ("http://example.org/", ["The connection is not encrypted."]),
        ("https://xn--e1awd7f.com/", ["The host's name is shown as еріс.com by browsers."]),
        (
            "https://еріс.com/",
            ["The host's name has foreign letters; it is the same as xn--e1awd7f.com."],
        ),
        (
            "https://google.com@evil.org/",
            ["What comes before the @ is not the host. The host is evil.org."],
        ),
        (
            "file:///etc/passwd",
            ["This is not a web address. You can copy it, but acp-tui doesn't open it."],
        ),
        (
            "https://[half/",
            ["This is not a web address. You can copy it, but acp-tui doesn't open it."],
        ),
    ],
)
def test_misleading_links_are_warned_of(url: str, words: list[str]) -> None:
    assert links.link_warnings(url) == words


async def test_no_key_is_named_twice_while_a_form_waits() -> None:
    talk, _ = form(["name"])
    async with running(talk.state, (200, 40)) as it:
        assert it.rows()[-1].count("Tab ") == 1
        await it.wait_until_armed()
        await it.press("tab")
        assert it.rows()[-1].count(" Tab ") == 1


async def test_the_title_says_how_many_fields_there_are_and_which_is_filled_in() -> None:
    talk, _ = form(["name"])
    async with running(talk.state, (100, 40)) as it:
        assert "6 fields · * required  one moment …" in it.screen
        await armed(it)
        assert "field 1 of 6 · * required  waiting" in it.screen
        await it.press("tab")
        assert "field 2 of 6" in it.screen
        assert "▌Age" in it.screen
        assert "▌Your name" not in it.screen


async def test_nothing_is_said_of_what_is_required_where_nothing_is() -> None:
    talk, _ = form(name={"type": "string"})
    async with running(talk.state) as it:
        assert "1 field  " in it.screen
        assert "required" not in it.screen


async def test_a_number_says_what_it_may_be_also_when_it_is_filled_in() -> None:
    talk, _ = form(minor={"type": "integer", "minimum": 9, "maximum": 14, "default": 12})
    async with running(talk.state) as it:
        row = next(row for row in it.rows() if "minor" in row)
        assert "12" in row
        assert "whole number from 9 to 14" in row


async def test_short_choices_share_a_row_and_are_chosen_there() -> None:
    talk, number = form(
        color={"type": "string", "enum": ["red", "green", "blue"], "default": "green"},
        long={"type": "string", "enum": ["way " * 20, "other " * 20]},
    )
    async with running(talk.state, (80, 30)) as it:
        rows = it.rows()
        assert any("○ red" in row and "● green" in row and "○ blue" in row for row in rows)
        assert not any("way " in row and "other " in row for row in rows)
        await armed(it)
        await it.press("right", "enter")
        at = next(y for y, row in enumerate(it.rows()) if "red" in row)
        red = it.rows()[at].index("red")
        await it.pilot.click(offset=(red, at))
        await it.press("tab", "enter")
        content: dict[str, Value] = {"color": "red", "long": "way " * 20}
        assert it.asked == [AnswerElicitation(number, "accept", content)]


@parametrize(1, "size", [(80, 24), (60, 14), (40, 12)])
async def test_the_field_that_is_filled_in_is_in_view_with_its_title(size: tuple[int, int]) -> None:
    properties: dict[str, Any] = {
        f"f{at}": {"type": "string", "title": f"Title {at}", "description": f"Help {at}"}
        for at in range(12)
    }
    talk, _ = form(**properties)
    async with running(talk.state, size) as it:
        await armed(it)
        for at in [*range(12), 0]:
            assert f"▌Title {at}" in it.screen
            assert f"Help {at}" in it.screen
            await it.press(*["tab"] * (1 if at < 11 else 0))
            if at == 11:
                await it.press(*["shift+tab"] * 11)


async def test_a_form_takes_the_rows_of_the_conversation_before_it_hides_a_field() -> None:
    properties: dict[str, Any] = {f"field{at}": {"type": "string"} for at in range(12)}
    talk, _ = form(**properties)
    async with running(talk.state, (80, 24)) as it:
        assert all(f"field{at} " in it.screen for at in range(12))


async def test_the_keys_are_those_of_what_is_filled_in() -> None:
    talk, _ = form(["name"])

    async with running(talk.state, (100, 40)) as it:

        def keys() -> str:
            return it.rows()[-1]

        await armed(it)
        assert "Enter go on   Tab next field   Esc cancel the question" in keys()
        assert "1  ✓ Send" not in it.screen
        await it.press("tab", "tab")
        assert "Enter choose, go on   Space choose" in keys()
        await it.press("tab", "tab")
        assert "Enter send   Space choose   Tab answers" in keys()
        await it.press("tab")
        assert "1-2 answer   Enter choose" in keys()
        assert "1  ✓ Send" in it.screen


async def test_one_mark_shows_where_one_is_and_empty_fields_have_edges() -> None:
    talk, _ = form()
    async with running(talk.state, (80, 40)) as it:
        await it.wait_until_armed()
        for _ in range(3):
            box = [row for row in it.rows() if row.startswith("│")]
            assert sum(row.count("▌") for row in box) == 1
            assert any("▏" in row and "▕" in row for row in box)
            await it.press("tab")
