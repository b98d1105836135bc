"""A server that a signal ended could not write it into its log: the next one does."""

import signal

import pytest
from http_client import Http
from server import Server


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
def test_a_signal_that_ended_the_server_is_told_by_the_next_one(tmp_path, number):
    first = Server(tmp_path)
    Http(first.http_port).ok("SELECT 1")
    first.process.send_signal(number)
    assert first.process.wait(60) == -number
    told = "SELECT signal, signal_code <= 0, fault_address, thread_id > 0, length(trace) > 0, length(trace_full) > 0, signal_description FROM system.crash_log"
    for is_next in [True, False]:
        # It is told once, and kept.
        server = Server(tmp_path)
        http = Http(server.http_port)
        http.ok("SYSTEM FLUSH LOGS crash_log")
        [row] = http.ok(told).splitlines()
        assert row == f"{int(number)}\t1\t\\N\t1\t1\t1\t{number.name} was sent to the server, or it ended itself", row
        assert any("A signal ended the server" in line for line in server.log) == is_next, server.log
        assert server.stop() == 0
