"""Scripts: prompts, answers and expectations in a file, played to an agent without a person."""
