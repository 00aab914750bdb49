"""Tools for testing agents and clients: a fake agent, a fake client, and a pytest plugin.

`Script` is an agent process that does exactly what a test specifies; `FakeClient` drives an agent
with raw messages; the fixture `acp_agent` hosts an agent in a test. See docs/testing.md.
"""

from acp_tui.testing.client import FakeClient
from acp_tui.testing.script import OPTIONS, Played, Script

__all__ = ["OPTIONS", "FakeClient", "Played", "Script"]
