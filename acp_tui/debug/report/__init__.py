"""What is shared of a log: bug reports and recordings without secrets. Pure."""
