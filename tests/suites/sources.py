"""Where the suites come from: registries where the published package holds its tests, else the tag of the repository."""

import json
import os
import shutil
import subprocess
from pathlib import Path

TOOLS = Path(os.environ.get("GRISTMILL_TOOLS", Path.home() / ".cache/gristmill/tools")).absolute() / "suites"
CHECKOUTS = os.environ.get("GRISTMILL_CHECKOUTS")


def call(*line: object, cwd: Path | None = None, **environment: str):
    """Runs a program that has to succeed."""
    subprocess.run([str(word) for word in line], cwd=cwd, check=True, env=os.environ | environment)


def repository(owner: str, name: str, tag: str, into: Path) -> Path:
    """A clone of a tag, of `GRISTMILL_CHECKOUTS/name` where that is there."""
    folder = into / name
    source = f"{CHECKOUTS}/{name}" if CHECKOUTS else f"https://github.com/{owner}/{name}"
    depth = [] if CHECKOUTS else ["--depth", "1"]
    call("git", "-c", "advice.detachedHead=false", "clone", "--quiet", *depth, "--branch", tag, source, folder)
    return folder


def go_module(module: str, version: str, into: Path) -> Path:
    """The source of a Go module, tests and all."""
    told = subprocess.run(
        ["go", "mod", "download", "-json", f"{module}@{version}"], check=True, capture_output=True, text=True, cwd=into
    )
    folder = into / module.split("/")[-2 if module.split("/")[-1].startswith("v") else -1]
    shutil.copytree(json.loads(told.stdout)["Dir"], folder)
    call("chmod", "-R", "u+w", folder)
    return folder


def crate(name: str, project: Path, into: Path) -> Path:
    """The source of a crate, as published, of the version that a project's Cargo.lock has."""
    line = ["cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", project / "Cargo.toml"]
    told = subprocess.run([str(word) for word in line], check=True, capture_output=True, text=True)
    package = next(package for package in json.loads(told.stdout)["packages"] if package["name"] == name)
    folder = into / name
    shutil.copytree(Path(package["manifest_path"]).parent, folder)
    return folder


def python(requirements: Path) -> Path:
    """The interpreter of an environment with what the file names. Made again where the file changed."""
    folder = TOOLS / "venv"
    stamp = folder / "requirements.txt"
    if not stamp.exists() or stamp.read_text() != requirements.read_text():
        shutil.rmtree(folder, ignore_errors=True)
        call("python3", "-m", "venv", folder)
        call(folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements)
        shutil.copy(requirements, stamp)
    return folder / "bin/python"


def replace(file: Path, *pairs: tuple[str, str]):
    """Changes words of a file of the copy: addresses that a suite has fixed."""
    text = file.read_text()
    for old, new in pairs:
        assert old in text, f"{file} has no {old}"
        text = text.replace(old, new)
    file.write_text(text)
