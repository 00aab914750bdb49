"""What the program remembers: choices, drafts, sent prompts, accepted commands, agents and
recordings.
"""
