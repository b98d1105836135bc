"""Load on a server: many connections that ask one after another, over HTTP (`wrk`) and over the native protocol, with and without
clients that misbehave beside them. Prints rates, latencies, errors, and the memory of the server every so many seconds.

    make load                                  # 200 connections for 60 seconds each
    make load LOAD="--seconds 10"

Exit code 1 where a well-behaved client met an error, or memory grew from the middle of a run to its end by more than a tenth
and 64 MiB.
"""

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests/clients"))
from http_client import Http  # noqa: E402
from server import Server  # noqa: E402

TOOLS = Path(os.environ.get("GRISTMILL_TOOLS", Path.home() / ".cache/gristmill/tools"))
QUERY = "SELECT k, count(), sum(v) FROM load WHERE k < 10 GROUP BY k ORDER BY k"
MEBIBYTE = 1 << 20


class Memory(threading.Thread):
    """What the server holds, every second."""

    def __init__(self, server: Server):
        super().__init__(daemon=True)
        self.server, self.seen, self.ended = server, [], threading.Event()

    def run(self):
        while not self.ended.wait(1):
            self.seen.append(self.server.memory_bytes())

    def told(self) -> tuple[str, bool]:
        """The course of it, and whether it was flat."""
        self.ended.set()
        self.join()
        seen = self.seen or [self.server.memory_bytes()]
        step = max(1, len(seen) // 6)
        course = " ".join(f"{value // MEBIBYTE}" for value in seen[::step])
        half = max(seen[len(seen) // 4 : len(seen) // 2 + 1])
        flat = max(seen[len(seen) // 2 :]) <= max(half * 1.1, half + 64 * MEBIBYTE)
        return f"{course} MiB", flat


def over_http(server: Server, options) -> dict:
    script = f'wrk.method = "POST"\nwrk.body = "{QUERY}"\n'
    script += 'done = function(s, l, r) io.write(string.format("%d %d %d %d %d\\n", l:percentile(50), l:percentile(90), '
    script += 'l:percentile(99), l:percentile(99.9), l.max)) end\n'
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script)
        file.flush()
        line = ["wrk", "-t2", f"-c{options.connections}", f"-d{options.seconds}s", "--timeout", "60s", "-s", file.name]
        env = os.environ | {"PATH": f"{TOOLS / 'wrk/usr/bin'}:{os.environ['PATH']}"}
        env["LD_LIBRARY_PATH"] = ":".join(sorted({str(path.parent) for path in (TOOLS / "wrk").rglob("*.so*")}))
        done = subprocess.run([*line, f"http://127.0.0.1:{server.http_port}/"], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    queries, seconds = re.search(r"(\d+) requests in ([\d.]+)(m|s)", done.stdout).group(1, 2)
    times = [int(word) / 1000 for word in done.stdout.strip().splitlines()[-1].split()]
    errors = {}
    if found := re.search(r"Socket errors: (.*)", done.stdout):
        errors[found[1]] = 1
    if found := re.search(r"Non-2xx or 3xx responses: (\d+)", done.stdout):
        errors["status"] = int(found[1])
    names = ["p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms"]
    return {"queries": int(queries), "per_second": int(queries) / options.seconds, "errors": errors} | dict(zip(names, times))


def over_native(server: Server, options) -> dict:
    flags = [f"-address=127.0.0.1:{server.tcp_port}", f"-connections={options.connections}", f"-seconds={options.seconds}"]
    line = ["go", "run", ".", *flags, f"-query={QUERY}"]
    done = subprocess.run(line, cwd=HERE / "native", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def misbehave(server: Server, count: int) -> list[socket.socket]:
    """Clients that read nothing of a long answer, that say nothing, whose body never ends."""
    sockets = []
    endless = b"POST /?query=INSERT+INTO+load+FORMAT+CSV HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n1,2\n\r\n"
    reads_nothing = b"GET /?query=SELECT+number+FROM+numbers(10000000000) HTTP/1.1\r\nHost: x\r\n\r\n"
    for at in range(count):
        port = server.tcp_port if at % 4 == 3 else server.http_port
        one = socket.create_connection(("127.0.0.1", port))
        one.sendall([reads_nothing, endless, b"POST /?que", b"\x00"][at % 4])
        sockets.append(one)
    return sockets


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--warm-up", type=int, default=30, help="seconds of each way before it is measured: caches and the log of queries fill")
    parser.add_argument("--misbehaving", type=int, default=40, help="clients beside them in the second run of each")
    options = parser.parse_args()
    fine = True
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), "--max-concurrent-queries", 0)
        http = Http(server.http_port)
        http.ok("CREATE TABLE load (k UInt32, v UInt32) ENGINE = MergeTree ORDER BY k")
        http.ok("INSERT INTO load SELECT number % 1000, number FROM numbers(1000000)")
        http.ok("OPTIMIZE TABLE load FINAL")
        print(f"{options.connections} connections, {options.seconds} s each: {QUERY}", flush=True)
        for name, way in [("HTTP", over_http), ("native", over_native)]:
            way(server, argparse.Namespace(connections=options.connections, seconds=options.warm_up))
            for beside in [0, options.misbehaving]:
                sockets = misbehave(server, beside)
                memory = Memory(server)
                memory.start()
                told = way(server, options)
                course, flat = memory.told()
                for one in sockets:
                    one.close()
                times = ", ".join(f"{name} {told[name + '_ms']:.1f}" for name in ["p50", "p90", "p99", "p999", "max"])
                label = f"{name}, {beside} clients misbehave" if beside else name
                print(f"{label}: {told['per_second']:.0f} queries/s, ms: {times}; errors: {told['errors'] or 'none'}; memory: {course}", flush=True)
                fine = fine and not told["errors"] and flat
                if not flat:
                    print("Memory was not flat", flush=True)
                time.sleep(2)
        assert server.stop() == 0
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
