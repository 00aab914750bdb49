"""The version of this program, as it is built and as agents are told it."""

__version__ = "0.1.0"
