"""What the agent and the client told in passing."""
