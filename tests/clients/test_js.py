"""@clickhouse/client, ClickHouse's own for Node: its tests are in `js`."""

import os
import subprocess
from pathlib import Path

JS = Path(__file__).parent / "js"
MODULES = Path(os.environ.get("GRISTMILL_TOOLS", Path.home() / ".cache/gristmill/tools")) / "js"


def test_the_client_for_node(server):
    # The modules lie outside of the tree, where `make tools` puts them; node looks for them beside the test.
    test = MODULES / "client.test.mjs"
    test.write_text((JS / "client.test.mjs").read_text())
    env = os.environ | {"GRISTMILL_URL": f"http://127.0.0.1:{server.http_port}"}
    line = ["node", "--test", "--test-reporter=spec", str(test)]
    done = subprocess.run(line, env=env, cwd=MODULES, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
