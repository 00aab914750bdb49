"""All I/O with agents: their process, the wire, files and terminals."""
