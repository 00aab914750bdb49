"""Permission rules, and their verdict on a request. Pure."""
