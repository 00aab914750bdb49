"""How long to brew a pot of tea."""

MINUTES = {"green": 2, "black": 4, "herbal": 6}


def brew_time(tea: str) -> str:
    """Say how many minutes a tea wants."""
    minutes = MINUTES[tea]
    return f"{tea} tea: {minutes} minutes"
