"""What the app does, in parts: each an object with a state of its own, found by `bindings`."""
