"""An agent that works with some clients only is blamed for that, wherever it fails."""

import sys
from pathlib import Path

from acp_tui.check.model import Outcome
from tests.check.running import run_checks

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
    assert verdict.outcome is Outcome.WARNING
    told = "initialize was answered with the error -32602"
    assert verdict.words == f"{told}, with a client that offers everything"
    assert verdict.frames == (1, 2)
