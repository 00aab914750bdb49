"""What the agent is told that the client can do."""
