"""Runs git without untrusted settings, and reads its objects, repositories and ignore rules."""
