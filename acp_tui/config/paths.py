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


def trust_file() -> Path:
    """Where it is kept which project files a person has agreed to; it need not exist."""
    from platformdirs import user_state_path

    return user_state_path(NAME, appauthor=False) / "trusted.json"


def project_rules_folder() -> Path:
    """Where the rules are kept that a person made for projects; it need not exist."""
    from platformdirs import user_state_path

    return user_state_path(NAME, appauthor=False) / "rules"


def own_themes() -> Path:
    """The folder of a person's own themes; it need not exist."""
    return config_folder() / "themes"


def recordings_folder() -> Path:
    """The folder where connections are recorded; it need not exist."""
    from platformdirs import user_state_path

    return user_state_path(NAME, appauthor=False) / "recordings"


def drafts_folder() -> Path:
    """Where it is kept what was written and not sent; it need not exist."""
    from platformdirs import user_state_path

    return user_state_path(NAME, appauthor=False) / "drafts"


def runs_folder() -> Path:
    """Where it is kept which runs go on; it need not exist."""
    from platformdirs import user_state_path

    return user_state_path(NAME, appauthor=False) / "runs"


def backups_folder() -> Path:
    """Where files are kept that agents wrote over, while a session lasts; it need not exist."""
    from platformdirs import user_state_path

    return user_state_path(NAME, appauthor=False) / "backups"


def shipped_themes() -> Path:
    """The folder of the themes that come with the program: in the package, else the checkout."""
    package = Path(__file__).parent.parent
    installed = package / "themes"
    return installed if installed.is_dir() else package.parent / "themes"
