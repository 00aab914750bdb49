"""The user's configuration: settings, themes, permission rules and prompts, and the paths of all
files.
"""
