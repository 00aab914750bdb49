"""Options of the agent: mode, model, providers."""
