"""Goals, failures and background tasks that agents report to JetBrains AIR, in the transcript."""

from typing import Any

import pytest

from acp_tui.headless.outcome import ExitCode, judge_end
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state.entries import NoticeEntry, TurnEndEntry
from tests.unit.state.conversation import Conversation


def told_air(**told: Any) -> dict[str, Any]:
    return {"jetbrains": {"air": {"version": 1, **told}}}


def shown(talk: Conversation) -> list[tuple[str, str, str | None]]:
    """The agent's notices."""
    notices = [one for one in talk.session.entries if isinstance(one, NoticeEntry)]
    assert not any(one.ours for one in notices)
    return [(one.severity, one.title, one.description) for one in notices]


@pytest.mark.parametrize("prefix", ["", "_"])
def test_a_background_task_is_one_entry_from_its_beginning_to_its_end(prefix: str) -> None:
    talk = Conversation.opened_in_2() if prefix else Conversation.opened()
    task = {"asyncTaskId": "t", "name": "npm test", "taskType": "shell"}
    talk.update(f"{prefix}async_task_spawned", **task, showInTranscript=False, canStop=True)
    assert shown(talk) == [("info", "background task running: npm test", None)]
    ended = {"asyncTaskId": "t", "state": "failed", "summary": "3 tests failed"}
    talk.update(f"{prefix}async_task_state_update", **ended, outputFilePath="/tmp/log")
    words = "3 tests failed\noutput: /tmp/log"
    assert shown(talk) == [("warning", "background task failed: npm test", words)]


def test_a_task_without_a_name_has_its_description_or_its_id() -> None:
    talk = Conversation.opened()
    talk.update("async_task_progress", asyncTaskId="t")
    talk.update("async_task_spawned", asyncTaskId="u", description="Waits for the build")
    talk.update("async_task_spawned", asyncTaskId="w", name="make", description="make")
    assert shown(talk) == [
        ("info", "background task running: t", None),
        ("info", "background task running: Waits for the build", None),
        ("info", "background task running: make", None),
    ]


def test_null_leaves_the_name_of_a_task_and_an_end_before_the_beginning_counts() -> None:
    talk = Conversation.opened()
    talk.update("async_task_state_update", asyncTaskId="t", state="completed")
    talk.update("async_task_spawned", asyncTaskId="t", name="npm test")
    talk.update("async_task_progress", asyncTaskId="t", name=None, summary=5)
    assert shown(talk) == [("info", "background task completed: npm test", None)]


def test_tasks_that_run_when_the_agent_is_lost_are_not_called_running() -> None:
    talk = Conversation.opened()
    talk.update("async_task_spawned", asyncTaskId="t", name="npm test")
    talk.update("async_task_spawned", asyncTaskId="u", name="make")
    talk.update("async_task_state_update", asyncTaskId="u", state="completed")
    talk.happened(ProcessExited(9.0, None, "SIGKILL"))
    lost, ended = (one for one in talk.session.entries if isinstance(one, NoticeEntry))
    assert (lost.ours, lost.severity) == (True, "warning")
    assert lost.title == "Lost: background task running: npm test"
    assert (lost.description or "").startswith("How it ends isn't known: ")
    assert ended.title == "background task completed: make"


def test_a_goal_is_shown_when_it_changes_and_when_it_is_over() -> None:
    talk = Conversation.opened()
    talk.update("session_info_update", _meta=told_air(goal=None))
    goal = {"objective": "all tests pass", "status": "active"}
    talk.update("session_info_update", _meta=told_air(goal=goal))
    talk.update("session_info_update", _meta=told_air(goal=goal))
    assert shown(talk) == [("info", "goal active: all tests pass", None)]
    further = {**goal, "iterations": 2, "lastReason": "one fails"}
    talk.update("session_info_update", _meta=told_air(goal=further))
    words = "iterations: 2\none fails"
    assert shown(talk) == [("info", "goal active: all tests pass", words)]
    talk.prompt()
    talk.update("session_info_update", _meta=told_air(goal=None))
    assert shown(talk)[1:] == [("info", "goal over: all tests pass", words)]


