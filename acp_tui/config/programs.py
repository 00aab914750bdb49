"""acp-tui as a command, for what runs in a process of its own."""

import sys

PYTHON = (sys.executable, "-P", "-m")
"""`-P`: a `json.py` of the folder in which it is started is none of ours."""
PROGRAM = (*PYTHON, "acp_tui")
