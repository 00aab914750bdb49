"""The main screen: transcript, plan, questions, prompt and status line."""
