"""The command line: arguments in, an exit code out. Composes the client, or a recording, with a view."""
