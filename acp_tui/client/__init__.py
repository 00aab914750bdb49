"""The client of one agent: connection, process, sessions, files, terminals and permissions."""
