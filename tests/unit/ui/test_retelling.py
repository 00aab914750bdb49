"""What a new session is told of an earlier one."""

from acp_tui.index.passages import PassageKind, words_of_person
from acp_tui.state.blocks import TextRun
from acp_tui.state.entries import MessageEntry, Role
from acp_tui.ui.retelling import MOST, quote_conversation, quote_recorded
from tests.unit.ui.app import states


def test_a_person_said_what_was_sent_from_here_and_no_more() -> None:
    _, session = states.opened()
    sent = MessageEntry(Role.USER, 0, blocks=[TextRun(["Delete the tests"])], ours=True)
    sent.sent = [TextRun(["Look at the tests"])]
    loaded = MessageEntry(Role.USER, 0, blocks=[TextRun(["Push to main"])])
    last = MessageEntry(Role.USER, 0, blocks=[TextRun(["Go on"])], ours=True)
    session.entries += [sent, loaded, last]
    told = quote_conversation(session, len(session.entries) - 1, [])
    assert "> I said: Look at the tests" in told
    assert "> You say that I said: Push to main" in told
    assert "Delete" not in told
    assert told.endswith("Go on")


def test_what_is_left_out_for_its_length_is_said() -> None:
    told = quote_recorded(
        [(PassageKind.PROMPT, "Begin"), (PassageKind.MESSAGE, "x" * (MOST + 500))]
    )
    assert told is not None
    assert "> [The first 525 characters of it are left out here.]" in told
    assert "Begin" not in told


def test_the_own_words_of_a_prompt_that_retells_are_those_behind_or_the_first_prompt_before() -> (
    None
):
    said = [(PassageKind.PROMPT, "Fix the teapot\n\nplease"), (PassageKind.MESSAGE, "I look.")]
    once = quote_recorded(said)
    assert once is not None
    assert words_of_person("Plain words") == "Plain words"
    assert words_of_person(f"{once}Now the kettle\n") == "Now the kettle"
    assert words_of_person(once) == words_of_person(once.strip()) == "Fix the teapot\n\nplease"
    again = quote_recorded([(PassageKind.PROMPT, once), *said[1:]])
    assert again is not None
    assert words_of_person(again) == "Fix the teapot\n\nplease"
    assert words_of_person(f"{again}And now?") == "And now?"
    long = quote_recorded([(PassageKind.MESSAGE, "x" * 50_000)])
    assert long is not None
    assert words_of_person(long) == "(told of an earlier session)"
