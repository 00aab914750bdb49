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


def link(url: str, message: str) -> tuple[Conversation, int]:
    talk = Conversation.opened()
    return talk, ask_to_open(talk, url, message)


def ask_to_open(talk: Conversation, url: str, message: str = "Sign the form, please") -> int:
    fields: dict[str, Any] = {"mode": "url", "url": url, "elicitationId": "e"}
    return talk.asks("elicitation/create", message=message, **fields)


async def armed(it: Running) -> None:
    await it.wait_until_armed()
    await it.pilot.pause()


async def test_a_form_is_filled_in_field_by_field_and_wrong_values_are_told_and_not_sent() -> None:
    talk, number = form(["name"])
    async with running(talk.state, (80, 30)) as it:
        shown = it.screen
        assert "Agent asks" in shown
        assert "can't be filled in here" in shown
        await armed(it)
        await it.press("enter", "x", "enter", "enter", "tab", "tab", "enter")
        assert it.asked == []
        shown = it.screen
        assert "✗ is required" in shown
        assert "✗ must be a whole number" in shown
        await it.press(*"Al", "enter", "backspace", *"20", "enter", "enter", "tab", "tab", "enter")
        content: dict[str, Value] = {"name": "Al", "age": 20, "color": "green"}
        assert it.asked.pop() == AnswerElicitation(number, "accept", content)
        red, no, teas = ["up", "enter"], ["down", "enter"], ["space", "down", "down", "space"]
        await it.press(*["shift+tab"] * 3, *red, *no, *teas, "enter")
        content |= {"color": "red", "spam": False, "teas": ["oolong", "mate"]}
        assert it.asked == [AnswerElicitation(number, "accept", content)]


async def test_a_form_takes_no_key_too_early_and_is_sent_declined_or_canceled() -> None:
    talk, number = form(name={"type": "string"})
    async with running(talk.state) as it:
        await it.press("tab", "enter", "escape")  # typed ahead
        assert it.asked == []
        await armed(it)
        await it.press("b", "enter")
        assert it.asked.pop() == AnswerElicitation(number, "accept", {"name": "b"})
        await armed(it)
        await it.press("tab", "2")
        assert it.asked.pop() == AnswerElicitation(number, "decline")
        await armed(it)
        await it.press("escape")
        assert it.asked == [AnswerElicitation(number, "cancel")]


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


async def test_a_form_shows_what_it_is_for_and_what_its_values_may_be() -> None:
    talk = Conversation.opened()
    minor = {"type": "integer", "minimum": 9, "maximum": 14, "default": 12}
    schema = {
        "type": "object",
        "description": "For the [b]label[/b]",
        "properties": {"minor": minor},
    }
    talk.asks("elicitation/create", message="Who?", mode="form", requestedSchema=schema)
    async with running(talk.state) as it:
        rows = it.rows()
        shown = "\n".join(rows)
        assert "For the [b]label[/b]" in shown
        assert "1 field  " in shown
        assert "required" not in shown
        row = next(row for row in rows if "minor" in row)
        assert "12" in row
        assert "whole number from 9 to 14" in row


async def test_forms_are_counted_and_what_is_typed_after_the_last_goes_to_the_prompt() -> None:
    talk, number = form(name={"type": "boolean"})
    schema = {"properties": {"tea": {"type": "string"}}}
    async with running(talk.state) as it:
        shown = it.screen
        assert "Who are you?" in shown
        assert "1 of" not in shown
        second = talk.asks(
            "elicitation/create", message="Which tea?", mode="form", requestedSchema=schema
        )
        await it.changed()
        assert "1 of 2" in it.screen
        talk.settle(number, result={"action": "cancel"})
        await it.changed()
        await it.changed()
        assert "Which tea?" in it.screen
        await armed(it)
        assert it.app.focused is not it.app.conversation.prompt
        talk.settle(second, result={"action": "cancel"})
        await it.changed()
        await it.write("thanks")
        assert "asks" not in it.screen
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


