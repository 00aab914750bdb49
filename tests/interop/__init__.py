"""Agents on the official SDKs, as independent peers."""
