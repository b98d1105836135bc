"""What logs cost a server that nobody asks: the processor time of one with all logs and of one with none, side by side.

    GRISTMILL=target/release/gristmill python bench/introspection/idle_logs.py [seconds]

The first two minutes, in which tables are made and the machine is measured, do not count.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ.setdefault("GRISTMILL", str(BENCH.parent / "target/release/gristmill"))

from logged_servers import WITH_LOGS, WITHOUT_LOGS, LoggedServer  # noqa: E402

SETTLES = 120


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 120
    with tempfile.TemporaryDirectory(dir=os.environ.get("GRISTMILL_BENCH_SCRATCH")) as name:
        servers = {"with logs": LoggedServer(Path(name) / "on", WITH_LOGS), "without": LoggedServer(Path(name) / "off", WITHOUT_LOGS)}
        for server in servers.values():
            server.ask("SELECT 1")
        time.sleep(SETTLES)
        before = {name: server.processor_seconds() for name, server in servers.items()}
        time.sleep(seconds)
        for name, server in servers.items():
            spent = server.processor_seconds() - before[name]
            print(f"{name}: {spent:.2f} s of a processor in {seconds} s, {spent / seconds * 100:.2f} %")
            server.stop()


if __name__ == "__main__":
    main()
