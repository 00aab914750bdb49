"""Long runs: `make soak`. An agent that draws what it does from a seed, and a person in a pty."""
