"""Notifications in the app: toasts, and a page of all of them."""
