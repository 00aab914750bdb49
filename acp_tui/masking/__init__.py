"""What looks like a secret, and how it is masked."""
