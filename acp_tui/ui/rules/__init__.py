"""The rules about permissions: made from a question, shown, revoked."""
