"""Known quirks of the agent, and their remedies."""

from acp_tui.client.core import Core
from acp_tui.config.quirks import Quirk, Remedy, quirks_of


def known_quirks(core: Core) -> tuple[Quirk, ...]:
    """Return the known quirks of the agent, unless they are switched off."""
    initialized = core.state.peer.initialized
    info = initialized.agent_info if initialized is not None else None
    if info is None or not core.launch.quirks:
        return ()
    return quirks_of(info.name, info.version, core.launch.own_quirks)


def remedies(core: Core) -> frozenset[Remedy]:
    """Return the remedies for the agent's quirks."""
    return frozenset(quirk.remedy for quirk in known_quirks(core))
