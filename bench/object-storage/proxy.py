"""The way to the S3 server: toxiproxy, which makes loopback as slow as a bucket in the same region and counts the bytes.

Each answer comes 40 ms (give or take 10) late, and a connection carries 90 MB/s at most: what a virtual machine near the
bucket sees. Opening a connection costs nothing here, unlike at a real bucket, where it is two or three round trips.
"""

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

from servers import TOOLS, Process, free_port

# Bytes are counted when a connection ends, and connections end with the process that opened them.
SETTLED_SECONDS = 0.1
SETTLED_SECONDS_MAX = 30
# In /proc/net/tcp: established, and closed by the client only.
SERVED_STATES = {"01", "08"}


@dataclass(frozen=True)
class Network:
    """What the proxy does to each connection. All zero: nothing."""

    latency_ms: int = 40
    jitter_ms: int = 10
    megabytes_per_second: int = 90

    @property
    def toxics(self) -> list[dict]:
        toxics = []
        if self.latency_ms:
            toxics.append({"type": "latency", "attributes": {"latency": self.latency_ms, "jitter": self.jitter_ms}})
        if self.megabytes_per_second:
            toxics.append({"type": "bandwidth", "attributes": {"rate": self.megabytes_per_second * 1000}})
        return [toxic | {"stream": "downstream"} for toxic in toxics]

    def __str__(self) -> str:
        if not self.toxics:
            return "no latency added"
        return f"{self.latency_ms} ± {self.jitter_ms} ms before an answer, {self.megabytes_per_second} MB/s a connection"


class Proxy:
    """toxiproxy in front of a port; `port` is where clients connect."""

    def __init__(self, upstream_port: int, network: Network, log: Path):
        control = free_port()
        self.control = f"http://127.0.0.1:{control}"
        line = [TOOLS / "bin/toxiproxy-server", "-host", "127.0.0.1", "-port", control, "-seed", 1, "-proxy-metrics"]
        self.process = Process(line, control, log)
        upstream = {"name": "s3", "listen": "127.0.0.1:0", "upstream": f"127.0.0.1:{upstream_port}", "enabled": True}
        self.port = int(self.ask("/proxies", upstream)["listen"].rsplit(":", 1)[1])
        for toxic in network.toxics:
            self.ask("/proxies/s3/toxics", toxic)
        self.bytes_before = 0

    def ask(self, path: str, content: dict) -> dict:
        request = Request(self.control + path, json.dumps(content).encode(), method="POST")
        with urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def bytes_total(self) -> int:
        """Bytes that clients took from the server so far, headers too."""
        with urlopen(self.control + "/metrics", timeout=10) as answer:
            text = answer.read().decode()
        found = re.findall(r'^toxiproxy_proxy_sent_bytes_total\{direction="downstream".*\} (\S+)$', text, re.MULTILINE)
        # A connection that its client left with an answer half read is in the log, not among the metrics.
        lines = (line for line in self.process.log.read_text().splitlines() if "Could not write to destination" in line)
        left = [json.loads(line) for line in lines]
        return sum(int(float(number)) for number in found) + sum(line["bytes"] for line in left if line["link"].endswith("downstream"))

    def connections(self) -> int:
        """Connections of clients that the proxy still serves."""
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return sum(int(line[1].rsplit(":")[-1], 16) == self.port and line[3] in SERVED_STATES for line in lines)

    def bytes_counted(self) -> int:
        """Bytes since the last call."""
        deadline = time.monotonic() + SETTLED_SECONDS_MAX
        total = -1
        while (self.connections() or total != self.bytes_total()) and time.monotonic() < deadline:
            total = self.bytes_total()
            time.sleep(SETTLED_SECONDS)
        total = self.bytes_total()
        counted, self.bytes_before = total - self.bytes_before, total
        return counted

    def stop(self) -> None:
        self.process.stop()
