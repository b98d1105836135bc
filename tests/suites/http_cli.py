#!/usr/bin/env python3
"""Stands in for `clickhouse-client --query` in suites that call it: the query goes over HTTP, every other flag is a setting.

The one that Debian has is of 2018 and knows none of the settings that the suites pass to it. The port of HTTP is the variable
`GRISTMILL_HTTP_PORT`, as the suites tell their client that of the native protocol alone.
"""

import http.client
import os
import sys
import urllib.parse

OF_THE_CLIENT = {"host", "port", "query", "database", "user", "password"}


def main(arguments: list[str]) -> int:
    flags = {name.removeprefix("--"): value for name, value in zip(arguments[::2], arguments[1::2], strict=True)}
    settings = {name: value for name, value in flags.items() if name not in OF_THE_CLIENT}
    if settings.pop("use_client_time_zone", "0") == "1":
        settings["session_timezone"] = os.environ["TZ"]
    url = "/?" + urllib.parse.urlencode({"database": flags.get("database", "default")} | settings)
    connection = http.client.HTTPConnection(flags["host"], int(os.environ["GRISTMILL_HTTP_PORT"]))
    connection.request("POST", url, body=flags["query"].encode())
    answer = connection.getresponse()
    (sys.stdout if answer.status == 200 else sys.stderr).buffer.write(answer.read())
    return 0 if answer.status == 200 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
