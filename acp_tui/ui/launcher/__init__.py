"""The screen that begins: which agent, in which folder, or which session goes on."""
