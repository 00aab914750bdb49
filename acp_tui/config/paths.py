"""Paths of the program's files and folders, and the command that runs the program itself."""

import sys
from pathlib import Path

NAME = "acp-tui"


def config_folder() -> Path:
    """Return the folder of the user's settings, which may not exist."""
    from platformdirs import user_config_path

    return user_config_path(NAME, appauthor=False)


def settings_file() -> Path:
    """Return the user's settings file, which may not exist."""
    return config_folder() / "settings.toml"


def state_folder() -> Path:
    """Return the folder of recordings, drafts and other stored state; it may not exist."""
    from platformdirs import user_state_path

    return user_state_path(NAME, appauthor=False)


def trust_file() -> Path:
    """Return the file that lists the project files that the user trusts; it may not exist."""
    return state_folder() / "trusted.json"


def project_rules_folder() -> Path:
    """Return the folder of the user's permission rules for projects; it may not exist."""
    return state_folder() / "rules"


def own_themes() -> Path:
    """Return the folder of the user's own themes, which may not exist."""
    return config_folder() / "themes"


def recordings_folder() -> Path:
    """Return the folder of recordings, which may not exist."""
    return state_folder() / "recordings"


def checks_folder() -> Path:
    """Return the folder of the recordings of `acp-tui check`; it may not exist."""
    return state_folder() / "checks"


def matrix_folder() -> Path:
    """Return the folder of the recordings of `acp-tui matrix`; it may not exist."""
    return state_folder() / "matrix"


def races_folder() -> Path:
    """Return the folder of races; it may not exist."""
    return state_folder() / "races"


def baselines_folder() -> Path:
    """Return the folder of baselines, which recordings are compared with; it may not exist."""
    return state_folder() / "baselines"


def plays_folder() -> Path:
    """Return the folder that stores which run of a recording a client was played last; it may not
    exist.
    """
    return state_folder() / "plays"


def archive_file() -> Path:
    """Return the file of the index of all recordings, which may not exist."""
    return state_folder() / "archive.sqlite"


def registry_file() -> Path:
    """Return the registry's list of agents, as fetched last; it may not exist."""
    from platformdirs import user_cache_path

    return user_cache_path(NAME, appauthor=False) / "registry.json"


def fetched_agents_folder() -> Path:
    """Return the folder of agents that were fetched as archives; it may not exist."""
    from platformdirs import user_data_path

    return user_data_path(NAME, appauthor=False) / "agents"


def accepted_agents_file() -> Path:
    """Return the file of the commands that the user agreed to start agents with; it may not exist."""
    return state_folder() / "accepted_agents.json"


def accepted_commands_file() -> Path:
    """Return the file of the commands that the user agreed to resume sessions with; it may not
    exist.
    """
    return state_folder() / "accepted_commands.json"


def last_seen_file() -> Path:
    """Return the file with each agent's version, last successful turn and quota; it may not exist."""
    return state_folder() / "seen_agents.json"


def drafts_folder() -> Path:
    """Return the folder of drafts, which may not exist."""
    return state_folder() / "drafts"


def prompts_file() -> Path:
    """Return the file of the prompts that were sent; it may not exist."""
    return state_folder() / "prompts.jsonl"


def choices_file() -> Path:
    """Return the file of the choices made on screens; it may not exist."""
    return state_folder() / "choices.json"


def used_keys_file() -> Path:
    """Return the file of the keys that the user has used and needs no hints for; it may not exist."""
    return state_folder() / "used.json"


def runs_folder() -> Path:
    """Return the folder that lists the current runs; it may not exist."""
    return state_folder() / "runs"


def kept_folder() -> Path:
    """Return the folder of runs that are kept in the background; it may not exist."""
    return state_folder() / "kept"


def taps_folder() -> Path:
    """Return the folder of running taps; it may not exist."""
    return state_folder() / "taps"


def backups_folder() -> Path:
    """Return the folder of backups of overwritten files; it may not exist."""
    return state_folder() / "backups"


def checkpoints_folder() -> Path:
    """Return the folder of checkpoints, the files before each turn; it may not exist."""
    return state_folder() / "checkpoints"


def shipped_themes() -> Path:
    """Return the folder of the shipped themes: in the package, else in the checkout."""
    package = Path(__file__).parent.parent
    installed = package / "themes"
    return installed if installed.is_dir() else package.parent / "themes"


PYTHON = (sys.executable, "-P", "-m")
"""How to run a module. `-P` keeps Python from importing modules of the current folder: a project
may have a `json.py`.
"""
PROGRAM = (*PYTHON, "acp_tui")
DEMO_FOLDER = "acp-tui-demo-"
"""Prefix of the names of the demo's temporary folders."""
