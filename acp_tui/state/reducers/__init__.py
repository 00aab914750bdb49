"""Pure reducers, one module per subject: each applies events to the state and returns the changes."""
