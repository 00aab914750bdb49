"""What agents can do, beside each other: probed, never judged."""
