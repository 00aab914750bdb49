"""The conversation: transcript, plan, prompt, and what is going on."""
