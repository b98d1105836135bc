"""clickhouse-go: its module holds its tests. Each of its packages drops databases of the others, and gets a server of its own."""

import os
import subprocess
from pathlib import Path

import suite_server
from results import Outcomes, go_events
from sources import go_module

TITLE = "clickhouse-go 2.50.0"
MODULE = "github.com/ClickHouse/clickhouse-go/v2"
PACKAGES = ["tests", "tests/std", "tests/issues"]


def run(folder: Path) -> Outcomes:
    source = go_module(MODULE, "v2.50.0", folder)
    lines = []
    for package in PACKAGES:
        own = folder / f"server-{package.replace('/', '-')}"
        own.mkdir()
        server = suite_server.start(own)
        told = {
            "CLICKHOUSE_USE_DOCKER": "false",
            "CLICKHOUSE_HOST": "127.0.0.1",
            "CLICKHOUSE_PORT": str(server.tcp_port),
            "CLICKHOUSE_HTTP_PORT": str(server.http_port),
        }
        line = ["go", "test", "-json", "-count=1", "-timeout=20m", f"./{package}"]
        done = subprocess.run(line, cwd=source, env=os.environ | told, capture_output=True, text=True)
        (folder / f"{package.replace('/', '-')}.json").write_text(done.stdout)
        lines += done.stdout.splitlines()
        server.stop()
    return go_events(lines)
