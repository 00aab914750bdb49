"""Questions of the client's own: a file outside the session's folder, or changed on disk."""

import pytest

from acp_tui.protocol.file_events import AccessAnswered, AccessAsked, FileOperation, FilesChanged
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state.reducers.permissions import access_options
from tests.unit.state.conversation import Conversation

READ = AccessAsked(4.0, 9, "s", FileOperation.READ, "/etc/hosts", "/etc")
ALLOW_FOLDER = "Allow reading in /etc for this session"


def test_a_question_waits_until_it_is_answered_and_once_is_enough() -> None:
    talk = Conversation.opened()
    assert talk.happened(READ) != []
    (question,) = talk.session.permissions
    assert [one.name for one in question.options] == ["Allow once", ALLOW_FOLDER, "Reject"]
    answered = AccessAnswered(5.0, 9, "reject_once")
    assert talk.happened(answered) != []
    assert talk.session.permissions == []
    assert talk.happened(answered) == []


def test_a_read_that_is_answered_meanwhile_is_no_question_any_more() -> None:
    talk = Conversation.opened()
    number = talk.asks("fs/read_text_file", path="/etc/hosts")
    talk.happened(READ._replace(request=number))
    talk.settle(number, error={"code": -32603, "message": "no"})
    assert talk.session.permissions == []


def test_nobody_is_asked_for_an_agent_that_is_gone() -> None:
    talk = Conversation.opened()
    talk.happened(ProcessExited(4.0, 1))
    assert talk.happened(READ) == []


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (READ, ["Allow once", ALLOW_FOLDER, "Reject"]),
        (
            READ._replace(operation=FileOperation.WRITE),
            ["Allow once", "Allow writing in /etc for this session", "Reject"],
        ),
        (READ._replace(outside=False, changed=True), ["Allow once", "Reject"]),
        (READ._replace(rule="a rule"), ["Allow once", "Reject"]),
    ],
)
def test_a_folder_is_offered_only_where_that_settles_it(
    asked: AccessAsked, names: list[str]
) -> None:
    assert [one.name for one in access_options(asked)] == names


def test_files_that_changed_are_named_while_the_question_waits() -> None:
    talk = Conversation.opened()
    talk.happened(READ)
    assert talk.happened(FilesChanged(5.0, 9, ["/etc/hosts"])) != []
    assert talk.session.permissions[0].changed == ["/etc/hosts"]
    assert talk.happened(FilesChanged(5.0, 10, ["/etc/hosts"])) == []


def test_an_answer_about_writing_a_file_is_remembered() -> None:
    talk = Conversation.opened()
    for operation in (FileOperation.READ, FileOperation.WRITE):
        talk.happened(READ._replace(operation=operation))
        talk.happened(AccessAnswered(5.0, 9, "allow_once"))
    [answer] = talk.session.answers
    assert (answer.allowed, answer.path) == (True, "/etc/hosts")
