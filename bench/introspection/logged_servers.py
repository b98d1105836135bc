"""Two servers, one with all logs and one with none, that run all the time: whatever else the machine does, both have it."""

import http.client
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/clients"))
from server import Server  # noqa: E402

LOGS = """asynchronous_insert_log asynchronous_metric_log blob_storage_log crash_log error_log metric_log
    opentelemetry_span_log part_log processors_profile_log query_limit_log query_log query_metric_log query_views_log session_log text_log trace_log"""
WITH_LOGS = ""
WITHOUT_LOGS = "".join(f'<{name} remove="1"/>' for name in LOGS.split())


class LoggedServer:
    """A server with a configuration, and the connection that queries go over."""

    def __init__(self, folder: Path, config: str):
        folder.mkdir(exist_ok=True)
        (folder / "config.xml").write_text(f"<clickhouse>{config}</clickhouse>")
        self.server = Server(folder / "data", "--config-file", folder / "config.xml")
        self.connection = http.client.HTTPConnection("127.0.0.1", self.server.http_port)

    def ask(self, query: str) -> bytes:
        self.connection.request("POST", "/", body=query)
        answer = self.connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        return body

    def processor_seconds(self) -> float:
        """User and system time of the process so far, with the jobs that write the logs."""
        fields = Path(f"/proc/{self.server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self.connection.close()
        self.server.stop()
