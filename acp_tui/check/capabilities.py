"""What the agent offers, and what a check that needs it does without."""

from typing import Any

from acp_tui.check.model import Skip, Why
from acp_tui.check.probe import Probe


def offered(probe: Probe, *names: str) -> bool:
    """Return whether one of the agent's capabilities is there: true, or an object."""
    value: Any = probe.initialized.get("agentCapabilities")
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value is True or isinstance(value, dict)


def need(probe: Probe, *names: str) -> None:
    """Raise Skip unless the agent has a capability."""
    if not offered(probe, *names):
        raise Skip(Why.NOT_OFFERED, f"the agent doesn't offer {'.'.join(names)}")
