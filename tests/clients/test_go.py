"""clickhouse-go, ClickHouse's own for Go, over both protocols: its tests are in `go`."""

import os
import subprocess
from pathlib import Path

GO = Path(__file__).parent / "go"


def test_the_client_for_go(server):
    env = os.environ | {
        "GRISTMILL_TCP": f"127.0.0.1:{server.tcp_port}",
        "GRISTMILL_HTTP": f"127.0.0.1:{server.http_port}",
        "GOFLAGS": "-mod=readonly",
    }
    line = ["go", "test", "-count=1", "-timeout=20m", "./..."]
    done = subprocess.run(line, env=env, cwd=GO, capture_output=True, text=True, timeout=1500)
    assert done.returncode == 0, done.stdout + done.stderr
