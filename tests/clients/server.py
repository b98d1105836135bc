"""A running `gristmill server` for the clients."""

import os
import re
import signal
import subprocess
import threading
from pathlib import Path

BINARY = os.environ.get("GRISTMILL", str(Path(__file__).resolve().parents[2] / "target/debug/gristmill"))
LISTENING = re.compile(r"Listening for ((?:HTTP|the native protocol)(?: over TLS)?|Prometheus) on .*:(\d+)")
START_SECONDS = 60


class Server:
    """The binary on free ports of the loopback address."""

    def __init__(self, path: Path, *flags: str, timezone: str = "UTC"):
        self.log: list[str] = []
        self.ports: dict[str, int] = {}
        self.ready = threading.Event()
        ports = [word for port in ("--http-port", "--tcp-port") if port not in flags for word in (port, 0)]
        line = [BINARY, "server", "--path", path, *ports, "--listen-host", "127.0.0.1", *flags]
        env = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "GRISTMILL_LOG"))}
        self.process = subprocess.Popen(
            [str(word) for word in line], stderr=subprocess.PIPE, text=True, env=env | {"TZ": timezone, "NO_COLOR": "1"}
        )
        threading.Thread(target=self._read_log, daemon=True).start()
        assert self.ready.wait(START_SECONDS), f"the server did not start: {self.log}"

    def _read_log(self):
        for line in self.process.stderr:
            self.log.append(line)
            if found := LISTENING.search(line):
                self.ports[found[1]] = int(found[2])
            if "Ready for connections" in line:
                self.ready.set()

    @property
    def http_port(self) -> int:
        return self.ports["HTTP"]

    @property
    def tcp_port(self) -> int:
        return self.ports["the native protocol"]

    @property
    def https_port(self) -> int:
        return self.ports["HTTP over TLS"]

    @property
    def tcp_secure_port(self) -> int:
        return self.ports["the native protocol over TLS"]

    @property
    def prometheus_port(self) -> int:
        return self.ports["Prometheus"]

    def memory_bytes(self) -> int:
        """What the process holds of the machine's memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def stop(self) -> int:
        """Asks it to end; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        defects = [line for line in self.log if "defect of its own" in line or "panicked" in line]
        assert not defects, self.log
        return code
