"""Results as JSON."""

import json
from typing import Any

from acp_tui import __version__
from acp_tui.check.model import Result
from acp_tui.check.summary import Summary

FORMAT = 1
"""The version of the format: fields may be added to it."""


def as_json(summary: Summary) -> str:
    """Format all results as one JSON object."""
    body = {
        "acp-tui-check": FORMAT,
        "version": __version__,
        "agent": summary.agent,
        "agentVersion": summary.agent_version,
        "profile": summary.profile.value,
        "protocol": summary.version,
        "conformant": summary.is_conformant if summary.whole else None,
        "words": summary.words,
        "turns": summary.turns,
        "counts": {outcome.value: count for outcome, count in summary.counts.items()},
        "checks": [_result(one) for one in summary.results],
    }
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def _result(result: Result) -> dict[str, Any]:
    check, verdict = result.check, result.verdict
    return {
        "id": check.id,
        "title": check.title,
        "tier": check.tier.value,
        "outcome": verdict.outcome.value,
        "why": None if verdict.why is None else verdict.why.value,
        "words": verdict.words,
        "sentences": [
            {
                "text": one.text,
                "section": one.section,
                "version": one.version,
                "link": one.link,
            }
            for one in check.sentences
        ],
        "frames": list(verdict.frames),
        "excerpts": list(result.excerpts),
        "recording": None if verdict.recording is None else str(verdict.recording),
        "command": result.command,
        "mend": check.mend,
        "acp-tck": [name for name in check.tck.split(", ") if name],
        "seconds": round(result.seconds, 3),
    }
