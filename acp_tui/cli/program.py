"""acp-tui as a command, for what runs in a process of its own."""

import sys

PROGRAM = (sys.executable, "-P", "-m", "acp_tui")
"""`-P`: a `json.py` of the folder in which it is started is none of ours."""
