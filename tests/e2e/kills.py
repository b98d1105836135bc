"""Ends a process by kill -9 at a moment that its own progress gives, so that a slow machine kills it as far into its work as a fast one."""

import signal
import subprocess
import time

LONGEST_SECONDS = 120


def commits(data) -> int:
    """How often the tables of a folder were changed: the newest versions of their manifests, added up."""
    newest = 0
    for manifest in data.glob("store/*/manifest"):
        newest += max((int(file.name) for file in manifest.iterdir() if file.name.isdigit()), default=0)
    return newest


def kill_after(child, data, more: int, seconds: float) -> bool:
    """Kills `seconds` after `more` further commits were seen. Whether it was killed: False if it came to its end before."""
    goal = commits(data) + more
    given_up = time.monotonic() + LONGEST_SECONDS
    while commits(data) < goal and child.poll() is None:
        assert time.monotonic() < given_up, f"fewer than {more} commits in {LONGEST_SECONDS} s"
        time.sleep(0.003)
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGKILL)
        return True
    return False
