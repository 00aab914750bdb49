"""What is handed on of a log: bug reports and recordings without secrets. Pure."""
