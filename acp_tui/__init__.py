"""The terminal client and debugger for Agent Client Protocol agents."""

__version__ = "0.1.0"
