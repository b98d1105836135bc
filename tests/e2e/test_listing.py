"""Buckets with very many keys: several pages at a time, reading while listing, bounded memory."""

import re
import subprocess
import time
from pathlib import Path

from listing_server import ListingServer
from runner import BINARY, environment, gristmill

KEYS = 100_000


def source(server: ListingServer, pattern: str) -> str:
    return f"s3('{server.url}/{pattern}', NOSIGN, CSV, 'a UInt64')"


def test_a_long_listing_is_read_in_several_ranges_of_keys_at_a_time():
    with ListingServer(KEYS) as server:
        query = f"SELECT count(), sum(a) FROM {source(server, 'keys/*.csv')} WHERE _file IN ('part-00000007.csv', 'part-00099999.csv')"
        assert gristmill(query).ok().rows == [["2", str(7 + 99_999)]]
        assert server.most_at_once > 1, "one after another"
        assert KEYS // 1000 <= len(server.pages) < KEYS // 1000 * 1.5, "few pages are asked for in vain"


def test_braces_and_names_list_only_what_they_must():
    with ListingServer(KEYS) as server:
        query = f"SELECT sum(a) FROM {source(server, 'keys/part-{00000001,00000005}.csv')}"
        assert gristmill(query).ok().value == "6"
        assert server.pages == []


def test_a_limit_ends_the_listing():
    with ListingServer(KEYS) as server:
        assert len(gristmill(f"SELECT a FROM {source(server, 'keys/*.csv')} LIMIT 5").ok().rows) == 5
        assert len(server.pages) < 60, len(server.pages)


def peak_memory(process: subprocess.Popen) -> int:
    """The most bytes that a process held until shortly before its end. (What wait4 tells has the tester's own memory in it.)"""
    peak = 0
    while process.poll() is None:
        found = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
        peak = max(peak, int(found[1]) * 1024) if found else peak
        time.sleep(0.005)
    return peak


def test_memory_does_not_grow_with_the_number_of_keys():
    def peak(keys: int) -> int:
        with ListingServer(keys) as server:
            query = f"SELECT count() FROM {source(server, 'keys/*.csv')} WHERE _file = 'none'"
            process = subprocess.Popen([BINARY, "local", "-q", query], stdout=subprocess.PIPE, env=environment())
            most = peak_memory(process)
            assert process.stdout.read() == b"0\n" and process.returncode == 0
            return most

    few, many = peak(20_000), peak(300_000)
    # Kept, they would take more than a hundred bytes each.
    assert many < few + (24 << 20), (few, many)
