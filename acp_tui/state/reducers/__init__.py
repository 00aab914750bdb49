"""Pure reducers: apply each event to the state, one module per subject."""
