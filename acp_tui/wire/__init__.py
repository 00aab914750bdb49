"""The log of a connection and its recordings. Pure."""
