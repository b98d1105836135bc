"""clickhouse-connect's integration tests, from its repository."""

import os
import subprocess
from pathlib import Path

import suite_server
from results import Outcomes, junit
from sources import python, repository

TITLE = "clickhouse-connect 1.7.2"
HERE = Path(__file__).resolve().parent


def run(folder: Path) -> Outcomes:
    source = repository("ClickHouse", "clickhouse-connect", "v1.7.2", folder)
    # The package that is installed is tested.
    (source / "clickhouse_connect").rename(source / "not_clickhouse_connect")
    server = suite_server.start(folder)
    report = folder / "report.xml"
    options = ["-o", "addopts=", "-o", "log_cli=false", "--tb=native", "--timeout", "60", f"--junitxml={report}"]
    line = [python(HERE / "requirements.txt"), "-m", "pytest", "-q", *options, "tests/integration_tests"]
    told = {
        "CLICKHOUSE_CONNECT_TEST_DOCKER": "False",
        "CLICKHOUSE_CONNECT_TEST_HOST": "127.0.0.1",
        "CLICKHOUSE_CONNECT_TEST_PORT": str(server.http_port),
        "CLICKHOUSE_CONNECT_TEST_DATABASE": "suite",
    }
    with open(folder / "output.txt", "w") as output:
        subprocess.run([str(word) for word in line], cwd=source, env=os.environ | told, stdout=output, stderr=output)
    server.stop()
    return junit(report)