@pytest.mark.parametrize("unreadable", [5, "all tests pass", {}, {"objective": None}])
def test_a_goal_that_cant_be_read_doesnt_end_the_one_before(unreadable: object) -> None:
    talk = Conversation.opened()
    for goal in ({"objective": "all tests pass"}, unreadable):
        talk.update("session_info_update", _meta=told_air(goal=goal))
    assert shown(talk) == [("info", "goal active: all tests pass", None)]
    assert talk.session.goal is not None


def test_the_tokens_that_codex_counts_for_a_goal_are_shown() -> None:
    talk = Conversation.opened()
    goal = {"objective": "all tests pass", "status": "limited", "tokensUsed": 12000}
    talk.update("session_info_update", _meta=told_air(goal=goal))
    talk.update("session_info_update", _meta=told_air(goal={**goal, "tokenBudget": 9000}))
    words = "tokens: 12,000 of 9,000"
    assert shown(talk) == [("info", "goal limited: all tests pass", words)]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"category": "limit", "actions": []}, "category: limit"),
        (
            {"category": "access", "actions": ["login", "retry", "pray"], "details": "401"},
            "401\ncategory: access\nsuggested: sign in, or try again, or pray",
        ),
        ({"category": "unknown", "actions": [5, "new_session"]}, "suggested: begin a new session"),
        ({"category": ["limit"], "actions": "retry"}, None),
    ],
)
def test_a_failure_says_its_category_and_what_to_do(more: dict[str, Any], words: str) -> None:
    talk = Conversation.opened()
    failure = {"id": "f", "revision": 1, "severity": "error", "title": "Stopped", **more}
    talk.update("session_info_update", _meta=told_air(sessionFailure=failure))
    assert shown(talk) == [("error", "Stopped", words)]


def test_a_failure_is_replaced_by_a_later_one_with_its_id() -> None:
    talk = Conversation.opened()
    failure = {"id": "f", "revision": 1, "severity": "warning", "title": "Retrying"}
    talk.update("session_info_update", _meta=told_air(sessionFailure=failure))
    later = {**failure, "severity": "error", "title": "Overloaded", "details": "try later"}
    talk.update("session_info_update", _meta=told_air(sessionFailure=later))
    assert shown(talk) == [("error", "Overloaded", "try later")]


@pytest.mark.parametrize(
    ("severity", "code"), [("error", ExitCode.ERROR), ("fatal", ExitCode.ERROR), ("warning", 0)]
)
def test_a_turn_that_failed_in_meta_only_is_shown_and_does_not_end_well(
    severity: str, code: int
) -> None:
    talk = Conversation.opened()
    id = talk.prompt()
    failure = {"id": "f", "severity": severity, "title": "No quota"}
    talk.answer(id, result={"stopReason": "end_turn", "_meta": told_air(sessionFailure=failure)})
    assert shown(talk) == [(severity, "No quota", None)]
    end = talk.session.entries[-1]
    assert isinstance(end, TurnEndEntry)
    assert end.is_failed is bool(code)
    ended = judge_end(end)
    assert (ended.code, ended.why) == (code, "the turn failed: No quota" if code else "")


def test_a_failure_without_a_severity_is_an_error() -> None:
    talk = Conversation.opened()
    told = told_air(sessionFailure={"id": "f", "severity": 5, "title": "No quota"})
    talk.answer(talk.prompt(), result={"stopReason": "end_turn", "_meta": told})
    assert shown(talk) == [("error", "No quota", None)]


def test_in_version_2_the_idle_state_has_the_failure() -> None:
    talk = Conversation.opened_in_2()
    talk.answer(talk.prompt(), result={"messageId": "m"})
    talk.update("state_update", state="running")
    failure = {"id": "f", "severity": "error", "title": "No quota"}
    ending = {"state": "idle", "stopReason": "end_turn"}
    talk.update("state_update", **ending, _meta=told_air(sessionFailure=failure))
    assert shown(talk) == [("error", "No quota", None)]
    end = talk.session.entries[-1]
    assert isinstance(end, TurnEndEntry)
    assert end.failure == "No quota"


@pytest.mark.parametrize("meta", [None, {"jetbrains": 7}, told_air(goal=7, sessionFailure=[])])
def test_what_cannot_be_read_is_left_out(meta: Any) -> None:
    talk = Conversation.opened()
    talk.update("session_info_update", _meta=meta)
    assert shown(talk) == []
