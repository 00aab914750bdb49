"""What an agent takes from clients: one that refuses some is blamed, one that refuses a wrong order is not."""

import sys
from pathlib import Path

import pytest

from acp_tui.check.verdicts import CheckOutcome
from tests.check.conforming.runs import FIELDS, conforming
from tests.check.running import run_checks

NAMES_WHAT_IT_LOADS = """
import json, sys, uuid
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    session = asked["params"].get("sessionId")
    kinds = {"session/load": ("user_message_chunk", "agent_message_chunk")}
    for kind in kinds.get(asked["method"], ()):
        update = {"sessionUpdate": kind, "content": {"type": "text", "text": "hi"}}
        params = {"sessionId": session, "update": update}
        print(json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params}))
    answer = {"sessionId": session or str(uuid.uuid4())}
    if asked["method"] == "initialize":
        answer = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}
    elif asked["method"] == "session/prompt":
        answer = {"stopReason": "end_turn"}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""


def test_a_session_that_is_loaded_again_is_no_new_one_with_an_old_id(tmp_path: Path) -> None:
    argv = (sys.executable, "-S", "-c", NAMES_WHAT_IT_LOADS)
    results = run_checks(tmp_path, "A9", "A21", argv=argv)
    assert {one.verdict.outcome for one in results.values()} == {CheckOutcome.PASS}


REFUSES_NOTICES = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if "notices" in line:
        answer["error"] = {"code": -32602, "message": "notices?"}
    else:
        answer["result"] = {"protocolVersion": 1, "agentCapabilities": {}, "sessionId": "s"}
    print(json.dumps(answer), flush=True)
"""


def test_an_agent_that_refuses_a_client_for_its_offers_is_not_just_untested(tmp_path: Path) -> None:
    argv = (sys.executable, "-S", "-c", REFUSES_NOTICES)
    verdict = run_checks(tmp_path, "A51", argv=argv)["A51"].verdict
    assert verdict.outcome is CheckOutcome.WARNING
    told = "initialize was answered with the error -32602"
    assert verdict.words == f"{told}, with a client that offers everything"
    assert verdict.frames == (1, 2)


LEAVES = """
import sys
sys.stdin.readline()
error = '{"code": -32600, "message": "initialize first"}'
print('{"jsonrpc": "2.0", "id": 1, "error": ' + error + '}', flush=True)
sys.exit(%d)
"""


@pytest.mark.parametrize(("code", "outcome"), [(0, CheckOutcome.PASS), (1, CheckOutcome.WARNING)])
def test_an_agent_may_leave_a_client_that_begins_wrongly_but_not_crash(
    tmp_path: Path, code: int, outcome: CheckOutcome
) -> None:
    argv = (sys.executable, "-S", "-c", LEAVES % code)
    assert run_checks(tmp_path, "A7", argv=argv)["A7"].verdict.outcome is outcome


ENDS_EACH_TURN = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    result = {"protocolVersion": 1, "agentCapabilities": {}, "sessionId": "s", "stopReason": "%s"}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


@pytest.mark.parametrize(
    ("reason", "outcome"), [("refusal", CheckOutcome.PASS), ("end_turn", CheckOutcome.WARNING)]
)
def test_a_prompt_in_no_session_may_be_refused_by_the_stop_reason(
    tmp_path: Path, reason: str, outcome: CheckOutcome
) -> None:
    argv = (sys.executable, "-S", "-c", ENDS_EACH_TURN % reason)
    assert run_checks(tmp_path, "A45", argv=argv)["A45"].verdict.outcome is outcome


@pytest.mark.parametrize(
    ("version", "outcome"),
    [
        ("1.0", CheckOutcome.PASS),
        ("true", CheckOutcome.FAIL),
        ("2", CheckOutcome.FAIL),
        ("null", CheckOutcome.FAIL),
    ],
)
def test_a_version_is_an_integer_as_json_schema_has_it(
    tmp_path: Path, version: str, outcome: CheckOutcome
) -> None:
    says = """
import json, sys
asked = json.loads(sys.stdin.readline())
result = {"protocolVersion": %s, "agentCapabilities": {}}
print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
sys.stdin.read()
"""
    value = {"true": "True", "null": "None"}.get(version, version)
    argv = (sys.executable, "-S", "-c", says % value)
    verdict = run_checks(tmp_path, "A3", argv=argv, patience=1.0)["A3"].verdict
    assert verdict.outcome is outcome
    assert ("1.0" in verdict.words) == (version == "1.0")


READS_ONLY_JSON = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if isinstance(asked["params"].get("cwd"), int):
        answer["error"] = {"code": -32602, "message": "cwd?"}
    else:
        answer["result"] = {"protocolVersion": 1, "agentCapabilities": {}, "sessionId": "s"}
    print(json.dumps(answer), flush=True)
"""


def test_an_agent_that_dies_of_a_line_that_no_client_may_send_is_only_warned(
    tmp_path: Path,
) -> None:
    argv = (sys.executable, "-S", "-c", READS_ONLY_JSON)
    result = run_checks(tmp_path, "A38", argv=argv)["A38"]
    assert result.verdict.outcome is CheckOutcome.WARNING
    assert "what comes after a broken line" in result.verdict.words
    broken, unanswered = result.excerpts
    assert broken.rstrip().endswith('-> {"jsonrpc": "2.0", "method":')
    assert "session/new" in unanswered


def test_a_sign_in_that_fails_is_no_fault_of_what_needs_it(tmp_path: Path) -> None:
    fields = {**FIELDS, "auth": "another"}
    results = run_checks(tmp_path, "A9", "A10", "A12", "A40", argv=conforming(tmp_path), **fields)
    found = {one.verdict.words for one in results.values()}
    assert found == {"authenticate was answered with the error -32602"}
    assert {one.verdict.outcome for one in results.values()} == {CheckOutcome.SKIPPED}