async def test_a_link_is_shown_whole_and_opened_or_copied_only_when_agreed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # No long message pushes its host out of view.
    talk, number = link("http://evil.example.org/", message="Sign in at bank.org\n" * 60)
    opened: list[str] = []
    async with running(talk.state) as it:
        monkeypatch.setattr(it.app, "open_url", opened.append)
        shown = it.screen
        assert "Host: evil.example.org" in shown
        assert "The connection is not encrypted." in shown
        assert "3  ✗ Decline" in shown

        talk.settle(number, result={"action": "decline"})
        url = "https://example.org/" + "a" * 100 + "?end=1"
        number = ask_to_open(talk, url)
        await it.changed()
        shown = it.screen
        assert "Host: example.org" in shown
        assert "end=1" in shown
        assert (opened, it.asked) == ([], [])
        await armed(it)
        await it.press("1")
        assert opened.pop() == url
        assert it.asked.pop() == AnswerElicitation(number, "accept")

        talk.settle(number, result={"action": "accept"})
        number = ask_to_open(talk, "javascript:alert(1)")
        await it.changed()
        await armed(it)
        assert "is not a web address" in it.screen
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


async def test_what_is_filled_in_has_the_only_mark_and_its_keys_are_named_once() -> None:
    talk, _ = form(["name"])
    async with running(talk.state, (160, 36)) as it:
        assert "6 fields · * required  one moment …" in it.screen
        await armed(it)
        seen = []
        for _ in range(4):
            rows = it.rows()
            seen.append("\n".join(rows))
            assert rows[-1].count("Tab ") == 1
            box = [row for row in rows if row.startswith("│")]
            assert sum(row.count("▌") for row in box) == 1
            assert any("▏" in row and "▕" in row for row in box)  # around an empty field
            await it.press("tab")
        assert "field 1 of 6 · * required  waiting" in seen[0]
        assert "Enter go on   Tab next field   Esc cancel the question" in seen[0]
        assert "1  ✓ Send" not in seen[0]
        assert "field 2 of 6" in seen[1]
        assert "▌Age" in seen[1]
        assert "Enter choose, go on   Space choose" in seen[2]
        sends = it.row_of_keys
        assert "Enter send   Space choose   Tab answers" in sends
        await it.press("tab")
        shown = it.screen
        assert "1-2 answer   Enter choose" in shown
        assert "1  ✓ Send" in shown


async def test_short_choices_share_a_row_and_are_chosen_there() -> None:
    talk, number = form(
        color={"type": "string", "enum": ["red", "green", "blue"], "default": "green"},
        long={"type": "string", "enum": ["way " * 20, "other " * 20]},
    )
    async with running(talk.state, (80, 24)) as it:
        rows = it.rows()
        assert any("○ red" in row and "● green" in row and "○ blue" in row for row in rows)
        assert not any("way " in row and "other " in row for row in rows)
        await armed(it)
        await it.press("right", "enter")
        rows = it.rows()
        at = next(y for y, row in enumerate(rows) if "red" in row)
        await it.pilot.click(offset=(rows[at].index("red"), at))
        await it.press("tab", "enter")
        content: dict[str, Value] = {"color": "red", "long": "way " * 20}
        assert it.asked == [AnswerElicitation(number, "accept", content)]


async def test_a_form_takes_the_rows_of_the_conversation_before_it_hides_a_field() -> None:
    properties: dict[str, Any] = {f"field{at}": {"type": "string"} for at in range(6)}
    talk, _ = form(**properties)
    async with running(talk.state, (80, 16)) as it:
        shown = it.screen
        assert all(f"field{at} " in shown for at in range(6))


@parametrize(1, "size", [(80, 14), (60, 12), (40, 12)])
async def test_the_field_that_is_filled_in_is_in_view_with_its_title(size: tuple[int, int]) -> None:
    properties: dict[str, Any] = {
        f"f{at}": {"type": "string", "title": f"Title {at}", "description": f"Help {at}"}
        for at in range(6)
    }
    talk, _ = form(**properties)
    async with running(talk.state, size) as it:
        await armed(it)
        before = 0
        for at in (*range(6), 0):
            await it.press(*["tab"] * (at - before), *["shift+tab"] * (before - at))
            shown = it.screen
            assert f"▌Title {at}" in shown
            assert f"Help {at}" in shown
            before = at
