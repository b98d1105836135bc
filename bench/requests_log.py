"""Counts requests in the access log of versitygw: one line each, the operation's name in it."""

import re
import time
from pathlib import Path

# What is paid for under one name at Amazon; other operations keep their own.
CLASSES = {"GetObject": "GET", "HeadObject": "HEAD", "ListObjects": "LIST", "ListObjectsV2": "LIST", "PutObject": "PUT"}
# The log is written behind the answers, this much at most.
BEHIND_SECONDS = 0.3


class RequestsLog:
    """Where in the log we are. `flags` are those that make versitygw write it."""

    def __init__(self, path: Path):
        self.path = path
        self.offset = 0

    @property
    def flags(self) -> list:
        # The log on standard output is torn where lines are written side by side.
        return ["--access-log", self.path, "--quiet"]

    def skip(self) -> None:
        """What is logged so far does not count."""
        self.offset = self.path.stat().st_size

    def counted(self) -> dict[str, int]:
        """Requests by class since the last call of `skip` or `counted`."""
        time.sleep(BEHIND_SECONDS)
        with self.path.open("rb") as lines:
            lines.seek(self.offset)
            text = lines.read()
        self.offset += len(text)
        counts: dict[str, int] = {}
        for operation in re.findall(r" s3_(\w+) ", text.decode("utf-8", "replace")):
            name = CLASSES.get(operation, operation)
            counts[name] = counts.get(name, 0) + 1
        return counts


def spelled(requests: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(requests.items())) or "none"
