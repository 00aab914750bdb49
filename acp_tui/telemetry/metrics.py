"""Activities as OpenTelemetry metrics: how long things take, and how many tokens."""

from collections.abc import Mapping
from typing import Any

from opentelemetry.metrics import MeterProvider

from acp_tui.telemetry.activities import Activity, ActivityKind
from acp_tui.version import __version__

DURATIONS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
"""Upper bounds of the buckets of durations, in seconds: those that the conventions name."""
TOKENS = tuple(4.0**power for power in range(14))
_TOKENS = {"inputTokens": "input", "outputTokens": "output"}


class Metrics:
    """Measures activities. The names are OpenTelemetry's for GenAI, else `acp.`."""

    def __init__(self, provider: MeterProvider) -> None:
        meter = provider.get_meter("acp-tui", __version__)

        def seconds(name: str, what: str) -> Any:
            return meter.create_histogram(
                name, "s", what, explicit_bucket_boundaries_advisory=DURATIONS
            )

        self._operations = seconds(
            "gen_ai.client.operation.duration", "How long turns and tools take"
        )
        self._requests = seconds("rpc.client.call.duration", "How long the agent takes to answer")
        self._served = seconds(
            "rpc.server.call.duration", "How long the agent waits for the client"
        )
        self._first = seconds("acp.turn.time_to_first_update", "Until the agent says anything")
        self._permissions = seconds("acp.permission.duration", "How long a permission waits")
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            "{token}",
            "Tokens of a turn",
            explicit_bucket_boundaries_advisory=TOKENS,
        )

    def add_activity(self, activity: Activity, agent: Mapping[str, str]) -> None:
        """Measure an activity that has ended."""
        about: dict[str, Any] = {}
        if "name" in agent:
            about["gen_ai.agent.name"] = agent["name"]
        if activity.error is not None:
            about["error.type"] = str(activity.facts.get("error_code", activity.kind.value))
        match activity.kind:
            case ActivityKind.TURN:
                self._turn(activity, about | {"gen_ai.operation.name": "invoke_agent"})
            case ActivityKind.SUBAGENT:
                self._operations.record(
                    activity.seconds, about | {"gen_ai.operation.name": "invoke_agent"}
                )
            case ActivityKind.TOOL_CALL:
                about |= {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": activity.name,
                }
                self._operations.record(activity.seconds, about)
            case ActivityKind.PERMISSION:
                outcome = {"acp.permission.outcome": activity.facts.get("outcome") or "none"}
                self._permissions.record(activity.seconds, about | outcome)
            case _:
                requests = self._served if activity.by_agent else self._requests
                requests.record(activity.seconds, about | {"rpc.method": activity.name})

    def _turn(self, turn: Activity, about: dict[str, Any]) -> None:
        self._operations.record(turn.seconds, about)
        if "first_update" in turn.facts:
            self._first.record(turn.facts["first_update"], about)
        for fact, kind in _TOKENS.items():
            if fact in turn.facts:
                self._tokens.record(turn.facts[fact], about | {"gen_ai.token.type": kind})
