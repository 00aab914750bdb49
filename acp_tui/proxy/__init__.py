"""The gate, which holds frames and injects faults, and the tap between an editor and an agent."""
