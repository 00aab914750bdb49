"""The UI in a browser: pages and terminals for those who have the link."""
