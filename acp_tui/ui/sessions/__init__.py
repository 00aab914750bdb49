"""Sessions: opens, switches and closes them, and reads them from recordings."""
