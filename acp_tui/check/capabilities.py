"""What a check needs: what the agent offers, and that it is here."""

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


def need_machine(probe: Probe) -> None:
    """Raise Skip unless the agent runs on this machine, outside of containers."""
    if probe.launch.remote is not None or probe.launch.place:
        raise Skip(Why.ELSEWHERE, "the agent doesn't run on this machine")


def need_files(probe: Probe) -> None:
    """Raise Skip unless what the agent writes is here: its files are ours, or it writes by the client."""
    if probe.wire.elsewhere and not probe.called("fs/write_text_file"):
        raise Skip(Why.ELSEWHERE, "the agent's files are not on this machine")
