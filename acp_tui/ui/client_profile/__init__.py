"""The client profile: the capabilities that the agent is offered."""
