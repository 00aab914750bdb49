"""Where the program's files lie."""

from pathlib import Path

NAME = "acp-tui"


def config_folder() -> Path:
    """The folder of a person's settings; it need not exist."""
    from platformdirs import user_config_path

    return user_config_path(NAME, appauthor=False)


def settings_file() -> Path:
    """The file of a person's settings; it need not exist."""
    return config_folder() / "settings.toml"


def own_themes() -> Path:
    """The folder of a person's own themes; it need not exist."""
    return config_folder() / "themes"


def shipped_themes() -> Path:
    """The folder of the themes that come with the program: in the package, else the checkout."""
    package = Path(__file__).parent.parent
    installed = package / "themes"
    return installed if installed.is_dir() else package.parent / "themes"
