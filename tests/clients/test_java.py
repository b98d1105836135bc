"""ClickHouse's JDBC driver and its client for Java (client-v2): their tests are in `java`."""

import os
import subprocess
from pathlib import Path

JAVA = Path(__file__).parent / "java"
JARS = Path(os.environ.get("GRISTMILL_TOOLS", Path.home() / ".cache/gristmill/tools")) / "java"


def test_the_clients_for_java(server):
    line = ["java", "-Xmx1g", "-cp", f"{JARS}/*", str(JAVA / "Clients.java"), "127.0.0.1", str(server.http_port)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
