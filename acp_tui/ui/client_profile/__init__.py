"""The client profile: the capabilities that the client advertises to the agent in `initialize`."""
