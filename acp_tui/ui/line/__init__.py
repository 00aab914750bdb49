"""A question whose answer is one line."""
