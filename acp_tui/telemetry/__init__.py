"""What a session did, for engines that watch many: activities as spans, metrics and tables."""
