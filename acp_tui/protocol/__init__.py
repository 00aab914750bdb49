"""ACP on the wire: bytes to typed messages and back, without any I/O."""
