"""The crate `clickhouse`: the published crate holds its tests, which want their server at a fixed address."""

import os
import subprocess
from pathlib import Path

from results import Outcomes, libtest
from server import Server
from sources import TOOLS, crate, replace

TITLE = "clickhouse-rs 0.15.3"


def run(folder: Path) -> Outcomes:
    source = crate("clickhouse", Path(__file__).resolve().parents[1] / "clients/rust", folder)
    # It asks for a toolchain of its own.
    (source / "rust-toolchain.toml").unlink(missing_ok=True)
    server = Server(folder / "data")
    # Its tests with Arrow are those of a crate that is not published with it.
    address = ("localhost:8123", f"127.0.0.1:{server.http_port}")
    replace(source / "tests/it/main.rs", address, ("mod arrow;\n", ""))
    told = {
        "CARGO_TARGET_DIR": str(TOOLS / "target"),
        "CARGO_PROFILE_DEV_DEBUG": "false",
        "CLICKHOUSE_TEST_ENVIRONMENT": "local",
    }
    line = ["cargo", "test", "--locked", "--all-features", "--test", "it", "--no-fail-fast"]
    done = subprocess.run(line, cwd=source, env=os.environ | told, capture_output=True, text=True)
    (folder / "output.txt").write_text(done.stdout + done.stderr)
    server.stop()
    return libtest(done.stdout)
