"""What is wrong is told, also of an agent that does nothing that its model is asked for."""

import sys
from pathlib import Path

import pytest

from acp_tui.check.verdicts import CheckOutcome, Why
from tests.check.running import run_checks

AGENT = """
import json, sys
CALLS = %r
def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
unanswered, held = 0, []
for line in sys.stdin:
    asked = json.loads(line)
    if "method" not in asked:
        unanswered -= 1
        if terminal := (asked.get("result") or {}).get("terminalId"):  # it learns of the command's end
            unanswered += 1
            params = {"sessionId": "s", "terminalId": terminal}
            say(id="w", method="terminal/wait_for_exit", params=params)
    elif asked["method"] == "session/prompt":
        held.append(asked["id"])  # a turn ends when all is answered that was asked
    else:
        result = {"protocolVersion": 1, "agentCapabilities": {}, "sessionId": "s"}
        say(id=asked["id"], result=result)
    if asked.get("method") == "session/new":
        for at, (method, params) in enumerate(CALLS):
            unanswered += 1
            say(id=f"a{at}", method=method, params={"sessionId": "s", **params})
    while held and not unanswered:
        say(id=held.pop(0), result={"stopReason": "end_turn"})
"""
READ = ("fs/read_text_file", {"path": "notes.txt"})
RUN = ("terminal/create", {"command": "true"})


def verdict_of(
    folder: Path, id: str, *calls: tuple[str, dict[str, str]]
) -> tuple[CheckOutcome, Why | None]:
    argv = (sys.executable, "-S", "-c", AGENT % list(calls))
    verdict = run_checks(folder, id, argv=argv)[id].verdict
    return verdict.outcome, verdict.why


@pytest.mark.parametrize(("id", "call"), [("A18", RUN), ("A19", READ), ("A20", RUN)])
def test_a_breach_counts_though_the_model_did_nothing(
    id: str, call: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    assert verdict_of(tmp_path, id, call) == (CheckOutcome.FAIL, None)


@pytest.mark.parametrize("id", ["A18", "A19", "A20"])
def test_without_a_breach_nothing_was_tested(id: str, tmp_path: Path) -> None:
    assert verdict_of(tmp_path, id) == (CheckOutcome.SKIPPED, Why.NOT_ACTED)
