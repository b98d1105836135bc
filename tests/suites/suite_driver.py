"""clickhouse-driver, from its repository (the sdist has a part of the tests only). It makes tables through a client of its own."""

import os
import subprocess
from pathlib import Path

from results import Outcomes, junit
from server import Server
from sources import python, replace, repository

TITLE = "clickhouse-driver 0.2.11"
HERE = Path(__file__).resolve().parent


def run(folder: Path) -> Outcomes:
    source = repository("mymarilyn", "clickhouse-driver", "0.2.11", folder)
    # The package that is installed is tested.
    (source / "clickhouse_driver").rename(source / "not_clickhouse_driver")
    tls = HERE.parent / "clients/tls"
    # Its tests know the zone that their server is in.
    server = Server(
        folder / "data", "--tcp-port-secure", "0", "--certificate", tls / "server.crt", "--private-key", tls / "server.key",
        timezone="Europe/Moscow",
    )
    replace(
        source / "setup.cfg",
        ("host=localhost", "host=127.0.0.1"),
        ("port=9000", f"port={server.tcp_port}"),
        ("secure_port=9440", f"secure_port={server.tcp_secure_port}"),
        ("client=clickhouse-client", f"client={HERE / 'http_cli.py'}"),
    )
    report = folder / "report.xml"
    options = ["--tb=native", "--timeout", "60", f"--junitxml={report}"]
    line = [python(HERE / "requirements.txt"), "-m", "pytest", "-q", *options, "tests"]
    with open(folder / "output.txt", "w") as output:
        env = os.environ | {"GRISTMILL_HTTP_PORT": str(server.http_port)}
        subprocess.run([str(word) for word in line], cwd=source, env=env, stdout=output, stderr=output)
    server.stop()
    return junit(report)
