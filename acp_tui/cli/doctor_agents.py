"""The agents that are here, with their versions; none is started to find out."""

from collections.abc import Iterator

from acp_tui.cli.agents_list import what_is_known
from acp_tui.cli.facts import Fact, FactMark
from acp_tui.cli.named_agents import kept_registry
from acp_tui.config import paths
from acp_tui.formatting import counted


def look_at_agents() -> Iterator[Fact]:
    """Look at those of the settings, then at those that are installed."""
    from acp_tui.config.errors import ConfigError
    from acp_tui.config.settings import load_settings
    from acp_tui.store.named_agents import AgentOrigin, StartState, agents_of

    topic = "agents"
    try:
        known = load_settings(paths.settings_file()).agents
        agents = agents_of(known, kept_registry(), paths.fetched_agents_folder())
    except ConfigError:
        return  # said of the settings
    here = [
        one for one in agents if one.origin is AgentOrigin.SETTINGS or one.state is StartState.READY
    ]
    seen = what_is_known(here)
    for one in here:
        version = seen[one.name].version
        about = f", version {version}" if version else ", its version isn't known"
        if one.state is not StartState.READY:
            words = f"{one.state}: see acp-tui agents {one.name}"
            yield Fact(topic, one.name, FactMark.WRONG, words)
        elif one.settings is not None and one.settings.url is not None:
            yield Fact(topic, one.name, FactMark.FINE, f"elsewhere: {one.settings.words}{about}")
        elif one.origin is AgentOrigin.SETTINGS or one.settings is None:
            yield Fact(topic, one.name, FactMark.FINE, f"{one.state}{about}")
        else:
            yield Fact(topic, one.name, FactMark.FINE, f"{one.state}{about}: {one.settings.words}")
    listed = [one for one in agents if one.origin is AgentOrigin.REGISTRY]
    if listed:
        installed = sum(one.state is StartState.READY for one in listed)
        words = f"{counted(len(listed), 'agent')}, {installed} installed"
        yield Fact(topic, "registry", FactMark.FACT, words)
    else:
        words = "its list is not fetched yet: acp-tui agents update"
        yield Fact(topic, "registry", FactMark.MISSING, words)
