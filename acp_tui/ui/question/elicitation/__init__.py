"""Questions of the agent's beside permissions."""
