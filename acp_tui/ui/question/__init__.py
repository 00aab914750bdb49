"""Questions of agents, as they stand between the conversation and the prompt."""
