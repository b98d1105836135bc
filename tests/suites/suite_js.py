"""@clickhouse/client for Node: its integration tests, from its repository. They want their server at a fixed address."""

import os
import subprocess
from pathlib import Path

import suite_server
from results import Outcomes, junit
from sources import call, replace, repository

TITLE = "clickhouse-js 1.23.1"


def run(folder: Path) -> Outcomes:
    source = repository("ClickHouse", "clickhouse-js", "client-1.23.1", folder)
    call("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts", cwd=source)
    # What its `postinstall` does.
    call("npm", "pkg", "delete", "type", cwd=source / "node_modules/parquet-wasm")
    server = suite_server.start(folder)
    replace(source / "packages/client-common/__tests__/utils/client.ts", ("127.0.0.1:8123", f"127.0.0.1:{server.http_port}"))
    report = folder / "report.xml"
    line = ["npm", "run", "test:integration", "--", "--run", "--reporter=junit", f"--outputFile={report}"]
    told = {"TEST_MODE": "integration", "CLICKHOUSE_TEST_ENVIRONMENT": "local_single_node"}
    with open(folder / "output.txt", "w") as output:
        subprocess.run(
            line, cwd=source / "packages/client-node", env=os.environ | told, stdout=output, stderr=output
        )
    server.stop()
    return junit(report, lambda case: f"{Path(case.get('classname')).name} > {case.get('name')}")
