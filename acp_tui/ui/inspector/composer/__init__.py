"""Where a person makes messages to the agent by hand."""
