"""Turns of version 1 in version 2's words: only what is another thing differs."""

import json
from typing import Any

from acp_tui.wire.compare.steps import Part, Step
from acp_tui.wire.compare.versions import END, compare_versions, versions_json, versions_text


def step(what: str, value: Any, answer: Any = None, number: int = 1, agent: bool = True) -> Step:
    given = {} if answer is None else {"answer": answer}
    return Step(what, "agent" if agent else "client", agent, number, float(number), value, **given)


def update(kind: str, number: int = 2, **fields: Any) -> Step:
    return step(kind, {"sessionUpdate": kind, **fields}, number=number)


def prompt(answer: Any) -> Step:
    return step("session/prompt", {"sessionId": "s"}, answer, agent=False)


def part(*steps: Step) -> Part:
    return Part(steps[0] if steps[0].what == "session/prompt" else None, list(steps))


def test_the_end_of_a_turn_is_one_thing() -> None:
    first = part(prompt({"result": {"stopReason": "end_turn"}}))
    states = [update("state_update", 3, state="running"), update("user_message", 3, messageId="m")]
    idle = update("state_update", 4, state="idle", stopReason="end_turn")
    second = part(prompt({"result": {"messageId": "m"}}), *states, idle)
    rows, found = compare_versions([first], [second])
    assert not found.differs
    assert [one.after and one.after.what for one in rows] == ["session/prompt", END]


def test_a_failed_turn_differs_from_one_that_ended() -> None:
    error = {"error": {"code": 1, "message": "m"}}
    rows, found = compare_versions(
        [part(prompt(error))], [part(prompt({"result": {"messageId": "m"}}))]
    )
    assert found.differs
    assert (rows[-1].before and rows[-1].before.what, rows[-1].after) == (END, None)
    assert next(iter(versions_text(rows, found))).startswith("version 1")


def test_what_has_no_known_form_stays() -> None:
    broken = [
        update("plan"),
        step("session/request_permission", {"options": []}),
        update("current_mode_update", currentModeId="x"),
        step("fs/read_text_file", {"path": "/x"}),
        step("session/new", [], {"error": {}}, agent=False),
        step("session/list", {}, {"result": {"sessions": []}}, agent=False),
        step("_tea", {}, {"result": {}}, agent=False),
        step("agent_message_chunk", "text"),
    ]
    for number, one in enumerate(broken):
        one.number = number
    rows, found = compare_versions([part(*broken)], [])
    assert {one.before.what for one in rows if one.before} == {one.what for one in broken}
    assert len(found.differences) == len(broken)
    long = part(step("_" + "tea" * 20, {}))
    steps = json.loads(versions_json(*compare_versions([long], [])))["steps"]
    assert (steps[0]["version1"]["by"], steps[0]["version2"]) == ("agent", None)
    assert "…" in "".join(versions_text(*compare_versions([long], [])))


def test_a_call_is_named_as_each_version_names_it() -> None:
    asks = {"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "a"}}
    first = part(
        step("initialize", asks, {"result": {"protocolVersion": 1}}, agent=False),
        step("authenticate", {"methodId": "key"}, {"result": {}}, number=2, agent=False),
    )
    hello = {"protocolVersion": 2, "capabilities": {}, "info": {"name": "a"}}
    offers = {"session": {"prompt": {}, "mcp": {"stdio": {}}}}
    answer = {"result": {"protocolVersion": 2, "capabilities": offers}}
    second = part(
        step("initialize", hello, answer, agent=False),
        step("auth/login", {"methodId": "key"}, {"result": {}}, number=2, agent=False),
    )
    rows, found = compare_versions([first], [second])
    assert not found.differs
    assert [(one.before and one.before.what, one.after and one.after.what) for one in rows] == [
        ("initialize", "initialize"),
        ("authenticate", "auth/login"),
    ]


def test_chunks_questions_and_updates_are_the_same_in_both() -> None:
    text = {"type": "text", "text": "hi"}
    call, options = {"toolCallId": "t", "title": "Pour?"}, [{"optionId": "y"}]
    subject = {"type": "tool_call", "toolCall": call}
    first = part(
        update("agent_message_chunk", 2, content=text),
        step("session/request_permission", {"toolCall": call, "options": options}, number=3),
        update("plan", 4, entries=[]),
    )
    asked = {"title": "Pour?", "subject": subject, "options": options}
    second = part(
        update("agent_message_chunk", 2, content=text, messageId="m"),
        step("session/request_permission", asked, number=3),
        update("plan_update", 4, plan={"type": "items", "planId": "plan", "entries": []}),
    )
    _, found = compare_versions([first], [second])
    assert (found.differs, found.same) == (False, 3)
