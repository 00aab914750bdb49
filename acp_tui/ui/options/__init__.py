"""Options of an agent: mode, model and other config options, providers, usage."""
