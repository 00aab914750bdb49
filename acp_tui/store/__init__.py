"""What the program remembers: choices, drafts, trust, agents and the folders of recordings."""
