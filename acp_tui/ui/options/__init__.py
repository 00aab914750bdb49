"""What can be set in a session, and the account."""
