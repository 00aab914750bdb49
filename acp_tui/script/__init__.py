"""Scripts: files with prompts, answers and expectations, played to an agent without a person."""
