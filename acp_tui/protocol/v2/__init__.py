"""Version 2 of the protocol: models where its shapes differ; all others are version 1's."""
