"""The version of a program is read from the package that brought it, and never found by running it."""

import json
from pathlib import Path

from acp_tui.cli.agents import package_version


def program(path: Path, ran: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch {ran}\n")
    path.chmod(0o755)
    return path


def linked(path: Path, to: Path) -> str:
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(to)
    return str(path)


def test_a_package_of_npm_is_described_above_its_program(tmp_path: Path) -> None:
    package = tmp_path / "lib/node_modules/@tea/agent"
    real = program(package / "dist/index.js", tmp_path / "ran")
    (package / "dist/package.json").write_text('{"type": "module"}')
    (package / "package.json").write_text(json.dumps({"name": "@tea/agent", "version": "0.54.0"}))
    link = linked(tmp_path / "bin/tea", real)
    assert package_version(link) == "0.54.0"
    (package / "package.json").write_text("{")
    assert package_version(link) == ""
    (package / "package.json").unlink()
    assert package_version(link) == ""
    assert not (tmp_path / "ran").exists()


def test_a_tool_of_uv_is_described_in_its_environment(tmp_path: Path) -> None:
    tool = tmp_path / "uv/tools/tea-agent"
    real = program(tool / "bin/tea", tmp_path / "ran")
    link = linked(tmp_path / "bin/tea", real)
    about = tool / "lib/python3.12/site-packages/tea_agent-2.1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tea-agent\nVersion: 2.1\n")
    (about / "entry_points.txt").write_text("[console_scripts]\ntea = tea_agent:main\n")
    assert package_version(link) == ""  # nothing says that this is an environment
    (tool / "pyvenv.cfg").touch()
    assert package_version(link) == "2.1"
    assert package_version(str(program(tool / "bin/other", tmp_path / "ran"))) == ""
    assert not (tmp_path / "ran").exists()


def test_a_program_of_no_package_has_no_version(tmp_path: Path) -> None:
    assert package_version(str(program(tmp_path / "tea", tmp_path / "ran"))) == ""
    assert package_version(str(tmp_path / "none")) == ""
