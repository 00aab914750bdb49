"""The end of a replay in version 2."""

from tests.unit.state.conversation import Conversation


def test_the_end_of_a_replay_adds_nothing_to_the_transcript() -> None:
    talk = Conversation.opened_in_2()
    talk.update("agent_message", messageId="m", content=[{"type": "text", "text": "hi"}])
    before = list(talk.session.entries)
    talk.update("replay_complete")
    assert talk.session.entries == before
