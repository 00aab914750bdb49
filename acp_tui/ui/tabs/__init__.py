"""Sessions side by side, and finding earlier ones."""
