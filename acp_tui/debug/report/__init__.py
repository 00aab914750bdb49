"""Makes parts of a log that can be shared: bug reports and recordings without secrets. Pure."""
