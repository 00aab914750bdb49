"""What a person has decided beforehand: rules, and what they say about a request. Pure."""
