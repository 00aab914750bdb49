"""What the protocol asks of a client, one test a rule, as an agent on the wire sees it."""
