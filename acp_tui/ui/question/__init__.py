"""The agent's questions, shown between the conversation and the prompt."""
