"""Notifications in the app: toasts, and a page that lists all of them."""
