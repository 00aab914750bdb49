"""An agent as a view sees it: starts clients and composes recorder and gate."""
