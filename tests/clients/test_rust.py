"""The crate `clickhouse`: its test is in `rust`, a program that is built apart from Gristmill."""

import os
import subprocess
from pathlib import Path

RUST = Path(__file__).parent / "rust"
TARGET = Path(os.environ.get("GRISTMILL_TOOLS", Path.home() / ".cache/gristmill/tools")) / "rust"


def test_the_client_for_rust(server):
    env = os.environ | {"CARGO_TARGET_DIR": str(TARGET)}
    line = ["cargo", "run", "--quiet", "--locked", "--", f"http://127.0.0.1:{server.http_port}"]
    done = subprocess.run(line, env=env, cwd=RUST, capture_output=True, text=True, timeout=1500)
    assert done.returncode == 0, done.stdout + done.stderr
