"""The program's memory: choices, drafts, trust, agents and the folders of recordings."""
