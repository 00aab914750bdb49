"""Sessions: opening, going between, closing and reading from recordings."""
