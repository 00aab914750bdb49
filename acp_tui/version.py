"""The version of acp-tui, for its package and for `clientInfo`."""

__version__ = "0.1.0"
